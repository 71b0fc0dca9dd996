package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// schoolsParams give three schools of 400 pupils each, and 53 weeks from a Monday to a Sunday, of which a demo takes a year.
var schoolsParams = generate.Params{
	Users: 1250, Days: 371, First: calendar.MustParse("2025-08-18"), Seed: 2, BooksCSV: "sources/books.csv",
}

const (
	pupilsPerClass    = 6
	teachersPerSchool = 3
)

// classes are the degrees whose classes stay: of all stages.
var classes = []string{"IA", "1A", "3A", "5A", "7A", "9A", "M1A"}

// editSchools leaves some classes of each school with a few pupils, and makes one segment of the page views of a sitting.
func editSchools(all tables) error {
	kept := map[string]bool{}
	in := map[string]int{} // accounts by entity
	accounts := all["accounts"]
	ref, kind, entity := accounts.at("referenceId"), accounts.at("kind"), accounts.at("entityReferenceId")
	accounts.rows = slices.DeleteFunc(accounts.rows, func(r []string) bool {
		in[r[entity]]++
		switch r[kind] {
		case "reader":
			kept[r[ref]] = slices.Contains(classes, degree(r[entity])) && in[r[entity]] <= pupilsPerClass
		case "teacher":
			kept[r[ref]] = in[r[entity]] <= teachersPerSchool
		default:
			kept[r[ref]] = true
		}
		return !kept[r[ref]]
	})
	all["entities"].keep("referenceId", func(ref string) bool {
		return !strings.HasPrefix(ref, "turma-") || slices.Contains(classes, degree(ref))
	})
	all["accesses"].keep("account", func(ref string) bool { return kept[ref] })
	all["segments"].keep("account", func(ref string) bool { return kept[ref] })
	all["accesses"].number("accessId", "at")
	return sittings(all["segments"])
}

// degree is that of a class's reference, with its letter: turma-99000012-7A.
func degree(ref string) string { return ref[strings.LastIndex(ref, "-")+1:] }

// number gives rows short identifiers in place of theirs, by account and time: neighbours that are alike take less room.
func (t *table) number(column, time string) {
	at, account, when := t.at(column), t.at("account"), t.at(time)
	slices.SortStableFunc(t.rows, func(a, b []string) int {
		return cmp.Or(strings.Compare(a[account], b[account]), strings.Compare(a[when], b[when]))
	})
	for i, r := range t.rows {
		r[at] = strconv.Itoa(i + 1)
	}
}

// sitting is what one account reads of one book without a break.
type sitting struct {
	account, book   string
	start, end      time.Time
	ms              int64
	from, to, pages int64 // pages are the words read, some of them again
	effective       bool
}

// sittings makes one segment of the effective page views of a sitting. Of the others, which count nothing, one in twenty stays.
func sittings(t *table) error {
	var rows [][]string
	under := map[string]*sitting{} // by account
	others := 0
	end := func(s *sitting) {
		if s != nil {
			rows = append(rows, s.row())
		}
	}
	for _, r := range t.rows {
		next, err := view(t, r)
		if err != nil {
			return err
		}
		if !next.effective {
			if others++; others%20 == 0 {
				rows = append(rows, r)
			}
			continue
		}
		s := under[next.account]
		if s != nil && s.book == next.book && next.start.Sub(s.end) < 10*time.Minute && calendar.Day(s.start) == calendar.Day(next.start) {
			s.ms, s.end = s.ms+next.ms, next.end
			s.from, s.to = min(s.from, next.from), max(s.to, next.to)
			s.pages += next.pages
			continue
		}
		end(s)
		under[next.account] = &next
	}
	var last []*sitting
	for _, s := range under {
		last = append(last, s)
	}
	slices.SortFunc(last, func(a, b *sitting) int { return strings.Compare(a.account, b.account) })
	for _, s := range last {
		end(s)
	}
	t.rows = rows
	t.number("segmentId", "startedAt")
	return nil
}

// view reads a row.
func view(t *table, r []string) (s sitting, err error) {
	s = sitting{account: r[t.at("account")], book: r[t.at("bookId")]}
	if s.start, err = time.Parse(time.RFC3339, r[t.at("startedAt")]); err != nil {
		return s, err
	}
	numbers := map[string]*int64{"durationMs": &s.ms, "from": &s.from, "to": &s.to}
	for column, n := range numbers {
		if *n, err = strconv.ParseInt(r[t.at(column)], 10, 64); err != nil {
			return s, err
		}
	}
	s.end, s.pages = s.start.Add(time.Duration(s.ms)*time.Millisecond), s.to-s.from
	wpm, err := strconv.ParseFloat(r[t.at("wpm")], 64)
	s.effective = err == nil && wpm >= 5 && wpm <= 800 // one without a speed is merged with none
	return s, nil
}

// row is the segment of a sitting, at whole seconds.
func (s *sitting) row() []string {
	ms := max(s.ms/1000, 1) * 1000
	wpm := math.Round(float64(s.pages) / (float64(ms) / 60_000))
	return []string{
		"", s.account, s.book, s.start.UTC().Truncate(time.Second).Format("2006-01-02T15:04:05Z"),
		fmt.Sprint(ms), fmt.Sprint(s.from), fmt.Sprint(s.to), fmt.Sprint(min(max(wpm, 5), 800)),
	}
}
