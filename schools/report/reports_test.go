package report_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/report"
)

// shelf is a report.Store of one partner, at the state of now whatever an access names.
type shelf struct {
	*blocks
	register *report.Accounts
	books    *schools.Books
}

func (s *shelf) Scan(ctx context.Context, _ auth.Tenant, _ int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return s.Store.Scan(ctx, s.tenant, s.at, k, r, visit)
}

func (s *shelf) Accounts(context.Context, directory.PartnerID, snapshot.Versions) (*report.Accounts, error) {
	return s.register, nil
}

func (s *shelf) Written(context.Context, directory.PartnerID, int64, int64) ([]directory.UserID, error) {
	return nil, nil
}

func (s *shelf) ReplacedBooks(context.Context, directory.PartnerID, snapshot.Span) ([]int64, error) {
	return nil, nil
}

func (s *shelf) Books(context.Context, directory.PartnerID, snapshot.Versions) (*schools.Books, error) {
	return s.books, nil
}

func (s *shelf) People(_ context.Context, _ report.Access, ids []directory.UserID) (people []report.Person, erased bool, err error) {
	if len(ids) == 0 {
		return nil, false, errors.New("nobody is asked for")
	}
	for _, id := range ids {
		people = append(people, report.Person{Name: fmt.Sprint("Nome ", id), Email: fmt.Sprint(id, "@example.com")})
	}
	return people, false, nil
}

// memo is a snapshot.Cache that keeps all.
type memo struct {
	mu   sync.Mutex
	kept map[snapshot.Key]snapshot.Value
}

func (m *memo) Load(ctx context.Context, key snapshot.Key, load func(context.Context) (snapshot.Value, error)) (snapshot.Value, error) {
	m.mu.Lock()
	v, ok := m.kept[key]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := load(ctx)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.kept == nil {
			m.kept = map[snapshot.Key]snapshot.Value{}
		}
		m.kept[key] = v
	}
	return v, err
}

// member is an account of the tests' partner.
type member struct {
	kind    directory.Kind
	entity  directory.EntityID
	active  bool
	deleted bool
}

// members are the accounts by number; number 0 is none.
var members = []member{
	1:  {kind: directory.Reader, entity: 3, active: true},
	2:  {kind: directory.Teacher, entity: 2, active: true},
	3:  {kind: directory.Administrator, entity: 2, active: true},
	4:  {kind: directory.Internal, entity: 3, active: true},
	5:  {kind: directory.Reader, entity: 1, active: true},
	6:  {kind: directory.Reader, entity: 8, active: true},
	7:  {kind: directory.Teacher, entity: 5, active: true},
	8:  {kind: directory.Reader, entity: 10},
	9:  {kind: directory.Teacher, entity: 4, active: true, deleted: true},
	10: {kind: directory.Reader, active: true},
	11: {kind: directory.Teacher, entity: 6, active: true},
	12: {kind: directory.Reader, entity: 4},
}

// newRegister is the partner with two networks, 1 and 6: in the first the schools 2, with the classes 3 and 4, 5, and 9, which
// is deleted with its class 10; in the second the school 7 with the class 8.
func newRegister() *report.Accounts {
	entity := func(id directory.EntityID, t directory.EntityType, parent directory.EntityID, degree string, deleted bool) directory.Entity {
		return directory.Entity{ID: id, Ref: directory.Ref(fmt.Sprint("e", id)), Type: t, Name: fmt.Sprint("Unidade ", id), Degree: degree, Parent: parent, Deleted: deleted}
	}
	r := report.NewAccounts([]directory.Entity{
		entity(1, directory.Network, 0, "F", false), entity(2, directory.School, 1, "F", false), entity(3, directory.Class, 2, "7", false),
		entity(4, directory.Class, 2, "M", false), entity(5, directory.School, 1, "5", false), entity(6, directory.Network, 0, "F", false),
		entity(7, directory.School, 6, "F", false), entity(8, directory.Class, 7, "1", false), entity(9, directory.School, 1, "F", true),
		entity(10, directory.Class, 9, "no degree", true),
	}, directory.DefaultDegrees())
	for id, m := range members[1:] {
		r.Add(directory.UserID(id+1), m.kind, m.entity, m.active, m.deleted)
	}
	for _, nobody := range []directory.UserID{0, -1} {
		r.Add(nobody, directory.Reader, 3, true, false)
	}
	return r
}

