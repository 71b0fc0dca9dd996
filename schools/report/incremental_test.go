package report_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/report"
)

// snapshotStore is a report.Store with several snapshots. Each one wrote accounts, and loaded events and books.
type snapshotStore struct {
	store
	snapshots []step
}

// step is a snapshot, and what changed from the one before.
type step struct {
	at       snapshot.Versions
	accounts *report.Accounts
	books    *schools.Books
	people   map[directory.UserID]report.Person
	written  []directory.UserID
	replaced []int64
}

func (l *snapshotStore) Scan(ctx context.Context, _ auth.Tenant, at int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return l.Store.Scan(ctx, l.tenant, at, k, r, visit)
}

func (l *snapshotStore) Replaced(ctx context.Context, _ auth.Tenant, k snapshot.Kind, loads snapshot.Span, visit func(snapshot.BlockKey) error) error {
	return l.Store.Replaced(ctx, l.tenant, k, loads, visit)
}

func (l *snapshotStore) of(wanted func(snapshot.Versions) bool) step {
	return l.snapshots[slices.IndexFunc(l.snapshots, func(s step) bool { return wanted(s.at) })]
}

func (l *snapshotStore) Accounts(_ context.Context, _ directory.PartnerID, at snapshot.Versions) (*report.Accounts, error) {
	return l.of(func(v snapshot.Versions) bool { return v.Registers == at.Registers }).accounts, nil
}

func (l *snapshotStore) People(_ context.Context, a report.Access, ids []directory.UserID) (people []report.Person, erased bool, err error) {
	all := l.of(func(v snapshot.Versions) bool { return v.Registers == a.At.Registers }).people
	for _, id := range ids {
		people = append(people, all[id])
	}
	return people, false, nil
}

func (l *snapshotStore) Books(_ context.Context, _ directory.PartnerID, at snapshot.Versions) (*schools.Books, error) {
	return l.of(func(v snapshot.Versions) bool { return v.Facts == at.Facts }).books, nil
}

