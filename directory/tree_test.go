package directory_test

import (
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/directory"
)

// TestTree tests that a parent counts only if it exists and has a higher level, and that the last of several entities
// with one number counts.
func TestTree(t *testing.T) {
	const far = directory.EntityID(1 << 60)
	list := []directory.Entity{
		{ID: 3, Type: directory.Network}, {ID: 1, Type: directory.Network}, {ID: 2, Type: directory.School, Parent: 1},
		{ID: 11, Type: directory.Class, Parent: 10}, {ID: 10, Type: directory.School, Parent: 99}, // parent 99 does not exist
		{ID: 12, Type: directory.Network, Parent: 12}, {ID: 13, Type: directory.School, Parent: 13}, // they are their own parents
		{ID: 14, Type: directory.Class, Parent: 3}, {ID: 15, Type: directory.Network, Parent: 2}, // a class below a class, and a network below a school
		{ID: far, Type: directory.Class, Parent: 1}, {ID: -5, Type: directory.School, Parent: 1}, {Type: directory.School, Parent: 1},
		{ID: 3, Type: directory.Class, Parent: 2, Deleted: true},
	}
	early := directory.NewTree(list[:5])
	for how, tree := range map[string]*directory.Tree{"at once": directory.NewTree(list), "in two steps": early.With(list[5:])} {
		for id, want := range map[directory.EntityID][3]directory.EntityID{
			1: {1, 0, 0}, 2: {1, 2, 0}, 3: {1, 2, 3}, 10: {0, 10, 0}, 11: {0, 10, 11}, 12: {12, 0, 0}, 13: {0, 13, 0}, 14: {0, 0, 14},
			15: {15, 0, 0}, far: {1, 0, far}, -5: {}, 0: {}, 7: {}, 99: {}, far + 1: {},
		} {
			if got := [3]directory.EntityID{tree.Network(id), tree.School(id), tree.Class(id)}; got != want {
				t.Errorf("%s: network, school and class of %d = %v, want %v", how, id, got, want)
			}
			if e, ok := tree.Entity(id); ok != (want != [3]directory.EntityID{}) || ok && e.ID != id {
				t.Errorf("%s: Entity(%d) = %+v, %t", how, id, e, ok)
			}
		}
		for root, want := range map[directory.EntityID]struct{ visible, below []directory.EntityID }{
			1: {[]directory.EntityID{1, 2, far}, []directory.EntityID{1, 2, 3, far}}, 2: {[]directory.EntityID{2}, []directory.EntityID{2, 3}},
			3: {nil, []directory.EntityID{3}}, 10: {[]directory.EntityID{10, 11}, []directory.EntityID{10, 11}}, 99: {}, 0: {}, -5: {},
		} {
			scope := tree.Scope(root)
			if got := scope.Entities(); !slices.Equal(got, want.visible) {
				t.Errorf("%s: Scope(%d).Entities() = %v, want %v", how, root, got, want.visible)
			}
			for _, id := range []directory.EntityID{-5, 0, 1, 2, 3, 10, 11, 12, 14, 15, 99, far} {
				visible, below := slices.Contains(want.visible, id), slices.Contains(want.below, id)
				if scope.Entity(id) != visible || scope.Below(id) != below || scope.User(directory.Account{Entity: id}) != below {
					t.Errorf("%s: %d in Scope(%d): entity %t, below %t, want %t, %t", how, id, root, scope.Entity(id), scope.Below(id), visible, below)
				}
				if scope.User(directory.Account{Entity: id, Deleted: true}) {
					t.Errorf("%s: Scope(%d) shows a deleted user of %d", how, root, id)
				}
			}
		}
	}
	if early.Network(3) != 3 || early.School(12) != 0 || list[0].ID != 3 {
		t.Error("With changed the earlier tree, or NewTree changed its argument")
	}
}

// network returns the network of the spec, with the schools A and B and their classes. School C and its class were
// deleted.
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
		t.Errorf("School(8), Class(8) = %d, %d, want 4, 8: an account keeps its deleted school and class (S1)", s, c)
	}
	if s, c := tree.School(4), tree.Class(4); s != 4 || c != 0 {
		t.Errorf("School(4), Class(4) = %d, %d, want 4, 0", s, c)
	}
	if s, c := tree.School(1), tree.Class(1); s != 0 || c != 0 {
		t.Errorf("School(1), Class(1) = %d, %d, want 0, 0: a network is in no school or class", s, c)
	}
	scope := tree.Scope(1)
	if !scope.User(directory.Account{Entity: 8}) || scope.Entity(8) {
		t.Error("Scope(1): want the users of a deleted class visible, but not the class")
	}
}

func TestZero(t *testing.T) {
	var tree directory.Tree
	if _, ok := tree.Entity(1); ok || tree.School(1) != 0 || tree.Scope(1).Below(1) || tree.Scope(1).Entities() != nil {
		t.Error("the zero Tree has an entity")
	}
	var scope directory.Scope
	if scope.Entity(1) || scope.Below(1) || scope.User(directory.Account{Entity: 1}) || scope.Entities() != nil {
		t.Error("the zero Scope is not empty")
	}
	full := directory.NewTree(network()).Scope(0)
	if full.Below(0) || full.Below(1) || full.User(directory.Account{}) || full.Entities() != nil {
		t.Error("Scope(0) is not empty")
	}
}