// selections are filters with the accounts that they let through.
var selections = []struct {
	name    string
	network directory.EntityID
	filter  report.Filter
	want    []directory.UserID
}{
	{"all of a network", 1, report.Filter{}, []directory.UserID{1, 2, 5, 7, 8, 9, 12}},
	{"all of the other", 6, report.Filter{}, []directory.UserID{6, 11}},
	{"of no network", 0, report.Filter{}, nil},
	{"of one that is not there", 99, report.Filter{}, nil},
	{"students", 1, report.Filter{Profile: schools.Student}, []directory.UserID{1, 5, 8, 12}},
	{"teachers", 1, report.Filter{Profile: schools.Teacher}, []directory.UserID{2, 7, 9}},
	{"students of the other", 6, report.Filter{Profile: schools.Student}, []directory.UserID{6}},
	{"a school", 1, report.Filter{SchoolID: new(directory.EntityID(2))}, []directory.UserID{1, 2, 9, 12}},
	{"a school that was deleted", 1, report.Filter{SchoolID: new(directory.EntityID(9))}, []directory.UserID{8}},
	{"a school's students", 1, report.Filter{SchoolID: new(directory.EntityID(2)), Profile: schools.Student}, []directory.UserID{1, 12}},
	{"a school of the other network", 1, report.Filter{SchoolID: new(directory.EntityID(7))}, nil},
	{"a class is no school", 1, report.Filter{SchoolID: new(directory.EntityID(3))}, nil},
	{"no school is no filter", 1, report.Filter{SchoolID: new(directory.EntityID(0))}, nil},
	{"a user", 1, report.Filter{UserID: new(directory.UserID(9))}, []directory.UserID{9}},
	{"the first user", 1, report.Filter{UserID: new(directory.UserID(1))}, []directory.UserID{1}},
	{"the last user", 1, report.Filter{UserID: new(directory.UserID(12))}, []directory.UserID{12}},
	{"a user of the other network", 1, report.Filter{UserID: new(directory.UserID(6))}, nil},
	{"a user of none", 1, report.Filter{UserID: new(directory.UserID(10))}, nil},
	{"an administrator", 1, report.Filter{UserID: new(directory.UserID(3))}, nil},
	{"an internal account", 1, report.Filter{UserID: new(directory.UserID(4))}, nil},
	{"a user and a profile", 1, report.Filter{UserID: new(directory.UserID(9)), Profile: schools.Teacher}, []directory.UserID{9}},
	{"a user of another profile", 1, report.Filter{UserID: new(directory.UserID(9)), Profile: schools.Student}, nil},
	{"a user of another school", 1, report.Filter{UserID: new(directory.UserID(9)), SchoolID: new(directory.EntityID(5))}, nil},
	{"no user", 1, report.Filter{UserID: new(directory.UserID(0))}, nil},
	{"a user below all", 1, report.Filter{UserID: new(directory.UserID(-1))}, nil},
	{"a user above all", 1, report.Filter{UserID: new(directory.UserID(13))}, nil},
	{"a user far above all", 1, report.Filter{UserID: new(directory.UserID(1 << 40))}, nil},
}

// TestSelect is tenancy and the filters (S1, S7): the accounts of the key's network alone, each filter by itself and with
// others.
func TestSelect(t *testing.T) {
	r := newRegister()
	for _, tt := range selections {
		u := r.Select(tt.network, tt.filter)
		if !slices.Equal(u.IDs, tt.want) {
			t.Errorf("%s: Select = %v, want %v", tt.name, u.IDs, tt.want)
		}
	}
}

// userRow is the row of an account of the tests' partner.
func userRow(id directory.UserID, p schools.Profile, school, class directory.EntityID, grade int, stage string, active bool) report.User {
	unit := func(id directory.EntityID) *report.Unit {
		if id == 0 {
			return nil
		}
		return &report.Unit{ID: id, Name: fmt.Sprint("Unidade ", id)}
	}
	return report.User{
		ID: id, Name: fmt.Sprint("Nome ", id), Email: fmt.Sprint(id, "@example.com"), Profile: p,
		School: unit(school), Class: unit(class), Grade: grade, Stage: stage, Active: active,
	}
}

