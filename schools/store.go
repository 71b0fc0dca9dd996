package schools

import (
	"context"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Store keeps what the reports are computed from. Each method reads one state of a partner's data, the one that `at`
// names; when the data have moved on, it returns a *state.MovedError, and the report begins again with the state of now.
// So an answer never mixes two states, and no reader waits for a load.
type Store interface {
	// Register returns the accounts and entities.
	Register(ctx context.Context, partner directory.PartnerID, at state.Versions) (*Register, error)
	// Books returns the books.
	Books(ctx context.Context, partner directory.PartnerID, at state.Versions) (*Books, error)
	// Ledgers returns the ledgers of all users.
	Ledgers(ctx context.Context, partner directory.PartnerID, at state.Versions) (*Ledgers, error)
	// Attendance returns the users of every day with an access.
	Attendance(ctx context.Context, partner directory.PartnerID, at state.Versions) (*Attendance, error)
	// Minutes returns the minutes of every day of the period that has an access.
	Minutes(ctx context.Context, partner directory.PartnerID, at state.Versions, period calendar.Period) (MinutesByDay, error)
	// Records calls visit with the stored record of every key, in their order; data is valid until visit returns. The
	// keys ascend, and each record has a day in the period.
	Records(ctx context.Context, partner directory.PartnerID, at state.Versions, keys []RecordKey, period calendar.Period,
		visit func(k RecordKey, data []byte) error) error
	// People returns the names of the given accounts, by identifier.
	People(ctx context.Context, partner directory.PartnerID, at state.Versions, ids []directory.UserID) (map[directory.UserID]Person, error)
}

// RecordKey names one record: what a user read of a book.
type RecordKey struct {
	User directory.UserID
	Book int64
}

// Compare orders keys by user, then by book: the order of readings.
func (k RecordKey) Compare(l RecordKey) int {
	if k.User != l.User {
		return compare(int64(k.User), int64(l.User))
	}
	return compare(k.Book, l.Book)
}

// Person is the personal part of an account. Empty texts are null.
type Person struct{ Name, Email string }

// settled runs a report until it has read one state of the access's data from beginning to end.
func settled[T any](a Access, report func(Access) (T, error)) (T, error) {
	return state.Settled(a.At, func(at state.Versions) (T, error) {
		a.At = at
		return report(a)
	})
}

// key, registers and facts name values that depend on both versions, and on one of them.
func (a Access) key(what string) state.Key {
	return state.Key{Tenant: state.Tenant(a.Partner), At: a.At, What: what}
}

func (a Access) registers(what string) state.Key {
	return state.Key{Tenant: state.Tenant(a.Partner), At: state.Versions{Registers: a.At.Registers}, What: what}
}

func (a Access) facts(what string) state.Key {
	return state.Key{Tenant: state.Tenant(a.Partner), At: state.Versions{Facts: a.At.Facts}, What: what}
}
