package directory

// Scope is what a teacher sees who is allocated to an entity: that entity, all entities below it, and the users
// attached to them (P9). The zero Scope shows nothing.
type Scope struct {
	tree *Tree
	root int32 // index in the tree, or none
}

// Scope returns the scope of an entity. The scope of an unknown entity shows nothing.
func (t *Tree) Scope(root EntityID) Scope { return Scope{t, t.place(root)} }

// Entity reports whether an entity is visible: it is live, and is the scope's root or below it.
func (s Scope) Entity(id EntityID) bool {
	return s.Below(id) && !s.tree.entities[s.tree.place(id)].Deleted
}

// User reports whether an account is visible: it is not deleted, and is attached to the scope's root or to an entity
// below it, which may be deleted (P6, S1). Kind and Active do not matter.
func (s Scope) User(a Account) bool { return !a.Deleted && s.Below(a.Entity) }

// Below reports whether an entity is the scope's root or below it, deleted or not. The schools reports count the users
// attached to such entities (S1).
func (s Scope) Below(id EntityID) bool {
	if s.tree == nil || s.root == none {
		return false
	}
	i := s.tree.place(id)
	for i != none && i != s.root {
		i = s.tree.up[i]
	}
	return i == s.root
}

// Entities returns the visible entities in the order of their numbers, which is that of their creation (P8).
func (s Scope) Entities() []EntityID {
	if s.tree == nil {
		return nil
	}
	var ids []EntityID
	for i := range s.tree.entities {
		if id := s.tree.entities[i].ID; s.Entity(id) {
			ids = append(ids, id)
		}
	}
	return ids
}