// TestUsers reads the rows of a network by pages of every size: school, class, grade and stage of each (S1), the deleted
// inactive (P7), and the true total on every page, past the end too (G7).
func TestUsers(t *testing.T) {
	all := []report.User{
		userRow(1, schools.Student, 2, 3, 7, "FUNDAMENTAL 2", true), userRow(2, schools.Teacher, 2, 0, 0, "", true),
		userRow(5, schools.Student, 0, 0, 0, "", true), userRow(7, schools.Teacher, 5, 0, 0, "", true),
		userRow(8, schools.Student, 9, 10, 0, "", false), userRow(9, schools.Teacher, 2, 4, 0, "MEDIO", false),
		userRow(12, schools.Student, 2, 4, 0, "MEDIO", false),
	}
	for _, cache := range []snapshot.Cache{nil, &memo{}} {
		r := &report.Reports{Store: &shelf{register: newRegister()}, Cache: cache}
		for size := 1; size <= len(all)+1; size++ {
			for number := 1; number <= len(all)+2; number++ {
				list, err := r.Users(t.Context(), report.Access{Network: 1}, report.Filter{}, paging.Page{Number: number, Size: size})
				want := cut(all, number, size)
				if err != nil || list.Total != int64(len(all)) || len(list.Rows) != len(want) || len(want) > 0 && !reflect.DeepEqual(list.Rows, want) {
					t.Errorf("page %d of %d: %+v, %v, want %+v", number, size, list, err, want)
				}
			}
		}
		for range 2 { // the second time what is kept of one access and filter must not be given to another
			for _, tt := range selections {
				list, err := r.Users(t.Context(), report.Access{Network: tt.network}, tt.filter, paging.Page{Number: 1, Size: 100})
				var got []directory.UserID
				for _, u := range list.Rows {
					got = append(got, u.ID)
				}
				if err != nil || !slices.Equal(got, tt.want) || list.Total != int64(len(tt.want)) {
					t.Errorf("%s: users %v of %d, %v, want %v", tt.name, got, list.Total, err, tt.want)
				}
			}
		}
	}
}

// TestPanicWithoutCache: reports read on goroutines, where a panic would end the process.
func TestPanicWithoutCache(t *testing.T) {
	r := &report.Reports{Store: struct{ report.Store }{}} // whose methods panic
	_, days := r.Engagements(t.Context(), report.Access{}, calendar.Period{}, report.Filter{}, paging.Page{Number: 1, Size: 1})
	_, books := r.Readings(t.Context(), report.Access{}, calendar.Period{}, report.Filter{}, paging.Page{Number: 1, Size: 1})
	for _, err := range []error{days, books} {
		if err == nil || !strings.Contains(err.Error(), "panic: ") {
			t.Errorf("a report of a store that panics: %v, want the panic as an error", err)
		}
	}
}

// cut returns a page of rows.
func cut[T any](rows []T, number, size int) []T {
	from := min((number-1)*size, len(rows))
	return rows[from:min(from+size, len(rows))]
}

// firstDay is the first of 40 days with events: the minutes that are read together are those of days from a multiple of 16.
const firstDay = calendar.Date(20000 - 20000%16 - 3)

// newShelf folds random events of all accounts of the tests' partner.
func newShelf(t *testing.T, r *rand.Rand) (*shelf, []schools.Event) {
	t.Helper()
	s := &shelf{newBlocks(t, newDB(t)), newRegister(), schools.NewBooks(4)}
	for book := range int64(4) {
		s.books.Add(schools.Book{ID: book, Title: fmt.Sprint("Livro ", book), Length: 10 + 10*book})
	}
	var all []schools.Event
	for id := 1; id < len(members); id++ {
		var events []schools.Event
		for i := range 25 {
			e := schools.Event{ID: schools.EventID{Hash: uint64(i + 1)}, User: directory.UserID(id), Day: firstDay + calendar.Date(r.IntN(40)), Effect: schools.Effect(r.IntN(3))}
			if e.Effect == schools.EffectiveReading {
				e.Book, e.At, e.MS = r.Int64N(4), r.Int32N(86400), r.Int64N(90_000)
				e.Extent.From = r.Int64N(50)
				e.Extent.To = e.Extent.From + r.Int64N(9)
			}
			events = append(events, e)
		}
		all = append(all, events...)
	}
	s.load(t, all)
	return s, all
}

