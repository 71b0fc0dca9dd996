package schools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Store keeps what the reports are computed from. Each method reads one state of a partner's data, the one that `at`
// names; when the data have moved on, it returns a *MovedError, and the report begins again with the state of now. So an
// answer never mixes two states, and no reader waits for a load.
type Store interface {
	// Register returns the accounts and entities.
	Register(ctx context.Context, partner directory.PartnerID, at Versions) (*Register, error)
	// Books returns the books.
	Books(ctx context.Context, partner directory.PartnerID, at Versions) (*Books, error)
	// Ledgers returns the ledgers of all users.
	Ledgers(ctx context.Context, partner directory.PartnerID, at Versions) (*Ledgers, error)
	// Attendance returns the users of every day with an access.
	Attendance(ctx context.Context, partner directory.PartnerID, at Versions) (*Attendance, error)
	// Minutes returns the minutes of every day of the period that has an access.
	Minutes(ctx context.Context, partner directory.PartnerID, at Versions, period calendar.Period) (MinutesByDay, error)
	// Records calls visit with the stored record of every key, in their order; data is valid until visit returns. The
	// keys ascend, and each record has a day in the period.
	Records(ctx context.Context, partner directory.PartnerID, at Versions, keys []RecordKey, period calendar.Period,
		visit func(k RecordKey, data []byte) error) error
	// People returns the names of the given accounts, by identifier.
	People(ctx context.Context, partner directory.PartnerID, at Versions, ids []directory.UserID) (map[directory.UserID]Person, error)
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

// MovedError says that a partner's data are now in another state than the one asked for.
type MovedError struct{ Now Versions }

func (e *MovedError) Error() string {
	return fmt.Sprintf("the data have moved on to version %d.%d", e.Now.Registers, e.Now.Facts)
}

// ErrBusy is returned when a partner's data moved on again and again while one answer was computed.
var ErrBusy = errors.New("the data kept changing while the answer was computed")

// Cache keeps what a state's answers are computed from, bounded in bytes. Load returns the value of a key, made by make
// when it is not there; calls for one key at once make it once. A failed make keeps nothing.
type Cache interface {
	Load(ctx context.Context, key CacheKey, make func(context.Context) (Cached, error)) (Cached, error)
}

// CacheKey begins with the tenant by type, so that no value can be served to another. At has the versions that the
// value depends on, and zeros in place of the others.
type CacheKey struct {
	Partner directory.PartnerID
	At      Versions
	What    string
}

// Cached is a value that knows about how many bytes it holds.
type Cached interface{ Bytes() int }

// attempts is how often a report begins again when loads overtake it.
const attempts = 5

// settled runs a report until it has read one state from beginning to end.
func settled[T any](a Access, report func(Access) (T, error)) (T, error) {
	for range attempts {
		v, err := report(a)
		var moved *MovedError
		if !errors.As(err, &moved) {
			return v, err
		}
		a.At = moved.Now
	}
	var none T
	return none, ErrBusy
}

// together runs functions at once and returns the first error in their order: after a restart a report reads several
// parts of the data, and none needs another. A panic goes on in the caller, where it can be recovered.
func together(fs ...func() error) error {
	errs, panics := make([]error, len(fs)), make([]any, len(fs))
	var wg sync.WaitGroup
	for i, f := range fs {
		wg.Go(func() {
			defer func() { panics[i] = recover() }()
			errs[i] = f()
		})
	}
	wg.Wait()
	if p := cmp.Or(panics...); p != nil {
		panic(p)
	}
	return cmp.Or(errs...)
}

// cached returns the value of a key from the reports' cache.
func cached[T Cached](ctx context.Context, r *Reports, key CacheKey, load func(context.Context) (T, error)) (T, error) {
	if r.Cache == nil {
		return load(ctx)
	}
	v, err := r.Cache.Load(ctx, key, func(ctx context.Context) (Cached, error) { return load(ctx) })
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}
