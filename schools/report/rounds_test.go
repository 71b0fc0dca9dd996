package report_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/server/database"
)

// line is a report.Store with states one after the other: a write of the register and a load of events and books each.
type line struct {
	shelf
	states []step
}

// step is a state, and what has led to it from the one before.
type step struct {
	at       snapshot.Versions
	register *report.Accounts
	books    *schools.Books
	people   map[directory.UserID]report.Person
	written  []directory.UserID
	replaced []int64
	events   []schools.Event
}

func (l *line) Scan(ctx context.Context, _ auth.Tenant, at int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return l.Store.Scan(ctx, l.tenant, at, k, r, visit)
}

func (l *line) Replaced(ctx context.Context, _ auth.Tenant, k snapshot.Kind, loads snapshot.Span, visit func(snapshot.BlockKey) error) error {
	return l.Store.Replaced(ctx, l.tenant, k, loads, visit)
}

func (l *line) of(wanted func(snapshot.Versions) bool) step {
	return l.states[slices.IndexFunc(l.states, func(s step) bool { return wanted(s.at) })]
}

func (l *line) Accounts(_ context.Context, _ directory.PartnerID, at snapshot.Versions) (*report.Accounts, error) {
	return l.of(func(v snapshot.Versions) bool { return v.Registers == at.Registers }).register, nil
}

func (l *line) People(_ context.Context, a report.Access, ids []directory.UserID) (people []report.Person, erased bool, err error) {
	all := l.of(func(v snapshot.Versions) bool { return v.Registers == a.At.Registers }).people
	for _, id := range ids {
		people = append(people, all[id])
	}
	return people, false, nil
}

func (l *line) Books(_ context.Context, _ directory.PartnerID, at snapshot.Versions) (*schools.Books, error) {
	return l.of(func(v snapshot.Versions) bool { return v.Facts == at.Facts }).books, nil
}