// load folds events and makes them hold.
func (s *shelf) load(t *testing.T, events []schools.Event) {
	t.Helper()
	pile := &intake.Sorter{}
	defer pile.Close()
	for _, e := range events {
		if err := pile.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	s.write(t, func(l snapshot.Writer) error {
		fresh, repeated, err := intake.Load(t.Context(), l, pile, intake.LoadOptions{})
		if err != nil || fresh != len(events) || repeated != 0 {
			t.Errorf("Load = %d new, %d repeated, %v, want %d new", fresh, repeated, err, len(events))
		}
		return err
	})
}

// harm changes the blocks behind the reports' back.
func (s *shelf) harm(t *testing.T, k snapshot.Kind, key snapshot.BlockKey, put ...snapshot.Block) {
	t.Helper()
	s.write(t, func(l snapshot.Writer) error {
		return l.Write(t.Context(), snapshot.BlockChange(l.Tenant(), k, []snapshot.BlockKey{key}, slices.Values(put)))
	})
}

// record returns the stored record of a user and a book.
func (s *shelf) record(t *testing.T, key snapshot.BlockKey) (found snapshot.Block) {
	t.Helper()
	err := s.Scan(t.Context(), 0, 0, facts.RecordKind, snapshot.Range{Among: []int64{key.A}, B: snapshot.Between(key.B, key.B)}, func(b snapshot.Block) error {
		found = b
		found.Data = slices.Clone(b.Data)
		return nil
	})
	if err != nil || found.BlockKey != key {
		t.Fatalf("record %v: %v, %v", key, found, err)
	}
	return found
}

// somePeriods are periods about the days of the events, of one day, empty ones and the whole.
func somePeriods(r *rand.Rand) []calendar.Period {
	day := func() calendar.Date { return firstDay - 2 + calendar.Date(r.IntN(44)) }
	periods := []calendar.Period{{Start: firstDay, End: firstDay + 39}, {Start: firstDay - 9, End: firstDay - 1}, {Start: firstDay + 40, End: firstDay + 50}}
	for range 12 {
		d := day()
		periods = append(periods, calendar.Period{Start: d, End: d}, calendar.Period{Start: d, End: day()})
	}
	return periods
}

// TestEngagements compares pages of every selection and of random periods with the events themselves (S3, S6).
func TestEngagements(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s, events := newShelf(t, r)
	reports := &report.Reports{Store: s, Cache: &memo{}}
	for _, period := range somePeriods(r) {
		for _, sel := range selections {
			var all []report.Engagement
			for day := period.Start; day <= period.End; day++ {
				for _, id := range sel.want {
					own := slices.DeleteFunc(slices.Clone(events), func(e schools.Event) bool { return e.User != id || e.Day != day })
					if len(presentDays(own)) == 0 {
						continue
					}
					tenths := int64(0)
					for _, share := range sharesOf(own, day) {
						tenths += share
					}
					all = append(all, report.Engagement{Date: day, UserID: id, Minutes: reading.Minutes(tenths)})
				}
			}
			for _, page := range []paging.Page{{Number: 1, Size: 1000}, {Number: 1 + r.IntN(4), Size: 1 + r.IntN(9)}, {Number: 2 + r.IntN(9), Size: 1}, {Number: len(all) + 1, Size: 1}} {
				list, err := reports.Engagements(t.Context(), report.Access{Network: sel.network}, period, sel.filter, page)
				if want := cut(all, page.Number, page.Size); err != nil || list.Total != int64(len(all)) || !slices.Equal(list.Rows, want) {
					t.Fatalf("%s, %v, %+v: %v of %d, %v, want %v of %d", sel.name, period, page, list.Rows, list.Total, err, want, len(all))
				}
			}
		}
	}
}

// readingOf works out a reading row from the events of a user and book in a period, a unit of the book at a time (S4, S5).
func readingOf(events []schools.Event, user directory.UserID, book *schools.Book, p calendar.Period) (report.Reading, bool) {
	row := report.Reading{UserID: user, Book: book}
	read := map[int64]bool{}
	own := slices.DeleteFunc(slices.Clone(events), func(e schools.Event) bool {
		return e.User != user || e.Effect != schools.EffectiveReading || !p.Contains(e.Day)
	})
	slices.SortFunc(own, func(a, b schools.Event) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.At, b.At)) })
	days := map[calendar.Date]bool{}
	for _, e := range own {
		if e.Book != book.ID {
			continue
		}
		at := e.Day.Start().Add(time.Duration(e.At) * time.Second)
		if row.First.IsZero() {
			row.First = at
		}
		row.Last = at
		for unit := e.Extent.From; unit < min(e.Extent.To, book.Length); unit++ {
			read[unit] = true
		}
		if !days[e.Day] {
			days[e.Day] = true
			row.Minutes += reading.Minutes(sharesOf(own, e.Day)[book.ID])
		}
	}
	row.Percent = reading.Percent((int64(len(read))*20000 + book.Length) / (2 * book.Length))
	row.Finished = row.Percent >= 5000
	return row, len(days) > 0
}

