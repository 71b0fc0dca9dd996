package report

import (
	"slices"

	"github.com/lectern-dev/lectern/directory"
)

// Next begins the register of a later state: this one with the entities put in that have changed since, deleted ones
// included, and the degrees of the later state. The accounts that have changed are to be put in by [Register.Add], which
// replaces them. This register stays as it is, so that whoever reads it goes on.
//
// It copies what it holds of accounts, 16 bytes each, and of entities where one has changed.
func (r *Register) Next(entities []directory.Entity, degrees directory.Degrees) *Register {
	next := &Register{tree: r.tree, degrees: degrees, members: slices.Clone(r.members), bytes: r.bytes}
	if len(entities) > 0 {
		next.tree = r.tree.With(entities)
		next.weigh(entities)
		for _, e := range entities {
			if was, ok := r.tree.Entity(e.ID); ok {
				next.bytes -= weight(was)
			}
		}
	}
	return next
}

// weigh adds what entities hold to the bytes.
func (r *Register) weigh(entities []directory.Entity) {
	for _, e := range entities {
		r.bytes += weight(e)
	}
}

// weight is about the number of bytes that an entity holds.
func weight(e directory.Entity) int { return 200 + len(e.Name) + len(e.Ref) }
