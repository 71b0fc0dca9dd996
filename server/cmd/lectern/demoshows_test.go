package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
)

// demoList has the members of a response that the test reads.
type demoList struct {
	Data struct {
		Stock struct {
			Histogram []struct {
				Band  string
				Count int
			}
		}
		Breakdown    []struct{ Label string }
		DeletedUsers struct{ Monthly []struct{ Total int } }
		Rows         []struct {
			Profile, Stage, Status string
			Grade, TitleQueue      int
			School, Class          *struct{ Name string }
			Book                   struct{ ISBN string }
			Purchases              []struct{ ExpiresAt string }
		}
	}
}

// TestDemoShows tests that the demo has data of every kind that the product tells apart. These are schools, stages,
// grades, teachers, ISBNs, bands of consumption, queues, lines that end soon, deleted accounts, libraries, cities and
// ages.
func TestDemoShows(t *testing.T) {
	t.Chdir(t.TempDir())
	const today = "2026-11-21"
	t.Setenv(clockVariable, today+"T12:00:00-03:00")
	whileServing(t, []string{"demo", "--addr", "127.0.0.1:0", "--schools-rate", "0", "--libraries-rate", "0"}, "Ctrl-C", func(lines string) {
		base := regexp.MustCompile(`http://[^/\s]+`).FindString(lines)
		key := func(api string) string {
			return regexp.MustCompile(api + ` key[^\n]*: (\S+)`).FindStringSubmatch(lines)[1]
		}
		get := func(api, key, target string) (list demoList) {
			t.Helper()
			status, body := fetch(t, fmt.Sprintf("%s/api-platform/%s/v1/%s", base, api, target), key)
			if err := json.Unmarshal([]byte(body), &list); status != 200 || err != nil {
				t.Fatalf("GET %s = %d %.300s, %v", target, status, body, err)
			}
			return list
		}
		schools, libraries := key("Schools"), key("Libraries")
		atLeast := func(what string, n, least int) {
			t.Helper()
			if n < least {
				t.Errorf("the demo has %d %s, want at least %d", n, what, least)
			}
		}
		names, stages, grades, teachers := map[string]bool{}, map[string]bool{}, map[int]bool{}, 0
		for _, u := range get("schools", schools, "users?pageSize=1000").Data.Rows {
			if stages[u.Stage], grades[u.Grade] = true, true; u.School != nil {
				names[u.School.Name] = true
			}
			if u.Profile == "teacher" {
				teachers++
			}
		}
		atLeast("schools", len(names), 3)
		atLeast("stages, counting none", len(stages), 5)
		atLeast("grades, counting none", len(grades), 6)
		atLeast("teachers", teachers, 3)
		isbns := map[string]bool{}
		for _, r := range get("schools", schools, "readings?pageSize=1000").Data.Rows {
			isbns[r.Book.ISBN] = true
		}
		atLeast("ISBNs that were read in 30 days", len(isbns), 40)

		summary := get("libraries", libraries, "summary")
		atLeast("bands", len(summary.Data.Stock.Histogram), 12)
		for _, b := range summary.Data.Stock.Histogram {
			atLeast("titles in the band "+b.Band, b.Count, 1)
		}
		atLeast("months with deleted accounts", len(summary.Data.DeletedUsers.Monthly), 5) // from July, when the history begins
		for _, m := range summary.Data.DeletedUsers.Monthly {
			atLeast("accounts deleted in a month", m.Total, 1)
		}
		for by, least := range map[string]int{"library": 4, "city": 10, "ageGroup": 6} {
			atLeast("groups by "+by, len(get("libraries", libraries, "summary?groupBy="+by).Data.Breakdown), least)
		}
		longest, available := 0, 0
		for _, r := range get("libraries", libraries, "datasets/reservations?pageSize=1000").Data.Rows {
			if longest = max(longest, r.TitleQueue); r.Status == "available" {
				available++
			}
		}
		atLeast("readers in the longest queue", longest, 8)
		atLeast("reservations that can be fetched", available, 1)
		soon, last := 0, "2027-01-20"
		for _, r := range get("libraries", libraries, "datasets/stock?pageSize=100").Data.Rows {
			for _, p := range r.Purchases {
				if p.ExpiresAt > today && p.ExpiresAt <= last {
					soon++
				}
			}
		}
		atLeast("lines that end within 60 days", soon, 4)
	})
}
