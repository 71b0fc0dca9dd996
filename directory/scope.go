package directory

// Scope is what a teacher sees who is allocated to an entity: that entity, every entity below it, and the users in them
// (P9). The zero Scope shows nothing.
type Scope struct {
	tree *Tree
	root int32 // its place in the tree; none = shows nothing
}

// Scope returns the scope of an entity. That of an entity that is not there, or of 0, shows nothing.
func (t *Tree) Scope(root EntityID) Scope { return Scope{t, t.place(root)} }

// Entity reports whether the entity is visible: it is live, and is the scope's root or lies below it.
func (s Scope) Entity(id EntityID) bool {
	if !s.Below(id) {
		return false
	}
	e, _ := s.tree.Entity(id)
	return !e.Deleted
}

// User reports whether the account is visible: it has not left the directory, and is attached to the scope's root or to
// an entity below it, which may have been deleted since (P6, S1). Kind and activity do not matter.
func (s Scope) User(a Account) bool { return !a.Deleted && s.Below(a.Entity) }

// Below reports whether an entity is the scope's root or lies below it, deleted or not: where the users stand that the
// schools reports count (S1).
func (s Scope) Below(id EntityID) bool {
	return s.tree != nil && s.root != none && s.tree.climbs(id, s.root)
}

// Entities returns the visible entities, ascending, which is the order of creation (P8).
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
