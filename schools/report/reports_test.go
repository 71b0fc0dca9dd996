package report_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/report"
)

// store is a report.Store of one partner. It answers from the current snapshot, whatever the access names.
type store struct {
	*blocks
	accounts *report.Accounts
	books    *schools.Books
}

func (s *store) Scan(ctx context.Context, _ auth.Tenant, _ int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return s.Store.Scan(ctx, s.tenant, s.at, k, r, visit)
}

func (s *store) Accounts(context.Context, directory.PartnerID, snapshot.Versions) (*report.Accounts, error) {
	return s.accounts, nil
}

func (s *store) Written(context.Context, directory.PartnerID, int64, int64) ([]directory.UserID, error) {
	return nil, nil
}

func (s *store) ReplacedBooks(context.Context, directory.PartnerID, snapshot.Span) ([]int64, error) {
	return nil, nil
}

func (s *store) Books(context.Context, directory.PartnerID, snapshot.Versions) (*schools.Books, error) {
	return s.books, nil
}

func (s *store) People(_ context.Context, _ report.Access, ids []directory.UserID) (people []report.Person, erased bool, err error) {
	if len(ids) == 0 {
		return nil, false, errors.New("no user ids given")
	}
	for _, id := range ids {
		people = append(people, report.Person{Name: fmt.Sprint("Nome ", id), Email: fmt.Sprint(id, "@example.com")})
	}
	return people, false, nil
}

// mapCache is a snapshot.Cache that keeps everything.
type mapCache struct {
	mu   sync.Mutex
	kept map[snapshot.Key]snapshot.Value
}

