package demofeed

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// TestDemoFeeds holds that the demo's feeds end with the day that is asked for, whatever it is, are whole, and stay small.
func TestDemoFeeds(t *testing.T) {
	for _, last := range []calendar.Date{end - 400, end, end + 1, calendar.MustParse("2032-02-29")} {
		for api, events := range map[string][]string{"schools": {"segments", "accesses"}, "libraries": {"sessions", "activity"}} {
			dir := t.TempDir()
			if err := Unpack(api, dir, last); err != nil {
				t.Fatal(err)
			}
			for _, name := range events {
				rows, err := os.ReadFile(filepath.Join(dir, name+".csv"))
				if err != nil {
					t.Fatal(err)
				}
				var latest calendar.Date
				for _, text := range regexp.MustCompile(`\d{4}-\d\d-\d\dT[^,\n]+`).FindAllString(string(rows), -1) {
					at, err := time.Parse(time.RFC3339, text)
					if err != nil {
						t.Fatal(err)
					}
					latest = max(latest, calendar.Day(at))
				}
				if latest != last {
					t.Errorf("%s of a demo until %v end with %v", name, last, latest)
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
	if size > 200_000 {
		t.Errorf("the demo's feeds take %d bytes of the binary, want at most 200,000", size)
	}
}
