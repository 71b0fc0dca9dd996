package directory

import (
	"cmp"
	"slices"
)

// Tree is the hierarchy of a partner's entities. It does not change, and is safe for concurrent use. The zero Tree is
// empty.
//
// A parent counts only if it is of a higher level than its child, so that no data can cause a loop. An entity without
// such a parent is a root.
type Tree struct {
	entities []Entity // by ID
	up       []int32  // index of each entity's parent in entities, or none
}

// none is the index of an entity that does not exist.
const none int32 = -1

// NewTree returns the tree of a partner's entities, in any order, deleted ones included (S1). It does not keep the
// slice. If several have one ID, the last counts.
func NewTree(entities []Entity) *Tree { return newTree(slices.Clone(entities)) }

// With returns the tree with entities added or replaced. It does not change t.
func (t *Tree) With(entities []Entity) *Tree { return newTree(slices.Concat(t.entities, entities)) }

// newTree sorts the slice, and keeps it.
func newTree(entities []Entity) *Tree {
	slices.SortStableFunc(entities, func(a, b Entity) int { return cmp.Compare(a.ID, b.ID) })
	last := entities[:0] // of each ID
	for i, e := range entities {
		if i+1 == len(entities) || entities[i+1].ID != e.ID {
			last = append(last, e)
		}
	}
	t := &Tree{entities: last, up: make([]int32, len(last))}
	for i, e := range last {
		t.up[i] = none
		if p := t.place(e.Parent); p != none && t.entities[p].Type < e.Type {
			t.up[i] = p
		}
	}
	return t
}

// place returns the index of an entity in t.entities, or none.
func (t *Tree) place(id EntityID) int32 {
	if id < 1 {
		return none
	}
	// Numbers are counted up from 1: nearly always the n-th entity has the number n.
	if n := int64(id) - 1; n < int64(len(t.entities)) && t.entities[n].ID == id {
		return int32(n)
	}
	i, ok := slices.BinarySearchFunc(t.entities, id, func(e Entity, id EntityID) int { return cmp.Compare(e.ID, id) })
	if !ok {
		return none
	}
	return int32(i)
}

// Entity returns the entity of a number, deleted or not, and whether there is one.
func (t *Tree) Entity(id EntityID) (Entity, bool) {
	i := t.place(id)
	if i == none {
		return Entity{}, false
	}
	return t.entities[i], true
}

// Network returns the network at or above an entity, or 0.
func (t *Tree) Network(id EntityID) EntityID { return t.above(id, Network) }

// School returns the school at or above an entity, or 0 (S1).
func (t *Tree) School(id EntityID) EntityID { return t.above(id, School) }

// Class returns the entity itself if it is a class, or 0.
func (t *Tree) Class(id EntityID) EntityID { return t.above(id, Class) }

// above returns the entity of a type at or above an entity, or 0.
func (t *Tree) above(id EntityID, want EntityType) EntityID {
	for i := t.place(id); i != none; i = t.up[i] {
		if e := &t.entities[i]; e.Type == want {
			return e.ID
		}
	}
	return 0
}