func (l *line) Written(_ context.Context, _ directory.PartnerID, after, at int64) (ids []directory.UserID, _ error) {
	for _, s := range l.states {
		if s.at.Registers > after && s.at.Registers <= at {
			ids = append(ids, s.written...)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func (l *line) ReplacedBooks(_ context.Context, _ directory.PartnerID, loads snapshot.Span) (ids []int64, _ error) {
	for _, s := range l.states {
		if loads.Contains(s.at.Facts) {
			ids = append(ids, s.replaced...)
		}
	}
	return ids, nil
}

// newLine makes four states by random steps: accounts move or are written anew as they are, a school is renamed, some users read, a
// book is given another title.
func newLine(t *testing.T, db *database.DB, r *rand.Rand) *line {
	t.Helper()
	l := &line{shelf: shelf{blocks: newBlocks(t, db)}}
	s := step{register: newRegister(), books: schools.NewBooks(4), people: map[directory.UserID]report.Person{}}
	for book := range int64(4) {
		s.books.Add(schools.Book{ID: book, Title: fmt.Sprint("Livro ", book), Length: 10 + 10*book})
	}
	for n := range 4 {
		s.at.Registers++
		s.written, s.replaced, s.events = nil, nil, nil
		if n > 0 {
			l.write(r, n, &s)
		}
		events := 90
		if n > 0 {
			events = 5
		}
		for i := range events {
			// most are of few days, and later loads of few users: of a user, a day or a record nothing changes, or all that there is
			e := schools.Event{ID: schools.EventID{Hash: uint64(n*1000 + i)}, User: directory.UserID(1 + r.IntN(12)), Day: firstDay + calendar.Date(r.IntN(40))}
			if n > 0 || i%2 == 0 {
				e.Day = firstDay + 36 + calendar.Date(r.IntN(4))
			}
			if n > 0 {
				e.User = []directory.UserID{1, 2, 5}[r.IntN(3)]
			} else if e.User == 5 {
				continue // reads nothing before
			}
			if e.Effect = schools.Effect(r.IntN(3)); e.Effect == schools.EffectiveReading {
				e.Book, e.At, e.MS = r.Int64N(4), r.Int32N(86400), 6000+r.Int64N(90_000)
				e.Extent.From = r.Int64N(50)
				e.Extent.To = e.Extent.From + r.Int64N(9)
			}
			s.events = append(s.events, e)
		}
		l.load(t, s.events)
		s.at.Facts = l.at
		l.states = append(l.states, s)
	}
	return l
}

// write writes to the register and the books.
func (l *line) write(r *rand.Rand, n int, s *step) {
	var entities []directory.Entity
	if n == 1 {
		entities = []directory.Entity{{ID: 3, Ref: "e3", Type: directory.Class, Name: "Unidade 3", Degree: "7", Parent: 1}}
	}
	if n == 2 {
		entities = []directory.Entity{{ID: 2, Ref: "e2", Type: directory.School, Name: "Outro nome", Degree: "F", Parent: 1}}
	}
	s.register = s.register.Next(entities, directory.DefaultDegrees())
	people := map[directory.UserID]report.Person{}
	for id, p := range s.people {
		people[id] = p
	}
	for range 1 + r.IntN(3) {
		id := 1 + r.IntN(len(members)-1)
		m := members[id]
		if r.IntN(3) > 0 {
			m.entity = []directory.EntityID{1, 3, 5, 6, 8, 9}[r.IntN(6)]
		}
		s.register.Add(directory.UserID(id), m.kind, m.entity, m.active, m.deleted)
		people[directory.UserID(id)] = report.Person{Name: fmt.Sprint("Nome ", r.IntN(2))}
		s.written = append(s.written, directory.UserID(id))
	}
	s.people = people
	if n == 3 {
		books := schools.NewBooks(4)
		for id := range int64(4) {
			books.Add(*s.books.Book(id))
		}
		books.Add(schools.Book{ID: 1, Title: "Outro título", Length: 25})
		s.books, s.replaced = books, []int64{1}
	}
}

// brought brings a copy of the rows of one state to another by the pages of a round, and returns the rows that the round lists though
// they stand in the copy as they are.
func brought[T any](t *testing.T, copied, want []T, key func(T) [2]int64, same func(x, y T) bool, size int,
	since func(paging.Page) (paging.List[T], error)) (idle []T) {
	t.Helper()
	have := map[[2]int64]T{}
	for _, row := range copied {
		have[key(row)] = row
	}
	for page := (paging.Page{Number: 1, Size: size}); ; page.Number++ {
		list, err := since(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range list.Rows {
			was, had := have[key(row)]
			switch {
			case list.Removed[i] && !had:
				t.Fatalf("%v is removed that was not there", row)
			case list.Removed[i]:
				delete(have, key(row))
				continue
			case had && same(was, row):
				idle = append(idle, row)
			}
			have[key(row)] = row
		}
		if int64(page.Number*size) >= list.Total {
			break
		}
	}
	for _, row := range want {
		if got, ok := have[key(row)]; !ok || !same(got, row) {
			t.Fatalf("the copy has %+v, want %+v", got, row)
		}
	}
	if len(have) != len(want) {
		t.Fatalf("the copy has %d rows, want %d", len(have), len(want))
	}
	return idle
}

// TestRounds: a copy of a list of one state to which a round is applied is the list of a later one, for each selection. Nothing is
// listed for nothing, but accounts that were written, and what was read of books or by records that were replaced, or on days that
// one of the two periods alone has (H14).
func TestRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	whole := paging.Page{Number: 1, Size: 10_000}
	period := func() calendar.Period {
		start := firstDay + 35 + calendar.Date(r.IntN(4))
		return calendar.Period{Start: start, End: start + calendar.Date(r.IntN(4))}
	}
	db := newDB(t)
	for range 20 {
		l := newLine(t, db, r)
		for _, cache := range []snapshot.Cache{nil, &memo{}} {
			sel := selections[max(0, r.IntN(2*len(selections))-len(selections))]
			q := report.Pull{Was: period(), Filter: sel.filter}
			if q.Period = q.Was; r.IntN(2) == 0 {
				q.Period = period()
			}
			from := r.IntN(len(l.states))
			between := l.states[from : from+1+r.IntN(len(l.states)-from)]
			q.Since = between[0].at
			was, now := report.Access{Network: sel.network, At: q.Since}, report.Access{Network: sel.network, At: between[len(between)-1].at}
			c := comparison{t: t, r: &report.Reports{Store: l, Cache: cache}, q: q, was: was, now: now, between: between[1:], size: 1 + r.IntN(9), whole: whole}
			c.users()
			c.engagements()
			c.readings()
		}
	}
}

// comparison is of the lists of two states.
type comparison struct {
	t        *testing.T
	r        *report.Reports
	q        report.Pull
	was, now report.Access
	between  []step // what has led from one to the other
	size     int
	whole    paging.Page
}

func (c *comparison) check(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *comparison) users() {
	c.t.Helper()
	was, err := c.r.Users(c.t.Context(), c.was, c.q.Filter, c.whole)
	c.check(err)
	now, err := c.r.Users(c.t.Context(), c.now, c.q.Filter, c.whole)
	c.check(err)
	unit := func(x, y *report.Unit) bool { return x == y || x != nil && y != nil && *x == *y }
	idle := brought(c.t, was.Rows, now.Rows, func(u report.User) [2]int64 { return [2]int64{int64(u.ID)} }, func(x, y report.User) bool {
		units := unit(x.School, y.School) && unit(x.Class, y.Class)
		x.School, x.Class, y.School, y.Class = nil, nil, nil, nil
		return units && x == y
	}, c.size, func(p paging.Page) (paging.List[report.User], error) {
		return c.r.UsersSince(c.t.Context(), c.now, c.q, p)
	})
	for _, u := range idle {
		if !slices.ContainsFunc(c.between, func(s step) bool { return slices.Contains(s.written, u.ID) }) {
			c.t.Errorf("%+v is as it was and was not written", u)
		}
	}
}

func (c *comparison) engagements() {
	c.t.Helper()
	was, err := c.r.Engagements(c.t.Context(), c.was, c.q.Was, c.q.Filter, c.whole)
	c.check(err)
	now, err := c.r.Engagements(c.t.Context(), c.now, c.q.Period, c.q.Filter, c.whole)
	c.check(err)
	idle := brought(c.t, was.Rows, now.Rows, func(e report.Engagement) [2]int64 { return [2]int64{int64(e.Date), int64(e.UserID)} },
		func(x, y report.Engagement) bool { return x == y }, c.size, func(p paging.Page) (paging.List[report.Engagement], error) {
			return c.r.EngagementsSince(c.t.Context(), c.now, c.q, p)
		})
	if len(idle) > 0 {
		c.t.Errorf("%v are as they were", idle)
	}
}

func (c *comparison) readings() {
	c.t.Helper()
	was, err := c.r.Readings(c.t.Context(), c.was, c.q.Was, c.q.Filter, c.whole)
	c.check(err)
	now, err := c.r.Readings(c.t.Context(), c.now, c.q.Period, c.q.Filter, c.whole)
	c.check(err)
	idle := brought(c.t, was.Rows, now.Rows, func(x report.Reading) [2]int64 { return [2]int64{int64(x.UserID), x.Book.ID} }, func(x, y report.Reading) bool {
		return *x.Book == *y.Book && x.Percent == y.Percent && x.Minutes == y.Minutes && x.Finished == y.Finished && x.First.Equal(y.First) && x.Last.Equal(y.Last)
	}, c.size, func(p paging.Page) (paging.List[report.Reading], error) {
		return c.r.ReadingsSince(c.t.Context(), c.now, c.q, p)
	})
	for _, x := range idle {
		if !c.mayDiffer(x) {
			c.t.Errorf("%v of book %d is as it was: %v, was %v", x, x.Book.ID, c.q.Period, c.q.Was)
		}
	}
}

// mayDiffer reports whether a row may be listed as it was. What a user reads of a book on a day changes the shares of the day's others.
func (c *comparison) mayDiffer(x report.Reading) bool {
	reads := func(e schools.Event) bool { return e.User == x.UserID && e.Effect == schools.EffectiveReading }
	for _, s := range c.between {
		if slices.Contains(s.replaced, x.Book.ID) || slices.ContainsFunc(s.events, reads) {
			return true
		}
	}
	for _, s := range c.r.Store.(*line).states {
		apart := func(e schools.Event) bool {
			return reads(e) && e.Book == x.Book.ID && c.q.Was.Contains(e.Day) != c.q.Period.Contains(e.Day)
		}
		if s.at.Facts <= c.now.At.Facts && slices.ContainsFunc(s.events, apart) {
			return true
		}
	}
	return false
}

// replacing is a line whose loads have replaced so many records.
type replacing struct {
	*line
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

// TestRoundOfMany is refused above two million records that were replaced.
func TestRoundOfMany(t *testing.T) {
	l := newLine(t, newDB(t), rand.New(rand.NewPCG(11, 12)))
	for records, want := range map[int]error{2_000_000: nil, 2_000_001: round.ErrMany} {
		r := &report.Reports{Store: replacing{l, records}}
		access := report.Access{Network: 1, At: l.states[1].at}
		period := calendar.Period{Start: firstDay, End: firstDay}
		q := report.Pull{Since: l.states[0].at, Was: period, Period: period}
		if _, err := r.ReadingsSince(t.Context(), access, q, paging.Page{Number: 1, Size: 1}); !errors.Is(err, want) {
			t.Errorf("%d records replaced: %v, want %v", records, err, want)
		}
	}
}

// TestRoundOfDamagedData: a day of another form is told.
func TestRoundOfDamagedData(t *testing.T) {
	l := newLine(t, newDB(t), rand.New(rand.NewPCG(13, 14)))
	last := l.states[len(l.states)-1]
	day := last.events[0].Day
	key := snapshot.BlockKey{A: int64(day)}
	l.harm(t, facts.DayKind, key, snapshot.Block{BlockKey: key, Data: []byte{200, 1, 2}})
	now := last
	now.at.Facts = l.at
	l.states = append(l.states, now)
	period := calendar.Period{Start: day, End: day}
	_, err := (&report.Reports{Store: l}).EngagementsSince(t.Context(), report.Access{Network: 1, At: now.at},
		report.Pull{Since: last.at, Was: period, Period: period}, paging.Page{Number: 1, Size: 10})
	if !errors.Is(err, packed.ErrCorrupt) || !strings.Contains(err.Error(), day.String()) {
		t.Errorf("EngagementsSince = %v, want the day %s", err, day)
	}
}
