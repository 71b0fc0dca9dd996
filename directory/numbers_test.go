package directory_test

import (
	"testing"

	"github.com/lectern-dev/lectern/directory"
)

// TestNumbers tests the stored numbers of the kinds, and the number of rows of a page (P8).
func TestNumbers(t *testing.T) {
	for kind, want := range map[directory.Kind]string{1: "reader", 2: "teacher", 3: "administrator", 4: "internal"} {
		if got, ok := directory.ParseKind(want); got != kind || !ok || kind.String() != want {
			t.Errorf("Kind(%d) has the name %v, and ParseKind(%s) = %d, %t", uint8(kind), kind, want, uint8(got), ok)
		}
	}
	if directory.Limit != 50 {
		t.Errorf("Limit = %d, want 50", directory.Limit)
	}
}

// TestParentIsFixed tests that a null parent counts as a change, even for an entity without a parent.
func TestParentIsFixed(t *testing.T) {
	null := directory.Field{Set: true, Null: true}
	for _, parent := range []directory.Ref{"", "p"} {
		was := directory.EntityRecord{Entity: directory.Entity{Ref: "a", Name: "A", Type: directory.Network}, ParentRef: parent}
		if _, faults := (directory.EntityInput{ParentReferenceID: null}).Apply(was, nil); len(faults) != 1 || faults[0].Field != "parent_reference_id" {
			t.Errorf("Apply of a null parent in place of %q = %v, want one error for parent_reference_id", parent, faults)
		}
	}
}

// TestLastOfTwo tests that the last of two entities with one number is kept, even if the numbers never descend.
func TestLastOfTwo(t *testing.T) {
	tree := directory.NewTree([]directory.Entity{{ID: 1, Name: "first"}, {ID: 1, Name: "last"}, {ID: 2, Name: "other"}})
	if e, ok := tree.Entity(1); e.Name != "last" || !ok {
		t.Errorf("Entity(1) = %+v, %t, want the last", e, ok)
	}
	if e, ok := tree.Entity(2); e.Name != "other" || !ok {
		t.Errorf("Entity(2) = %+v, %t, want the other", e, ok)
	}
}
