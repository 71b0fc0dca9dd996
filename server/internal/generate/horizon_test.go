package generate_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/generate"
)

// first is a Saturday, and its tenth day a Monday.
var first = calendar.MustParse("2026-08-01")

// moments are all times in the files of a feed; days without a time, such as those on which loans are due, are none.
func moments(t *testing.T, dir string) (list []time.Time) {
	t.Helper()
	for _, text := range files(t, dir) {
		for _, m := range regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|-03:00)`).FindAllString(text, -1) {
			at, err := time.Parse(time.RFC3339, m)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, at)
		}
	}
	return list
}

// TestNothingIsLater holds that a feed tells nothing that is later than its end, whatever the hour, and up to that hour
// something of the last day.
func TestNothingIsLater(t *testing.T) {
	start := (first + 9).Start()
	for _, hour := range []time.Duration{0, 1, 9, 12, 20, 24} {
		until := start.Add(hour*time.Hour - time.Millisecond)
		schools, _ := write(t, generate.SchoolsParams{Users: 200, Days: 30, Seed: 5, First: first, Until: until})
		libraries, _ := writeLibraries(t, generate.LibrariesParams{Users: 400, Days: 30, Seed: 5, First: first, Until: until})
		for _, dir := range []string{schools, libraries} {
			today := 0
			for _, at := range moments(t, dir) {
				if at.After(until) {
					t.Errorf("a feed until %v tells of %v", until, at)
				}
				if !at.Before(start) {
					today++
				}
			}
			if hour >= 12 && today == 0 {
				t.Errorf("a feed until %v tells nothing of the last day", until)
			}
		}
	}
}

// TestLaterAddsEvents holds that the events of a schools feed that ends within a day are, by their numbers, those of the feed
// of the whole day.
func TestLaterAddsEvents(t *testing.T) {
	p := generate.SchoolsParams{Users: 200, Days: 10, Seed: 5, First: first}
	whole, _ := write(t, p)
	p.Until = (first + 9).Start().Add(17 * time.Hour)
	part, _ := write(t, p)
	all, some := read(t, whole), read(t, part)
	if got, want := some.segments, slices.DeleteFunc(all.segments, func(s segment) bool { return s.at.After(p.Until) }); !slices.Equal(got, want) {
		t.Errorf("%d segments until %v, want the %d of the whole day that are not later", len(got), p.Until, len(want))
	}
	if got, want := some.accesses, slices.DeleteFunc(all.accesses, func(a access) bool { return a.at.After(p.Until) }); !slices.Equal(got, want) {
		t.Errorf("%d accesses until %v, want the %d of the whole day that are not later", len(got), p.Until, len(want))
	}
}

// TestUntilTheEnd holds that an end at the last moment, or after it, changes nothing, and one before the first day is refused.
func TestUntilTheEnd(t *testing.T) {
	schools, libraries := generate.SchoolsParams{Users: 60, Days: 5, Seed: 5, First: first}, generate.LibrariesParams{Users: 60, Days: 5, Seed: 5, First: first}
	a, _ := write(t, schools)
	b, _ := writeLibraries(t, libraries)
	last := (first + 5).Start().Add(-time.Millisecond)
	for _, until := range []time.Time{last, last.Add(time.Millisecond), last.AddDate(1, 0, 0)} {
		schools.Until, libraries.Until = until, until
		c, _ := write(t, schools)
		d, _ := writeLibraries(t, libraries)
		if !maps.Equal(files(t, a), files(t, c)) || !maps.Equal(files(t, b), files(t, d)) {
			t.Errorf("an end at %v changes a feed to %v", until, last)
		}
	}
	schools.Until, libraries.Until = first.Start().Add(-time.Millisecond), first.Start().Add(-time.Millisecond)
	if _, err := generate.Schools(t.Context(), filepath.Join(t.TempDir(), "feed"), schools); err == nil {
		t.Error("a schools feed that ends before its first day is written")
	}
	if _, err := generate.Libraries(t.Context(), filepath.Join(t.TempDir(), "feed"), libraries); err == nil {
		t.Error("a libraries feed that ends before its first day is written")
	}
	schools.Until, libraries.Until = first.Start(), first.Start()
	write(t, schools)
	writeLibraries(t, libraries)
}
