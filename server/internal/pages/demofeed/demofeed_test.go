package demofeed

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// evening returns the last second of a day.
func evening(day calendar.Date) time.Time {
	at, err := time.Parse(time.RFC3339, day.String()+"T23:59:59-03:00")
	if err != nil {
		panic(err)
	}
	return at
}

// TestDemoFeeds checks that the demo's feeds end today and yesterday, whatever the day is, and stay small.
func TestDemoFeeds(t *testing.T) {
	for _, today := range []calendar.Date{end - 400, end, end + 1, calendar.MustParse("2032-02-29")} {
		for api, events := range map[string][]string{"schools": {"segments", "accesses"}, "libraries": {"sessions", "activity"}} {
			dir := t.TempDir()
			if err := Unpack(api, dir, evening(today)); err != nil {
				t.Fatal(err)
			}
			last := map[string]calendar.Date{"schools": today, "libraries": today - 1}[api]
			for _, name := range events {
				if latest := latest(t, filepath.Join(dir, name+".csv")); latest != last {
					t.Errorf("%s of a demo until %v end on %v", name, last, latest)
				}
			}
		}
	}
	size := 0
	for _, api := range []string{"schools", "libraries"} {
		files, err := os.ReadDir(api)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil {
				t.Fatal(err)
			}
			size += int(info.Size())
		}
	}
	if size > 1_000_000 {
		t.Errorf("the demo's feeds take %d bytes of the binary, want at most 1,000,000", size)
	}
}

// TestNothingYetToCome checks that the schools' feed has accesses from earlier today, and none from the future.
func TestNothingYetToCome(t *testing.T) {
	dir, now := t.TempDir(), evening(end).Add(-10*time.Hour)
	if err := Unpack("schools", dir, now); err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "accesses.csv"))
	if err != nil {
		t.Fatal(err)
	}
	before, today := 0, calendar.Day(now).String()
	for _, text := range times.FindAllString(string(rows), -1) {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || at.After(now) {
			t.Errorf("an access at %s, after %v: %v", text, now, err)
		} else if calendar.Day(at).String() == today {
			before++
		}
	}
	if before == 0 {
		t.Errorf("no access on %s before %v", today, now)
	}
}

// latest returns the last day of a file.
func latest(t *testing.T, file string) (last calendar.Date) {
	t.Helper()
	for day := range days(t, file) {
		last = max(last, day)
	}
	return last
}

// days counts the rows of a file by day.
func days(t *testing.T, file string) map[calendar.Date]int {
	t.Helper()
	rows, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[calendar.Date]int{}
	for _, text := range regexp.MustCompile(`\d{4}-\d\d-\d\dT[^,\n]+`).FindAllString(string(rows), -1) {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		all[calendar.Day(at)]++
	}
	return all
}

// TestHabits checks that the schools read less at weekends and least in holidays, on whatever day the year ends.
func TestHabits(t *testing.T) {
	for _, last := range []string{"2026-11-21", "2027-03-03", "2031-12-31"} {
		dir := t.TempDir()
		end := calendar.MustParse(last)
		if err := Unpack("schools", dir, evening(end)); err != nil {
			t.Fatal(err)
		}
		var sum, n [3]int // of school days, weekends and holidays
		rows := days(t, filepath.Join(dir, "segments.csv"))
		for day := end - 364; day <= end; day++ {
			kind := 0
			switch weekday := (int(day) + 4) % 7; { // 1970-01-01 was a Thursday
			case holiday(day):
				kind = 2
			case weekday == 0 || weekday == 6:
				kind = 1
			}
			sum[kind], n[kind] = sum[kind]+rows[day], n[kind]+1
		}
		school, weekend, holiday := sum[0]/n[0], sum[1]/n[1], sum[2]/n[2]
		if school < 20 || weekend*10 > school*8 || holiday*2 > weekend {
			t.Errorf("until %s: %d segments on a school day, %d at a weekend, %d in holidays", last, school, weekend, holiday)
		}
	}
}
