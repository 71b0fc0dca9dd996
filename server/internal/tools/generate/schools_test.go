package generate_test

import (
	"context"
	"os"
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

// content has the rows of each file of a schools feed.
type content struct {
	entities    []intake.EntityRow
	accounts    []intake.AccountRow
	books       []schools.Book
	evaluations []intake.EvaluationRow
	segments    []segment
	accesses    []access
}

// rows reads a resource whose rows are R. A row that is skipped fails the test.
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

func TestFormsHoldTheSameRows(t *testing.T) {
	p := generate.Params{Users: 60, Days: 30, Seed: 5}
	dir, sum := write(t, generate.Schools, p)
	want := read(t, dir)
	if sum["segments"] != int64(len(want.segments)) {
		t.Errorf("%d segments are read, the summary says %d", len(want.segments), sum["segments"])
	}
	for _, form := range [][2]string{{"csv", ""}, {"csv", "zst"}, {"ndjson", "zst"}} {
		p.Format, p.Compress = form[0], form[1]
		dir, _ := write(t, generate.Schools, p)
		if got := read(t, dir); !reflect.DeepEqual(got, want) {
			t.Errorf("rows of %s %s differ from those of plain ndjson", form[0], form[1])
		}
	}
}

// TestHabits checks the shares that the package promises, counted over a year.
func TestHabits(t *testing.T) {
	const users, days = 300, 365
	dir, _ := write(t, generate.Schools, generate.Params{Users: users, Days: days, Seed: 1})
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
		// one view in twenty, and the first views of a book that is taken again
		{"segments that go back, per mille", back * 1000 / n, 40, 320},
		{"segments per user", n / users, 1800, 2200},
		{"books per user, times ten", len(reached) * 10 / users, 220, 280},
		{"days with an access, per mille", userDays * 1000 / (users * days), 450, 500},
		{"segments at night, per mille", night * 1000 / n, 1, 40},
		{"segments in the evening, per mille", evening * 1000 / n, 270, 450},
		{"segments on weekends, per mille", weekend * 1000 / n, 120, 210},
		{"users active on more than four days in five, per mille", daily * 1000 / users, 50, 300},
		{"users who never read, per mille", (users - len(readers)) * 1000 / users, 100, 250},
		{"users who are never active, per mille", (users - len(present)) * 1000 / users, 40, 130},
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

// TestBooks tests that a feed has the given titles.
func TestBooks(t *testing.T) {
	dir, _ := write(t, generate.Schools, generate.Params{Users: 2, Days: 1, Books: []generate.Title{{Name: "A", Author: "by B", ISBN: "9780789454164"}, {Name: "C"}}})
	var got []string
	for _, b := range read(t, dir).books {
		got = append(got, b.Title+"|"+b.Author+"|"+b.ISBN)
	}
	if want := []string{"A|by B|9780789454164", "C||"}; !slices.Equal(got, want) {
		t.Errorf("books = %q, want %q", got, want)
	}
}