func (m *mapCache) Load(ctx context.Context, key snapshot.Key, load func(context.Context) (snapshot.Value, error)) (snapshot.Value, error) {
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

// newAccounts returns the accounts of a partner with two networks. Network 1 has the schools 2 with the classes 3 and 4,
// 5, and 9, which is deleted with its class 10. Network 6 has the school 7 with the class 8.
func newAccounts() *report.Accounts {
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
	{"all of the other network", 6, report.Filter{}, []directory.UserID{6, 11}},
	{"no network", 0, report.Filter{}, nil},
	{"a network that does not exist", 99, report.Filter{}, nil},
	{"students", 1, report.Filter{Profile: schools.Student}, []directory.UserID{1, 5, 8, 12}},
	{"teachers", 1, report.Filter{Profile: schools.Teacher}, []directory.UserID{2, 7, 9}},
	{"students of the other network", 6, report.Filter{Profile: schools.Student}, []directory.UserID{6}},
	{"a school", 1, report.Filter{SchoolID: new(directory.EntityID(2))}, []directory.UserID{1, 2, 9, 12}},
	{"a deleted school", 1, report.Filter{SchoolID: new(directory.EntityID(9))}, []directory.UserID{8}},
	{"a school's students", 1, report.Filter{SchoolID: new(directory.EntityID(2)), Profile: schools.Student}, []directory.UserID{1, 12}},
	{"a school of the other network", 1, report.Filter{SchoolID: new(directory.EntityID(7))}, nil},
	{"a class in place of a school", 1, report.Filter{SchoolID: new(directory.EntityID(3))}, nil},
	{"school 0, which does not exist", 1, report.Filter{SchoolID: new(directory.EntityID(0))}, nil},
	{"a user", 1, report.Filter{UserID: new(directory.UserID(9))}, []directory.UserID{9}},
	{"the first user", 1, report.Filter{UserID: new(directory.UserID(1))}, []directory.UserID{1}},
	{"the last user", 1, report.Filter{UserID: new(directory.UserID(12))}, []directory.UserID{12}},
	{"a user of the other network", 1, report.Filter{UserID: new(directory.UserID(6))}, nil},
	{"a user of no network", 1, report.Filter{UserID: new(directory.UserID(10))}, nil},
	{"an administrator", 1, report.Filter{UserID: new(directory.UserID(3))}, nil},
	{"an internal account", 1, report.Filter{UserID: new(directory.UserID(4))}, nil},
	{"a user and a profile", 1, report.Filter{UserID: new(directory.UserID(9)), Profile: schools.Teacher}, []directory.UserID{9}},
	{"a user of another profile", 1, report.Filter{UserID: new(directory.UserID(9)), Profile: schools.Student}, nil},
	{"a user of another school", 1, report.Filter{UserID: new(directory.UserID(9)), SchoolID: new(directory.EntityID(5))}, nil},
	{"user 0, who does not exist", 1, report.Filter{UserID: new(directory.UserID(0))}, nil},
	{"a number below all users", 1, report.Filter{UserID: new(directory.UserID(-1))}, nil},
	{"a number above all users", 1, report.Filter{UserID: new(directory.UserID(13))}, nil},
	{"a number far above all users", 1, report.Filter{UserID: new(directory.UserID(1 << 40))}, nil},
}

// TestSelect tests tenancy and the filters (S1, S7): only accounts of the key's network pass, with one
// filter and with several.
func TestSelect(t *testing.T) {
	r := newAccounts()
	for _, tt := range selections {
		u := r.Select(tt.network, tt.filter)
		if !slices.Equal(u.IDs, tt.want) {
			t.Errorf("%s: Select = %v, want %v", tt.name, u.IDs, tt.want)
		}
	}
}

// userRow returns the row of an account of the tests' partner.
func userRow(id directory.UserID, p schools.Profile, school, class directory.EntityID, grade int, stage string, active bool) report.User {
	unit := func(id directory.EntityID) report.Unit {
		if id == 0 {
			return report.Unit{}
		}
		return report.Unit{ID: id, Name: fmt.Sprint("Unidade ", id)}
	}
	return report.User{
		ID: id, Name: fmt.Sprint("Nome ", id), Email: fmt.Sprint(id, "@example.com"), Profile: p,
		School: unit(school), Class: unit(class), Grade: grade, Stage: stage, Active: active,
	}
}

// TestUsers tests the rows of a network by pages of every size: school, class, grade and stage (S1), deleted accounts as
// inactive (P7). Every page has the true total, also past the end (G7).
func TestUsers(t *testing.T) {
	all := []report.User{
		userRow(1, schools.Student, 2, 3, 7, "FUNDAMENTAL 2", true), userRow(2, schools.Teacher, 2, 0, 0, "", true),
		userRow(5, schools.Student, 0, 0, 0, "", true), userRow(7, schools.Teacher, 5, 0, 0, "", true),
		userRow(8, schools.Student, 9, 10, 0, "", false), userRow(9, schools.Teacher, 2, 4, 0, "MEDIO", false),
		userRow(12, schools.Student, 2, 4, 0, "MEDIO", false),
	}
	for _, cache := range []snapshot.Cache{nil, &mapCache{}} {
		r := &report.Reports{Store: &store{accounts: newAccounts()}, Cache: cache}
		for size := 1; size <= len(all)+1; size++ {
			for number := 1; number <= len(all)+2; number++ {
				list, err := r.Users(t.Context(), report.Access{Network: 1}, report.Filter{}, paging.Page{Number: number, Size: size})
				want := cut(all, number, size)
				if err != nil || list.Total != int64(len(all)) || len(list.Rows) != len(want) || len(want) > 0 && !reflect.DeepEqual(list.Rows, want) {
					t.Errorf("Users, page %d of size %d = %+v, %v, want %+v", number, size, list, err, want)
				}
			}
		}
		for range 2 { // the second time, cached rows of one access and filter must not be given to another
			for _, tt := range selections {
				list, err := r.Users(t.Context(), report.Access{Network: tt.network}, tt.filter, paging.Page{Number: 1, Size: 100})
				var got []directory.UserID
				for _, u := range list.Rows {
					got = append(got, u.ID)
				}
				if err != nil || !slices.Equal(got, tt.want) || list.Total != int64(len(tt.want)) {
					t.Errorf("%s: Users = %v of %d, %v, want %v", tt.name, got, list.Total, err, tt.want)
				}
			}
		}
	}
}

// TestPanicWithoutCache tests that a panic of the store becomes an error, because on a goroutine it would end the process.
func TestPanicWithoutCache(t *testing.T) {
	r := &report.Reports{Store: struct{ report.Store }{}} // its methods panic
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

// firstDay is three days before a multiple of 16: the minutes of 16 days are read together.
const firstDay = calendar.Date(20000 - 20000%16 - 3)

// load aggregates events and publishes them.
func (s *store) load(t *testing.T, events []schools.Event) {
	t.Helper()
	sorter := &intake.Sorter{}
	defer sorter.Close()
	for _, e := range events {
		if err := sorter.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	s.write(t, func(l snapshot.Writer) error {
		fresh, repeated, err := intake.Load(t.Context(), l, sorter, intake.LoadOptions{})
		if err != nil || fresh != len(events) || repeated != 0 {
			t.Errorf("Load = %d new, %d repeated, %v, want %d new", fresh, repeated, err, len(events))
		}
		return err
	})
}

// harm deletes or replaces a stored block.
func (s *store) harm(t *testing.T, k snapshot.Kind, key snapshot.BlockKey, put ...snapshot.Block) {
	t.Helper()
	s.write(t, func(l snapshot.Writer) error {
		return l.Write(t.Context(), snapshot.BlockChange(l.Tenant(), k, []snapshot.BlockKey{key}, slices.Values(put)))
	})
}

// record returns the stored record of a user and a book.
func (s *store) record(t *testing.T, key snapshot.BlockKey) (found snapshot.Block) {
	t.Helper()
	err := s.Scan(t.Context(), 0, 0, facts.RecordKind, snapshot.Range{Among: []int64{key.A}, B: snapshot.Between(key.B, key.B)}, func(b snapshot.Block) error {
		found = b
		found.Data = slices.Clone(b.Data)
		return nil
	})
	if err != nil || found.BlockKey != key {
		t.Fatalf("record %v = %v, %v, want it found", key, found, err)
	}
	return found
}

// asks are periods and filters, with the engagements and readings of the small network that pass. Engagements have day, user
// and minutes. Readings have user, book, percentage, minutes, F if finished, and the days of the first and the last reading.
var asks = []struct {
	rule                  string
	start, end            string
	filter                report.Filter
	engagements, readings string
}{
	{"all", "2026-01-01", "2026-12-31", report.Filter{}, "0301 1 1.0, 0302 2 2.0, 0302 3 0.0, 0401 1 1.0, 0402 2 1.0",
		"1 9 60.00 2.0 F 0301 0401, 2 9 49.00 1.0 - 0302 0302, 2 10 50.00 2.0 F 0302 0402"},
	{"the first days", "2026-03-01", "2026-03-02", report.Filter{}, "0301 1 1.0, 0302 2 2.0, 0302 3 0.0",
		"1 9 30.00 1.0 - 0301 0301, 2 9 49.00 1.0 - 0302 0302, 2 10 50.00 1.0 F 0302 0302"},
	{"the last days", "2026-04-01", "2026-04-02", report.Filter{}, "0401 1 1.0, 0402 2 1.0", "1 9 30.00 1.0 - 0401 0401, 2 10 1.00 1.0 - 0402 0402"},
	{"a day", "2026-03-02", "2026-03-02", report.Filter{}, "0302 2 2.0, 0302 3 0.0", "2 9 49.00 1.0 - 0302 0302, 2 10 50.00 1.0 F 0302 0302"},
	{"days without events", "2026-03-03", "2026-03-31", report.Filter{}, "", ""},
	{"a reversed period", "2026-04-02", "2026-03-01", report.Filter{}, "", ""},
	{"a user", "2026-01-01", "2026-12-31", report.Filter{UserID: new(directory.UserID(1))}, "0301 1 1.0, 0401 1 1.0", "1 9 60.00 2.0 F 0301 0401"},
	{"a school", "2026-01-01", "2026-12-31", report.Filter{SchoolID: new(directory.EntityID(3))}, "0302 2 2.0, 0402 2 1.0",
		"2 9 49.00 1.0 - 0302 0302, 2 10 50.00 2.0 F 0302 0402"},
	{"teachers", "2026-01-01", "2026-12-31", report.Filter{Profile: schools.Teacher}, "0302 3 0.0", ""},
	{"an administrator", "2026-01-01", "2026-12-31", report.Filter{UserID: new(directory.UserID(4))}, "", ""},
}

// TestEngagementsAndReadings tests pages of every size (S3 to S6), and that no query gets the cached rows of another.
func TestEngagementsAndReadings(t *testing.T) {
	s := newSmallStore(t)
	for _, cache := range []snapshot.Cache{nil, &mapCache{}} {
		r := &report.Reports{Store: s, Cache: cache}
		for _, a := range asks {
			period := calendar.Period{Start: calendar.MustParse(a.start), End: calendar.MustParse(a.end)}
			checkPages(t, a.rule+", engagements", a.engagements, engagementText, func(p paging.Page) (paging.List[report.Engagement], error) {
				return r.Engagements(t.Context(), report.Access{Network: 1}, period, a.filter, p)
			})
			checkPages(t, a.rule+", readings", a.readings, readingText, func(p paging.Page) (paging.List[report.Reading], error) {
				return r.Readings(t.Context(), report.Access{Network: 1}, period, a.filter, p)
			})
			if l, err := r.Engagements(t.Context(), report.Access{Network: 9}, period, a.filter, everyRow); err != nil || l.Total != 0 {
				t.Errorf("%s: Engagements of an unknown network = %+v, %v, want none", a.rule, l, err)
			}
		}
	}
}

func monthDay(d calendar.Date) string { return strings.ReplaceAll(d.String()[5:], "-", "") }

func engagementText(e report.Engagement) string {
	return fmt.Sprintf("%s %d %s", monthDay(e.Date), e.UserID, e.Minutes)
}

func readingText(r report.Reading) string {
	finished := map[bool]string{true: "F", false: "-"}[r.Finished]
	return fmt.Sprintf("%d %d %s %s %s %s %s", r.UserID, r.Book.ID, r.Percent, r.Minutes, finished, monthDay(calendar.Day(r.First)), monthDay(calendar.Day(r.Last)))
}

// checkPages checks that the pages of each size are the slices of the list, and that one past the end is empty.
func checkPages[T any](t *testing.T, what, want string, text func(T) string, page func(paging.Page) (paging.List[T], error)) {
	t.Helper()
	rows := strings.FieldsFunc(want, func(r rune) bool { return r == ',' })
	for size := 1; size <= len(rows)+1; size++ {
		for number := 1; number <= len(rows)+1; number++ {
			list, err := page(paging.Page{Number: number, Size: size})
			var got []string
			for _, row := range list.Rows {
				got = append(got, text(row))
			}
			if want := strings.Trim(strings.Join(cut(rows, number, size), ","), " "); err != nil || list.Total != int64(len(rows)) || strings.Join(got, ", ") != want {
				t.Errorf("%s, page %d of size %d = %s of %d, %v, want %s", what, number, size, strings.Join(got, ", "), list.Total, err, want)
			}
		}
	}
}

// TestEngagementsOfMissingDay tests that a day that was deleted after its users were cached is an error.
func TestEngagementsOfMissingDay(t *testing.T) {
	s := newSmallStore(t)
	reports, day := &report.Reports{Store: s, Cache: &mapCache{}}, calendar.MustParse("2026-04-02")
	ask := func(day calendar.Date) error {
		_, err := reports.Engagements(t.Context(), report.Access{Network: 1}, calendar.Period{Start: day, End: day}, report.Filter{}, everyRow)
		return err
	}
	if err := ask(calendar.MustParse("2026-03-01")); err != nil { // reads the users of all days into the cache
		t.Fatal(err)
	}
	s.harm(t, facts.DayKind, snapshot.BlockKey{A: int64(day)})
	if err := ask(day); !errors.Is(err, packed.ErrCorrupt) || !strings.Contains(err.Error(), "2026-04-02") {
		t.Errorf("Engagements of a deleted day = %v, want ErrCorrupt that names the day", err)
	}
}

// TestReadingsOfDamagedData tests that a missing record or book that the index names is an error, and is not left out.
func TestReadingsOfDamagedData(t *testing.T) {
	events := []schools.Event{
		{ID: schools.EventID{Hash: 1}, User: 1, Day: firstDay, Effect: schools.EffectiveReading, Book: 1, MS: 6000},
		{ID: schools.EventID{Hash: 2}, User: 1, Day: firstDay, Effect: schools.EffectiveReading, Book: 2, MS: 6000},
		{ID: schools.EventID{Hash: 3}, User: 2, Day: firstDay + 1, Effect: schools.EffectiveReading, Book: 1, MS: 6000},
	}
	first, last := snapshot.BlockKey{A: 1, B: 1}, snapshot.BlockKey{A: 1, B: 2}
	for what, tt := range map[string]struct {
		harm func(*testing.T, *store)
		want string
	}{
		"the first record": {func(t *testing.T, s *store) { s.harm(t, facts.RecordKind, first) }, "user 1, book 2: it or one before it is missing"},
		"the last record":  {func(t *testing.T, s *store) { s.harm(t, facts.RecordKind, last) }, "1 of 2 records are missing"},
		"a book":           {func(_ *testing.T, s *store) { s.books = schools.NewBooks(0) }, "user 1, book 1: it or one before it is missing"},
		"the record's only day": {func(t *testing.T, s *store) {
			other := s.record(t, snapshot.BlockKey{A: 2, B: 1})
			other.BlockKey, other.Lo, other.Hi = first, int32(firstDay), int32(firstDay)+1
			s.harm(t, facts.RecordKind, first, other)
		}, "user 1, book 1: index and record differ"},
	} {
		s := &store{newBlocks(t, newDB(t)), newAccounts(), schools.NewBooks(4)}
		for book := range int64(4) {
			s.books.Add(schools.Book{ID: book, Title: fmt.Sprint("Livro ", book), Length: 10 + 10*book})
		}
		s.load(t, events)
		tt.harm(t, s)
		reports := &report.Reports{Store: s}
		_, err := reports.Readings(t.Context(), report.Access{Network: 1}, calendar.Period{Start: firstDay, End: firstDay}, report.Filter{}, paging.Page{Number: 1, Size: 10})
		if !errors.Is(err, packed.ErrCorrupt) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Readings without %s = %v, want ErrCorrupt with %q", what, err, tt.want)
		}
	}
}

// TestBytes tests the sizes by which caches are bounded. Each text of a book or an entity counts, and a text that
// replaces another counts instead of it.
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
			t.Errorf("a book with a text of 1,000 bytes holds %d bytes more than an empty one of %d bytes, want 1,000", got, none)
		}
	}
	network := directory.Entity{ID: 1, Ref: "rede", Type: directory.Network, Name: "Rede"}
	named := network
	named.Name = long
	r := report.NewAccounts([]directory.Entity{network}, nil)
	referred := network
	referred.Ref = directory.Ref(long)
	if got := report.NewAccounts([]directory.Entity{referred}, nil).Bytes() - r.Bytes(); got != 1000-len("rede") {
		t.Errorf("accounts with a reference of 1,000 bytes in place of 4 hold %d bytes more, want 996", got)
	}
	if users := newAccounts().Select(1, report.Filter{}); users.Bytes() <= 8*len(users.IDs) {
		t.Errorf("%d selected users hold %d bytes, want more than 8 each", len(users.IDs), users.Bytes())
	}
	next := r.Next([]directory.Entity{named}, nil)
	if got := next.Bytes() - r.Bytes(); got != 1000-len("Rede") {
		t.Errorf("accounts with a name of 1,000 bytes in place of 4 hold %d bytes more, want 996", got)
	}
	if got := next.Next([]directory.Entity{network}, nil).Bytes(); got != r.Bytes() {
		t.Errorf("Bytes with the earlier name = %d, want %d", got, r.Bytes())
	}
	for range 100 {
		r.Add(directory.UserID(100), directory.Reader, 1, true, false)
	}
	if got := r.Bytes() - next.Bytes() + 996; got < 16*101 {
		t.Errorf("101 members hold %d bytes, want 16 each", got)
	}
}

// TestRowsInJSON tests that rows have the same numbers in JSON as in the answers.
func TestRowsInJSON(t *testing.T) {
	text, err := json.Marshal(report.Reading{UserID: 7, Percent: 60_00, Minutes: 184})
	const want = `{"UserID":7,"Book":null,"Percent":60.00,"Minutes":18.4,"First":"0001-01-01T00:00:00Z","Last":"0001-01-01T00:00:00Z","Finished":false}`
	if string(text) != want || err != nil {
		t.Errorf("Marshal of a reading = %s, %v, want %s", text, err, want)
	}
}