// TestReadings compares pages of every selection and of random periods with the events themselves.
func TestReadings(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s, events := newShelf(t, r)
	reports := &report.Reports{Store: s, Cache: &memo{}}
	same := func(a, b report.Reading) bool {
		return a.UserID == b.UserID && a.Book == b.Book && a.Percent == b.Percent && a.Minutes == b.Minutes && a.Finished == b.Finished &&
			a.First.Equal(b.First) && a.Last.Equal(b.Last)
	}
	for _, period := range somePeriods(r) {
		for _, sel := range selections {
			var all []report.Reading
			for _, id := range sel.want {
				for book := range int64(4) {
					if row, ok := readingOf(events, id, s.books.Book(book), period); ok {
						all = append(all, row)
					}
				}
			}
			for _, page := range []paging.Page{{Number: 1, Size: 1000}, {Number: 1 + r.IntN(4), Size: 1 + r.IntN(9)}, {Number: len(all) + 1, Size: 1}} {
				list, err := reports.Readings(t.Context(), report.Access{Network: sel.network}, period, sel.filter, page)
				if want := cut(all, page.Number, page.Size); err != nil || list.Total != int64(len(all)) || !slices.EqualFunc(list.Rows, want, same) {
					t.Fatalf("%s, %v, %+v: %+v of %d, %v, want %+v of %d", sel.name, period, page, list.Rows, list.Total, err, want, len(all))
				}
			}
		}
	}
}

// TestReadingsOfDamagedData: what the ledger names and is not there is told, and never left out.
func TestReadingsOfDamagedData(t *testing.T) {
	events := []schools.Event{
		{ID: schools.EventID{Hash: 1}, User: 1, Day: firstDay, Effect: schools.EffectiveReading, Book: 1, MS: 6000},
		{ID: schools.EventID{Hash: 2}, User: 1, Day: firstDay, Effect: schools.EffectiveReading, Book: 2, MS: 6000},
		{ID: schools.EventID{Hash: 3}, User: 2, Day: firstDay + 1, Effect: schools.EffectiveReading, Book: 1, MS: 6000},
	}
	first, last := snapshot.BlockKey{A: 1, B: 1}, snapshot.BlockKey{A: 1, B: 2}
	for what, tt := range map[string]struct {
		harm func(*testing.T, *shelf)
		want string
	}{
		"the first record": {func(t *testing.T, s *shelf) { s.harm(t, facts.RecordKind, first) }, "user 1, book 2: it or one before it is missing"},
		"the last record":  {func(t *testing.T, s *shelf) { s.harm(t, facts.RecordKind, last) }, "1 of 2 records are missing"},
		"a book":           {func(_ *testing.T, s *shelf) { s.books = schools.NewBooks(0) }, "user 1, book 1: it or one before it is missing"},
		"the record's only day": {func(t *testing.T, s *shelf) {
			other := s.record(t, snapshot.BlockKey{A: 2, B: 1})
			other.BlockKey, other.Lo, other.Hi = first, int32(firstDay), int32(firstDay)+1
			s.harm(t, facts.RecordKind, first, other)
		}, "user 1, book 1: ledger and record differ"},
	} {
		s := &shelf{newBlocks(t, newDB(t)), newRegister(), schools.NewBooks(4)}
		for book := range int64(4) {
			s.books.Add(schools.Book{ID: book, Title: fmt.Sprint("Livro ", book), Length: 10 + 10*book})
		}
		s.load(t, events)
		tt.harm(t, s)
		reports := &report.Reports{Store: s}
		_, err := reports.Readings(t.Context(), report.Access{Network: 1}, calendar.Period{Start: firstDay, End: firstDay}, report.Filter{}, paging.Page{Number: 1, Size: 10})
		if !errors.Is(err, packed.ErrCorrupt) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("without %s: Readings = %v, want it to say %q", what, err, tt.want)
		}
	}
}

