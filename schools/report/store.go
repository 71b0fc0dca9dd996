package report

import (
	"context"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/schools"
)

// Store keeps what the reports are computed from. Each method reads one state of a partner's data, the one that `at` names,
// whatever was loaded or written since: so an answer never mixes two states, and no reader waits for a writer (G8).
type Store interface {
	// Blocks are the folded facts.
	state.Blocks
	// Register returns the accounts and entities.
	Register(ctx context.Context, partner directory.PartnerID, at state.Versions) (*Register, error)
	// Written returns the accounts that were written after one version of the registers and up to another, ascending.
	Written(ctx context.Context, partner directory.PartnerID, after, at int64) ([]directory.UserID, error)
	// Books returns the books.
	Books(ctx context.Context, partner directory.PartnerID, at state.Versions) (*schools.Books, error)
	// ReplacedBooks returns the books that loads have replaced, some perhaps twice.
	ReplacedBooks(ctx context.Context, partner directory.PartnerID, loads state.Span) ([]int64, error)
	// People returns the names of the given accounts, which ascend, in their order, and whether the number of erasures may be another
	// one now than that of the access.
	People(ctx context.Context, a Access, ids []directory.UserID) (people []Person, erased bool, err error)
}

// Person is the personal part of an account. Empty texts are null.
type Person struct{ Name, Email string }