func (l *snapshotStore) Written(_ context.Context, _ directory.PartnerID, after, at int64) (ids []directory.UserID, _ error) {
	for _, s := range l.snapshots {
		if s.at.Registers > after && s.at.Registers <= at {
			ids = append(ids, s.written...)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func (l *snapshotStore) ReplacedBooks(_ context.Context, _ directory.PartnerID, loads snapshot.Span) (ids []int64, _ error) {
	for _, s := range l.snapshots {
		if loads.Contains(s.at.Facts) {
			ids = append(ids, s.replaced...)
		}
	}
	return ids, nil
}

// replacing is a snapshotStore whose loads replaced a given number of records.
type replacing struct {
	*snapshotStore
	records int
}

func (r replacing) Replaced(_ context.Context, _ auth.Tenant, _ snapshot.Kind, _ snapshot.Span, visit func(snapshot.BlockKey) error) error {
	for n := range r.records {
		if err := visit(snapshot.BlockKey{A: 1, B: int64(n)}); err != nil {
			return err
		}
	}
	return nil
}

// newSnapshotStore makes two snapshots of the small network. In the second, user 2 moves from school 3 to class 4 of school 2.
// User 1 reads book 10 on March 1, and book 9 gets another title.
func newSnapshotStore(t *testing.T) *snapshotStore {
	t.Helper()
	l := &snapshotStore{store: *newSmallStore(t)}
	first := step{at: snapshot.Versions{Registers: 1, Facts: l.at}, accounts: l.accounts, books: l.books}
	first.people = map[directory.UserID]report.Person{1: {Name: "A"}, 2: {Name: "B"}, 3: {Name: "C"}}
	next := step{at: snapshot.Versions{Registers: 2}, accounts: l.accounts.Next(nil, nil), books: schools.NewBooks(2), people: first.people}
	next.accounts.Add(2, directory.Reader, 4, true, false)
	next.books.Add(schools.Book{ID: 9, Title: "Iracema, lenda do Ceará", Length: 100})
	next.books.Add(schools.Book{ID: 10, Length: 100})
	next.written, next.replaced = []directory.UserID{2}, []int64{9}
	l.load(t, []schools.Event{read(10, 1, 1, 10, 0, 10)})
	next.at.Facts = l.at
	l.snapshots = []step{first, next}
	return l
}

// TestSince tests the rows of incremental pulls. Removed rows have a minus (H14).
func TestSince(t *testing.T) {
	l := newSnapshotStore(t)
	march, april := calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}, calendar.Period{Start: calendar.MustParse("2026-04-01"), End: calendar.MustParse("2026-04-30")}
	both := calendar.Period{Start: march.Start, End: april.End}
	school := func(id directory.EntityID) report.Filter { return report.Filter{SchoolID: &id} }
	for _, test := range []struct {
		rule                         string
		was, now                     calendar.Period
		filter                       report.Filter
		since                        int
		users, engagements, readings string
	}{
		{"nothing has changed", both, both, report.Filter{}, 1, "", "", ""},
		{"accounts written and books read", both, both, report.Filter{}, 0, "2", "0301 1", "1 9, 1 10, 2 9"},
		{"users who left a school", both, both, school(3), 0, "-2", "-0302 2, -0402 2", "-2 9, -2 10"},
		{"users who joined a school", both, both, school(2), 0, "2", "0301 1, 0302 2, 0402 2", "1 9, 1 10, 2 9, 2 10"},
		{"a user who has not changed", both, both, report.Filter{UserID: new(directory.UserID(3))}, 0, "", "", ""},
		{"only other days", march, april, report.Filter{}, 1, "", "-0301 1, -0302 2, -0302 3, 0401 1, 0402 2", "1 9, -1 10, -2 9, 2 10"},
		{"more days", march, both, report.Filter{}, 1, "", "0401 1, 0402 2", "1 9, 2 10"},
		{"fewer days", both, april, report.Filter{}, 1, "", "-0301 1, -0302 2, -0302 3", "1 9, -1 10, -2 9, 2 10"},
	} {
		for _, cache := range []snapshot.Cache{nil, &mapCache{}} {
			r, a := &report.Reports{Store: l, Cache: cache}, report.Access{Network: 1, At: l.snapshots[1].at}
			q := report.Pull{Since: l.snapshots[test.since].at, Was: test.was, Period: test.now, Filter: test.filter}
			checkSince(t, test.rule+", users", test.users, func(u report.User) string { return fmt.Sprint(u.ID) }, func(p paging.Page) (paging.List[report.User], error) {
				return r.UsersSince(t.Context(), a, q, p)
			})
			checkSince(t, test.rule+", engagements", test.engagements, func(e report.Engagement) string { return fmt.Sprintf("%s %d", monthDay(e.Date), e.UserID) },
				func(p paging.Page) (paging.List[report.Engagement], error) {
					return r.EngagementsSince(t.Context(), a, q, p)
				})
			checkSince(t, test.rule+", readings", test.readings, func(x report.Reading) string { return fmt.Sprintf("%d %d", x.UserID, x.Book.ID) },
				func(p paging.Page) (paging.List[report.Reading], error) { return r.ReadingsSince(t.Context(), a, q, p) })
		}
	}
}

// checkSince checks an incremental pull as a whole and by pages of one row.
func checkSince[T any](t *testing.T, what, want string, text func(T) string, page func(paging.Page) (paging.List[T], error)) {
	t.Helper()
	for _, size := range []int{1, 100} {
		var got []string
		for number := 1; ; number++ {
			list, err := page(paging.Page{Number: number, Size: size})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for i, row := range list.Rows {
				got = append(got, map[bool]string{true: "-"}[list.Removed[i]]+text(row))
			}
			if int64(number*size) >= list.Total {
				break
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s, in pages of %d = %s, want %s", what, size, strings.Join(got, ", "), want)
		}
	}
}

// TestSinceManyRecords tests that a pull is refused if more than two million records were replaced.
func TestSinceManyRecords(t *testing.T) {
	l := newSnapshotStore(t)
	for records, want := range map[int]error{2_000_000: nil, 2_000_001: incremental.ErrMany} {
		r, period := &report.Reports{Store: replacing{l, records}}, calendar.Period{Start: firstDay, End: firstDay}
		q := report.Pull{Since: l.snapshots[0].at, Was: period, Period: period}
		if _, err := r.ReadingsSince(t.Context(), report.Access{Network: 1, At: l.snapshots[1].at}, q, paging.Page{Number: 1, Size: 1}); !errors.Is(err, want) {
			t.Errorf("ReadingsSince after %d replaced records = %v, want %v", records, err, want)
		}
	}
}

// TestSinceOfDamagedData tests that a corrupt day is an error that names the day.
func TestSinceOfDamagedData(t *testing.T) {
	l := newSnapshotStore(t)
	day := calendar.MustParse("2026-03-02")
	key := snapshot.BlockKey{A: int64(day)}
	l.harm(t, facts.DayKind, key, snapshot.Block{BlockKey: key, Data: []byte{200, 1, 2}})
	now := l.snapshots[1]
	now.at.Facts = l.at
	l.snapshots = append(l.snapshots, now)
	q := report.Pull{Since: l.snapshots[1].at, Was: calendar.Period{Start: day, End: day}, Period: calendar.Period{Start: day, End: day}}
	_, err := (&report.Reports{Store: l}).EngagementsSince(t.Context(), report.Access{Network: 1, At: now.at}, q, everyRow)
	if !errors.Is(err, packed.ErrCorrupt) || !strings.Contains(err.Error(), day.String()) {
		t.Errorf("EngagementsSince = %v, want ErrCorrupt that names the day %s", err, day)
	}
}