// TestEngagementsOfMissingDay: a day that is gone since its users were read is told, and not shown without minutes.
func TestEngagementsOfMissingDay(t *testing.T) {
	s, events := newShelf(t, rand.New(rand.NewPCG(15, 16)))
	reports := &report.Reports{Store: s, Cache: &memo{}}
	present := presentDays(events)
	last := present[len(present)-1]
	for _, day := range []calendar.Date{present[0], last} { // of which the minutes are not read together
		_, err := reports.Engagements(t.Context(), report.Access{Network: 1}, calendar.Period{Start: day, End: day}, report.Filter{}, paging.Page{Number: 1, Size: 10})
		if day == last != errors.Is(err, packed.ErrCorrupt) || day == last && !strings.Contains(err.Error(), day.String()) {
			t.Errorf("Engagements of day %s = %v", day, err)
		}
		s.harm(t, facts.DayKind, snapshot.BlockKey{A: int64(last)})
	}
}

// TestBytes: the caches are bounded by what values say of themselves, so each text of a book and an entity counts, a later
// register counts what replaces the earlier, and nothing of it twice.
func TestBytes(t *testing.T) {
	long := strings.Repeat("x", 1000)
	size := func(b schools.Book) int {
		books := schools.NewBooks(1)
		books.Add(b)
		return books.Bytes()
	}
	none := size(schools.Book{})
	for _, b := range []schools.Book{{Title: long}, {Author: long}, {ISBN: long}} {
		if got := size(b) - none; got != 1000 || none < 50 {
			t.Errorf("a book with a text of 1,000 bytes holds %d more than an empty one, which holds %d", got, none)
		}
	}
	network := directory.Entity{ID: 1, Ref: "rede", Type: directory.Network, Name: "Rede"}
	named := network
	named.Name = long
	r := report.NewAccounts([]directory.Entity{network}, nil)
	referred := network
	referred.Ref = directory.Ref(long)
	if got := report.NewAccounts([]directory.Entity{referred}, nil).Bytes() - r.Bytes(); got != 1000-len("rede") {
		t.Errorf("a register with a reference of 1,000 bytes in place of 4 holds %d more", got)
	}
	if users := newRegister().Select(1, report.Filter{}); users.Bytes() <= 8*len(users.IDs) {
		t.Errorf("%d users and the set of them hold %d bytes", len(users.IDs), users.Bytes())
	}
	next := r.Next([]directory.Entity{named}, nil)
	if got := next.Bytes() - r.Bytes(); got != 1000-len("Rede") {
		t.Errorf("a register with a name of 1,000 bytes in place of 4 holds %d more", got)
	}
	if got := next.Next([]directory.Entity{network}, nil).Bytes(); got != r.Bytes() {
		t.Errorf("with the former name it holds %d, want %d", got, r.Bytes())
	}
	for range 100 {
		r.Add(directory.UserID(100), directory.Reader, 1, true, false)
	}
	if got := r.Bytes() - next.Bytes() + 996; got < 16*101 {
		t.Errorf("101 members hold %d bytes, want 16 each", got)
	}
}

// TestRowsInJSON: numbers of rows are in JSON as in the answers.
func TestRowsInJSON(t *testing.T) {
	text, err := json.Marshal(report.Reading{UserID: 7, Percent: 60_00, Minutes: 184})
	const want = `{"UserID":7,"Book":null,"Percent":60.00,"Minutes":18.4,"First":"0001-01-01T00:00:00Z","Last":"0001-01-01T00:00:00Z","Finished":false}`
	if string(text) != want || err != nil {
		t.Errorf("a reading is %s, %v, want %s", text, err, want)
	}
}
