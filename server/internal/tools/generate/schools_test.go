package generate_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

type segment struct {
	id, account  string
	book         int64
	at           time.Time
	ms, from, to int64
	wpm          string
}
type access struct {
	id, account string
	at          time.Time
	kind        string
}

// content is a feed as it is read.
type content struct {
	entities    []intake.EntityRow
	accounts    []intake.AccountRow
	books       []schools.Book
	evaluations []intake.EvaluationRow
	segments    []segment
	accesses    []access
}

// rows reads a resource whose rows are R. One that check passes over fails the test.
func rows[R, V any, P feed.Record[R]](t *testing.T, folder *feed.Folder, resource string, check func(R) (V, error)) (list []V) {
	t.Helper()
	file, err := folder.File(resource)
	if err != nil || file == nil {
		t.Fatalf("File(%s) = %v, %v, want a file", resource, file, err)
	}
	err = feed.Records[R, V, P](context.Background(), file, row.File[R, V]{
		Check: check,
		Take: func(v V, _ int) error {
			list = append(list, v)
			return nil
		},
		Skip: func(why error) { t.Errorf("%s: %v", resource, why) },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func same[R any](row R) (R, error) { return row, nil }

// read reads a feed.
func read(t *testing.T, dir string) (c content) {
	t.Helper()
	folder, err := feed.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	c.entities = rows(t, folder, "entities", same[intake.EntityRow])
	c.accounts = rows(t, folder, "accounts", same[intake.AccountRow])
	c.books = rows(t, folder, "books", same[schools.Book])
	c.evaluations = rows(t, folder, "evaluations", same[intake.EvaluationRow])
	c.segments = rows(t, folder, "segments", func(r intake.SegmentRow) (segment, error) {
		return segment{string(r.ID), string(r.Account), r.Book, r.Start, r.DurationMS, r.From, r.To, string(r.WPM)}, nil
	})
	c.accesses = rows(t, folder, "accesses", func(r intake.AccessRow) (access, error) {
		return access{string(r.ID), string(r.Account), r.At, string(r.Kind)}, nil
	})
	return c
}

// write writes a feed into a folder of its own.
func write(t testing.TB, p generate.Params) (string, generate.Summary) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "feed")
	sum, err := generate.Schools(context.Background(), dir, p)
	if err != nil {
		t.Fatal(err)
	}
	return dir, sum
}

// files returns the bytes of a feed's files.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

func TestSameParametersSameBytes(t *testing.T) {
	for _, p := range []generate.Params{
		{Users: 120, Days: 20, Seed: 3},
		{Users: 120, Days: 20, Seed: 3, Format: "csv"},
		{Users: 120, Days: 20, Seed: 3, Compress: "zst"},
	} {
		a, _ := write(t, p)
		b, _ := write(t, p)
		if !maps.Equal(files(t, a), files(t, b)) {
			t.Errorf("Schools(%+v) twice wrote different bytes", p)
		}
		p.Seed++
		c, _ := write(t, p)
		one, other := files(t, a), files(t, c)
		for name := range one {
			if one[name] == other[name] {
				t.Errorf("%s of seeds %d and %d are the same", name, p.Seed-1, p.Seed)
			}
		}
	}
}

func TestFormsHoldTheSameRows(t *testing.T) {
	p := generate.Params{Users: 60, Days: 30, Seed: 5}
	dir, _ := write(t, p)
	want := read(t, dir)
	for _, form := range [][2]string{{"csv", ""}, {"csv", "zst"}, {"ndjson", "zst"}} {
		p.Format, p.Compress = form[0], form[1]
		dir, _ := write(t, p)
		if got := read(t, dir); !reflect.DeepEqual(got, want) {
			t.Errorf("rows of %s %s differ from those of plain ndjson", form[0], form[1])
		}
	}
}

// TestHabits holds the shares that the package promises, exactly counted over a year.
func TestHabits(t *testing.T) {
	const users, days = 300, 365
	dir, _ := write(t, generate.Params{Users: users, Days: days, Seed: 1})
	c := read(t, dir)
	var speeds []int64 // in thousandths
	var within, above, short, none, back int
	type pair struct {
		account string
		book    int64
	}
	reached := map[pair]int64{}
	present := map[string]map[calendar.Date]bool{}
	come := func(account string, at time.Time) {
		if present[account] == nil {
			present[account] = map[calendar.Date]bool{}
		}
		present[account][calendar.Day(at)] = true
	}
	readers := map[string]int{}
	night, evening, weekend := 0, 0, 0
	for _, s := range c.segments {
		come(s.account, s.at)
		readers[s.account]++
		local := s.at.Add(-3 * time.Hour)
		if h := local.Hour(); h < 6 {
			night++
		} else if h >= 18 && h < 22 {
			evening++
		}
		if d := local.Weekday(); d == time.Saturday || d == time.Sunday {
			weekend++
		}
		if s.ms < 3000 {
			short++
		}
		p := pair{s.account, s.book}
		if s.from < reached[p] {
			back++
		}
		reached[p] = max(reached[p], s.to)
		if s.wpm == "" {
			none++
			continue
		}
		speed, err := reading.ParseSpeed(s.wpm)
		if err != nil {
			t.Fatalf("wpm %q: %v", s.wpm, err)
		}
		speeds = append(speeds, milli(s.wpm))
		if reading.Effective(speed, s.ms) {
			within++
		} else {
			above++
		}
	}
	for _, a := range c.accesses {
		if !strings.HasSuffix(a.kind, "-received") {
			come(a.account, a.at)
		}
	}
	userDays, daily := 0, 0
	for _, d := range present {
		userDays += len(d)
		if len(d)*10 > days*8 {
			daily++
		}
	}
	slices.Sort(speeds)
	n := len(c.segments)
	for _, share := range []struct {
		name           string
		got, low, high int
	}{
		{"median words per minute", int(speeds[len(speeds)/2] / 1000), 575, 605},
		{"segments of 5 to 800 words per minute, per mille", within * 1000 / n, 520, 540},
		{"segments above 800 words per minute, per mille", above * 1000 / n, 440, 460},
		{"segments shorter than 3 s, per mille", short * 1000 / n, 370, 390},
		{"segments without a speed, per mille", none * 1000 / n, 15, 25},
		// one view in twenty, and whoever takes up a book again, from its front
		{"segments that go back, per mille", back * 1000 / n, 40, 320},
		{"segments a user", n / users, 1800, 2200},
		{"books a user, times ten", len(reached) * 10 / users, 220, 280},
		{"days with an access, per mille", userDays * 1000 / (users * days), 450, 500},
		{"segments at night, per mille", night * 1000 / n, 1, 40},
		{"segments in the evening, per mille", evening * 1000 / n, 270, 450},
		{"segments on weekends, per mille", weekend * 1000 / n, 120, 210},
		{"users that come more than four days in five, per mille", daily * 1000 / users, 50, 300},
		{"users that never read, per mille", (users - len(readers)) * 1000 / users, 100, 250},
		{"users that never come, per mille", (users - len(present)) * 1000 / users, 40, 130},
	} {
		if share.got < share.low || share.got > share.high {
			t.Errorf("%s = %d, want %d to %d", share.name, share.got, share.low, share.high)
		}
	}
}

// milli returns a number with at most one decimal in thousandths.
func milli(text string) (n int64) {
	whole, tenth, _ := strings.Cut(text, ".")
	for _, c := range whole {
		n = n*10 + int64(c-'0')
	}
	n *= 10
	if tenth != "" {
		n += int64(tenth[0] - '0')
	}
	return n * 100
}

func TestEverythingResolves(t *testing.T) {
	for _, p := range []generate.Params{
		{Users: 1, Days: 400, Seed: 1}, {Users: 9, Days: 10, Seed: 2}, {Users: 10, Days: 10}, {Users: 1700, Days: 3, Seed: 9, First: calendar.MustParse("2028-02-28")},
	} {
		dir, sum := write(t, p)
		c := read(t, dir)
		checkCounts(t, c, sum, p)
		checkRegisters(t, c)
		checkEvents(t, c, p)
	}
}

func checkCounts(t *testing.T, c content, sum generate.Summary, p generate.Params) {
	t.Helper()
	want := generate.Summary{
		"entities": int64(len(c.entities)), "accounts": int64(p.Users), "books": int64(len(c.books)), "evaluations": int64(len(c.evaluations)),
		"segments": int64(len(c.segments)), "accesses": int64(len(c.accesses)), "schools": 0, "classes": 0,
	}
	for _, e := range c.entities {
		switch e.Type {
		case "school":
			want["schools"]++
		case "class":
			want["classes"]++
		}
	}
	if !maps.Equal(sum, want) || len(c.accounts) != p.Users {
		t.Errorf("Schools(%+v) = %+v, want %+v as read", p, sum, want)
	}
	if got, want := int(sum["schools"]), max(1, (p.Users+250)/500); got != want {
		t.Errorf("schools of %d users = %d, want %d", p.Users, got, want)
	}
}

func checkRegisters(t *testing.T, c content) {
	t.Helper()
	kinds := map[string]string{}
	parent := map[string]string{"school": "network", "class": "school"}
	for _, e := range c.entities {
		if kinds[e.Ref] != "" || kinds[e.ParentRef] != parent[e.Type] {
			t.Errorf("entity %+v stands twice or before its parent, or below the wrong one", e)
		}
		kinds[e.Ref] = e.Type
	}
	seen, mails := map[string]bool{}, map[string]bool{}
	for _, a := range c.accounts {
		if seen[a.Ref] || a.Email != "" && mails[a.Email] {
			t.Errorf("account %+v stands twice", a)
		}
		seen[a.Ref], mails[a.Email] = true, true
		if a.EntityRef != "" && kinds[a.EntityRef] == "" || a.Kind == "reader" && kinds[a.EntityRef] != "class" {
			t.Errorf("account %+v is attached to %q", a, kinds[a.EntityRef])
		}
	}
	for _, b := range c.books {
		if b.Title == "" || b.Length < 1500 || b.Length > 120_000 {
			t.Errorf("book %+v has no title, or no length of 1,500 to 120,000", b)
		}
	}
	for _, e := range c.evaluations {
		if kinds[e.EntityRef] != "school" || e.Title == "" || e.AppliedAt.IsZero() {
			t.Errorf("evaluation %+v is of no school, or says nothing", e)
		}
	}
}

func checkEvents(t *testing.T, c content, p generate.Params) {
	t.Helper()
	first := cmp.Or(p.First, schools.HistoryStart())
	days := calendar.Period{Start: first, End: first + calendar.Date(p.Days) - 1}
	known := map[string]bool{}
	for _, a := range c.accounts {
		known[a.Ref] = true
	}
	ids := map[string]bool{}
	event := func(id, account string, at time.Time) {
		if ids[id] || len(id) > 64 || !known[account] || !days.Contains(calendar.Day(at)) {
			t.Errorf("event %q of %q at %v: its id stands twice or is too long, or its account or day does not exist", id, account, at)
		}
		ids[id] = true
	}
	last := first
	for _, s := range c.segments {
		event(s.id, s.account, s.at)
		if s.book < 1 || s.book > int64(len(c.books)) || s.from < 0 || s.from >= s.to || s.to > c.books[s.book-1].Length || s.ms < 300 || s.ms > 86_400_000 {
			t.Errorf("segment %+v does not lie within a book or lasts too long or short", s)
		}
		if d := calendar.Day(s.at); d < last {
			t.Errorf("segment %+v stands after one of %v", s, last)
		} else {
			last = d
		}
	}
	for _, a := range c.accesses {
		event(a.id, a.account, a.at)
	}
	for _, e := range c.evaluations {
		if !days.Contains(calendar.Day(e.AppliedAt)) {
			t.Errorf("evaluation %+v lies outside of %v", e, days)
		}
	}
}

func TestParameters(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    generate.Params
		want string
	}{
		{"no users", generate.Params{Days: 1}, "0 users, 1 days"},
		{"no days", generate.Params{Users: 1}, "1 users, 0 days"},
		{"format", generate.Params{Users: 1, Days: 1, Format: "xml"}, `no format "xml"`},
		{"compression", generate.Params{Users: 1, Days: 1, Compress: "zip"}, `no compression "zip"`},
		{"no such table", generate.Params{Users: 1, Days: 1, BooksCSV: "nowhere.csv"}, "nowhere.csv"},
	} {
		_, err := generate.Schools(context.Background(), t.TempDir(), tt.p)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Schools = %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestRefusesSecondForm(t *testing.T) {
	p := generate.Params{Users: 5, Days: 2}
	dir, _ := write(t, p)
	if _, err := generate.Schools(context.Background(), dir, p); err != nil {
		t.Errorf("Schools into its own feed = %v, want it replaced", err)
	}
	p.Compress = "zst"
	if _, err := generate.Schools(context.Background(), dir, p); err == nil || !strings.Contains(err.Error(), "accesses.ndjson") {
		t.Errorf("Schools into a feed of another form = %v, want a refusal that names accesses.ndjson", err)
	}
}

func TestCancelLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	_, err := generate.Schools(ctx, dir, generate.Params{Users: 50, Days: 50})
	if got := files(t, dir); !errors.Is(err, context.Canceled) || len(got) > 0 {
		t.Errorf("Schools = %v and %d files, want context canceled and none", err, len(got))
	}
}

// table writes a table of titles to a file and returns its path.
func table(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "books.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTitlesOfATable(t *testing.T) {
	dir, _ := write(t, generate.Params{Users: 2, Days: 1, BooksCSV: table(t, "title,author,isbn13\nA,by B,9780789454164\nC,,\n")})
	var got []string
	for _, b := range read(t, dir).books {
		got = append(got, b.Title+"|"+b.Author+"|"+b.ISBN)
	}
	if want := []string{"A|by B|9780789454164", "C||"}; !slices.Equal(got, want) {
		t.Errorf("books = %q, want %q", got, want)
	}
	for _, text := range []string{"", "title,author,isbn13\n", "title\nA\n", "title,author,isbn13\nA\n"} {
		p := generate.Params{Users: 1, Days: 1, BooksCSV: table(t, text)}
		if _, err := generate.Schools(context.Background(), t.TempDir(), p); err == nil || !strings.Contains(err.Error(), "books.csv") {
			t.Errorf("Schools with titles %q = %v, want an error that names the file", text, err)
		}
	}
}

func BenchmarkSchools(b *testing.B) {
	var n int64
	for b.Loop() {
		sum, err := generate.Schools(context.Background(), b.TempDir(), generate.Params{Users: 2000, Days: 60, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		n += sum["segments"]
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "segments/s")
}
