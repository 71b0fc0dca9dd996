package directory_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
)

// forest is a slow, obvious tree: it looks through the list at every question.
type forest []directory.Entity

// find returns the last entity with the number.
func (f forest) find(id directory.EntityID) (directory.Entity, bool) {
	for _, e := range slices.Backward(f) {
		if e.ID == id && id > 0 {
			return e, true
		}
	}
	return directory.Entity{}, false
}

// line returns an entity and all above it, as long as the way leads to a higher level.
func (f forest) line(id directory.EntityID) []directory.Entity {
	e, ok := f.find(id)
	if !ok {
		return nil
	}
	line := []directory.Entity{e}
	if p, ok := f.find(e.Parent); ok && p.Type < e.Type {
		line = append(line, f.line(p.ID)...)
	}
	return line
}

// above returns the entity of the type on the line.
func (f forest) above(id directory.EntityID, want directory.EntityType) directory.EntityID {
	for _, e := range f.line(id) {
		if e.Type == want {
			return e.ID
		}
	}
	return 0
}

func (f forest) within(id, ancestor directory.EntityID) bool {
	return slices.ContainsFunc(f.line(id), func(e directory.Entity) bool { return e.ID == ancestor })
}

// entities draws any list: parents missing, at any level, or themselves; numbers that repeat, leap or are none.
func entities(t *rapid.T) []directory.Entity {
	number := rapid.OneOf(rapid.Int64Range(1, 12), rapid.Int64Range(-2, 40), rapid.Just[int64](1<<60))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) directory.Entity {
		return directory.Entity{
			ID: directory.EntityID(number.Draw(t, "id")), Parent: directory.EntityID(number.Draw(t, "parent")),
			Type:    directory.EntityType(rapid.IntRange(0, 3).Draw(t, "type")),
			Deleted: rapid.IntRange(0, 3).Draw(t, "deleted") == 0,
		}
	}), 0, 30).Draw(t, "entities")
}

// numbers are those to ask for: of the list and beside it.
func numbers(list []directory.Entity) []directory.EntityID {
	ids := []directory.EntityID{-1, 0, 5, 100, 1 << 61}
	for _, e := range list {
		ids = append(ids, e.ID, e.Parent)
	}
	return ids
}

func TestTreeIsTheForest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := entities(t)
		before := slices.Clone(list)
		tree, f := directory.NewTree(list), forest(list)
		for _, id := range numbers(list) {
			e, ok := f.find(id)
			if got, gotOK := tree.Entity(id); got != e || gotOK != ok {
				t.Errorf("Entity(%d) = %+v, %t, want %+v, %t", id, got, gotOK, e, ok)
			}
			if got, want := tree.Network(id), f.above(id, directory.Network); got != want {
				t.Errorf("Network(%d) = %d, want %d", id, got, want)
			}
			if got, want := tree.School(id), f.above(id, directory.School); got != want {
				t.Errorf("School(%d) = %d, want %d", id, got, want)
			}
			if got, want := tree.Class(id), f.above(id, directory.Class); got != want {
				t.Errorf("Class(%d) = %d, want %d", id, got, want)
			}
			for _, ancestor := range numbers(list) {
				if got, want := tree.Within(id, ancestor), f.within(id, ancestor); got != want {
					t.Errorf("Within(%d, %d) = %t, want %t", id, ancestor, got, want)
				}
			}
		}
		if !slices.Equal(list, before) {
			t.Errorf("NewTree changed its argument to %+v, was %+v", list, before)
		}
	})
}

// TestTreeWith: putting in is the same as having had the later list all along, and the tree before stays as it was.
func TestTreeWith(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, more := entities(t), entities(t)
		tree := directory.NewTree(list)
		before := fmt.Sprintf("%+v", tree)
		got, want := fmt.Sprintf("%+v", tree.With(more)), fmt.Sprintf("%+v", directory.NewTree(slices.Concat(list, more)))
		if got != want {
			t.Errorf("With(%+v) = %s, want %s", more, got, want)
		}
		if after := fmt.Sprintf("%+v", tree); after != before {
			t.Errorf("With(%+v) changed the tree to %s, was %s", more, after, before)
		}
	})
}

func TestScopeIsWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := entities(t)
		tree, f := directory.NewTree(list), forest(list)
		for _, root := range numbers(list) {
			scope := tree.Scope(root)
			visible := map[directory.EntityID]bool{}
			for _, id := range numbers(list) {
				e, _ := f.find(id)
				within := f.within(id, root)
				visible[id] = within && !e.Deleted
				if got := scope.Below(id); got != within {
					t.Errorf("Scope(%d).Below(%d) = %t, want %t", root, id, got, within)
				}
				if got := scope.Entity(id); got != visible[id] {
					t.Errorf("Scope(%d).Entity(%d) = %t, want %t", root, id, got, visible[id])
				}
				if got := scope.User(directory.Account{Entity: id}); got != within {
					t.Errorf("Scope(%d).User(of %d) = %t, want %t", root, id, got, within)
				}
				if scope.User(directory.Account{Entity: id, Deleted: true}) {
					t.Errorf("Scope(%d).User(deleted, of %d) = true, want false", root, id)
				}
			}
			var want []directory.EntityID
			for id, ok := range visible {
				if ok {
					want = append(want, id)
				}
			}
			slices.Sort(want)
			if got := scope.Entities(); !slices.Equal(got, want) {
				t.Errorf("Scope(%d).Entities() = %v, want %v", root, got, want)
			}
		}
	})
}

// TestTreeOrder: the order of the list does not matter.
func TestTreeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := slices.CompactFunc(slices.SortedFunc(slices.Values(entities(t)), func(a, b directory.Entity) int { return int(min(max(a.ID-b.ID, -1), 1)) }),
			func(a, b directory.Entity) bool { return a.ID == b.ID })
		tree := directory.NewTree(list)
		other := directory.NewTree(rapid.Permutation(list).Draw(t, "order"))
		for _, e := range list {
			if a, b := tree.Scope(e.ID).Entities(), other.Scope(e.ID).Entities(); !slices.Equal(a, b) {
				t.Errorf("Scope(%d).Entities() = %v in order, %v in another", e.ID, a, b)
			}
		}
	})
}

// network is the spec's: a network with the schools A and B, each with classes. School C and its class were deleted.
func network() []directory.Entity {
	return []directory.Entity{
		{ID: 1, Ref: "rede", Type: directory.Network},
		{ID: 2, Ref: "A", Type: directory.School, Parent: 1},
		{ID: 3, Ref: "B", Type: directory.School, Parent: 1},
		{ID: 4, Ref: "C", Type: directory.School, Parent: 1, Deleted: true},
		{ID: 5, Ref: "A-7A", Type: directory.Class, Parent: 2},
		{ID: 6, Ref: "A-8A", Type: directory.Class, Parent: 2},
		{ID: 7, Ref: "B-7A", Type: directory.Class, Parent: 3},
		{ID: 8, Ref: "C-7A", Type: directory.Class, Parent: 4, Deleted: true},
		{ID: 9, Ref: "other", Type: directory.Network},
	}
}

func TestDeletedKeepTheirPlace(t *testing.T) {
	tree := directory.NewTree(network())
	if s, c := tree.School(8), tree.Class(8); s != 4 || c != 8 {
		t.Errorf("School(8), Class(8) = %d, %d, want 4, 8: an account keeps what was deleted (S1)", s, c)
	}
	if s, c := tree.School(4), tree.Class(4); s != 4 || c != 0 {
		t.Errorf("School(4), Class(4) = %d, %d, want 4, 0", s, c)
	}
	if s, c := tree.School(1), tree.Class(1); s != 0 || c != 0 {
		t.Errorf("School(1), Class(1) = %d, %d, want 0, 0: nothing below counts", s, c)
	}
	scope := tree.Scope(1)
	if !scope.User(directory.Account{Entity: 8}) || scope.Entity(8) {
		t.Error("Scope(1) of a deleted class: want its users visible, itself not")
	}
}

func TestZero(t *testing.T) {
	var tree directory.Tree
	if _, ok := tree.Entity(1); ok || tree.School(1) != 0 || tree.Within(1, 1) || tree.Scope(1).Below(1) || tree.Scope(1).Entities() != nil {
		t.Error("the zero Tree has an entity")
	}
	var scope directory.Scope
	if scope.Entity(1) || scope.Below(1) || scope.User(directory.Account{Entity: 1}) || scope.Entities() != nil {
		t.Error("the zero Scope shows something")
	}
	full := directory.NewTree(network()).Scope(0)
	if full.Below(0) || full.Below(1) || full.User(directory.Account{}) || full.Entities() != nil {
		t.Error("Scope(0) shows something")
	}
}
