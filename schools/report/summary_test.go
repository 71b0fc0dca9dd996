package report_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/report"
)

var everyRow = paging.Page{Number: 1, Size: 1_000_000}

// read returns an event of reading a part of a book, on a day of March or, from 32 on, of April 2026.
func read(id uint64, user directory.UserID, day calendar.Date, book, from, to int64) schools.Event {
	return schools.Event{ID: schools.EventID{Hash: id}, User: user, Day: calendar.MustParse("2026-02-28") + day, Effect: schools.EffectiveReading, Book: book,
		MS: 60_000, Extent: reading.Interval{From: from, To: to}}
}

// newSmallStore returns a store with a network of the school 2 "ávila", with the class 4, and the school 3 "Zulmira".
func newSmallStore(t *testing.T) *store {
	t.Helper()
	s := &store{newBlocks(t, newDB(t)), report.NewAccounts([]directory.Entity{
		{ID: 1, Ref: "n", Type: directory.Network, Name: "Rede"}, {ID: 2, Ref: "s", Type: directory.School, Name: "ávila", Parent: 1},
		{ID: 3, Ref: "z", Type: directory.School, Name: "Zulmira", Parent: 1}, {ID: 4, Ref: "c", Type: directory.Class, Name: "1A", Parent: 2},
	}, nil), schools.NewBooks(2)}
	s.accounts.Add(1, directory.Reader, 4, true, false)
	s.accounts.Add(2, directory.Reader, 3, true, false)
	s.accounts.Add(3, directory.Teacher, 1, false, false)
	s.accounts.Add(4, directory.Administrator, 1, true, false)
	s.books.Add(schools.Book{ID: 9, Title: "Iracema", Length: 100})
	s.books.Add(schools.Book{ID: 10, Length: 100})
	s.load(t, []schools.Event{
		read(1, 1, 1, 9, 0, 30), read(2, 1, 32, 9, 30, 60), // 30 percent in March and 30 in April: finished only in both together
		read(3, 2, 2, 9, 0, 49), read(4, 2, 2, 10, 0, 50), read(5, 2, 33, 10, 0, 1),
		{ID: schools.EventID{Hash: 6}, User: 3, Day: calendar.MustParse("2026-03-02"), Effect: schools.Presence},
	})
	return s
}

func TestSummaryOfASmallNetwork(t *testing.T) {
	reports := &report.Reports{Store: newSmallStore(t), Cache: &mapCache{}}
	ask := report.SummaryQuery{Period: calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-04-02")}}
	type row [9]int64 // the metrics in the order of the API
	for by, want := range map[report.GroupBy]string{
		0:               "[3 2 3 5 2 50 3 2 2]",
		report.ByMonth:  "2026-03 2026-03 [3 2 3 3 2 30 3 1 2], 2026-04 2026-04 [3 2 2 2 2 20 2 0 2]",
		report.BySchool: "2 ávila [1 1 1 2 1 20 1 1 1], 3 Zulmira [1 1 1 2 1 30 2 1 2],  Não informado [1 0 1 1 0 0 0 0 0]",
		report.ByClass:  "4 1A [1 1 1 2 1 20 1 1 1],  Não informado [2 1 2 3 1 30 2 1 2]",
		report.ByBook:   "9 Iracema [0 0 0 0 2 30 2 1 0], 10  [0 0 0 0 1 20 1 1 0]",
	} {
		ask.GroupBy = by
		sum, err := reports.Summary(t.Context(), report.Access{Network: 1}, ask, everyRow)
		if err != nil {
			t.Fatal(err)
		}
		text := func(m report.Metrics) string {
			return fmt.Sprint(row{m.Users, m.Active, m.WithAccess, m.AccessDays, m.Readers, int64(m.Minutes), m.Readings, m.Finished, m.DistinctBooks})
		}
		got := text(sum.General)
		for i, g := range sum.Groups.Rows {
			if i == 0 {
				got = ""
			} else {
				got += ", "
			}
			got += g.Key + " " + g.Label + " " + text(g.Metrics)
		}
		if got != want {
			t.Errorf("Summary by %q:\n got %s\nwant %s", by, got, want)
		}
	}
}

// TestSummaryDays tests that every day of the period is a group, also without an access, and that pages cut the groups.
func TestSummaryDays(t *testing.T) {
	reports := &report.Reports{Store: newSmallStore(t)}
	ask := report.SummaryQuery{Period: calendar.Period{Start: calendar.MustParse("2026-02-27"), End: calendar.MustParse("2026-03-03")}, GroupBy: report.ByDay}
	none := report.Metrics{Users: 3, Active: 2}
	sum, err := reports.Summary(t.Context(), report.Access{Network: 1}, ask, paging.Page{Number: 2, Size: 2})
	want := []report.Group{
		{Key: "2026-03-01", Label: "2026-03-01", Metrics: report.Metrics{Users: 3, Active: 2, WithAccess: 1, AccessDays: 1, Readers: 1, Minutes: 10}},
		{Key: "2026-03-02", Label: "2026-03-02", Metrics: report.Metrics{Users: 3, Active: 2, WithAccess: 2, AccessDays: 2, Readers: 1, Minutes: 20}},
	}
	if err != nil || sum.Groups.Total != 5 || !slices.Equal(sum.Groups.Rows, want) {
		t.Errorf("Summary, page 2 of size 2 = %+v, %v, want %+v of 5", sum.Groups, err, want)
	}
	sum, err = reports.Summary(t.Context(), report.Access{Network: 1}, ask, paging.Page{Number: 1, Size: 1})
	if want := []report.Group{{Key: "2026-02-27", Label: "2026-02-27", Metrics: none}}; err != nil || !slices.Equal(sum.Groups.Rows, want) {
		t.Errorf("a day without an access = %+v, %v, want %+v", sum.Groups.Rows, err, want)
	}
}

// TestSummaryOfManyUsers tests a summary of more users than are counted at once, whose records are read because the period cuts them.
func TestSummaryOfManyUsers(t *testing.T) {
	s := &store{newBlocks(t, newDB(t)), report.NewAccounts([]directory.Entity{{ID: 1, Ref: "n", Type: directory.Network, Name: "Rede"}}, nil), schools.NewBooks(1)}
	s.books.Add(schools.Book{ID: 9, Length: 100})
	var events []schools.Event
	const users = 5000
	for id := directory.UserID(1); id <= users; id++ {
		s.accounts.Add(id, directory.Reader, 1, true, false)
		events = append(events, read(uint64(2*id), id, 1, 9, 0, 40), read(uint64(2*id+1), id, 2, 9, 40, 80), read(uint64(3*users+id), id, 9, 9, 80, 90))
	}
	s.load(t, events)
	period := calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-02")}
	for range 2 {
		sum, err := (&report.Reports{Store: s}).Summary(t.Context(), report.Access{Network: 1}, report.SummaryQuery{Period: period, GroupBy: report.ByBook}, everyRow)
		want := report.Metrics{Readers: users, Minutes: 20 * users, Readings: users, Finished: users}
		if err != nil || len(sum.Groups.Rows) != 1 || sum.Groups.Rows[0].Metrics != want || sum.General.Finished != users {
			t.Errorf("Summary = %+v, %v, want %+v", sum, err, want)
		}
	}
}

// TestSummaryOfDamagedData tests that missing data is an error, and never makes a smaller number.
func TestSummaryOfDamagedData(t *testing.T) {
	ask := report.SummaryQuery{Period: calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}, GroupBy: report.ByBook}
	for what, harm := range map[string]func(*store){
		"a record": func(s *store) { s.harm(t, facts.RecordKind, snapshot.BlockKey{A: 1, B: 9}) },
		"a book":   func(s *store) { s.books = schools.NewBooks(0) },
		"sums and record": func(s *store) {
			s.harm(t, facts.SumsKind, snapshot.BlockKey{A: 2})
			s.harm(t, facts.RecordKind, snapshot.BlockKey{A: 2, B: 10})
		},
	} {
		s := newSmallStore(t)
		harm(s)
		if _, err := (&report.Reports{Store: s}).Summary(t.Context(), report.Access{Network: 1}, ask, everyRow); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("Summary without %s = %v, want ErrCorrupt", what, err)
		}
	}
}

// TestSummaryCancelled tests that a summary whose context is cancelled returns the error of the context.
func TestSummaryCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ask := report.SummaryQuery{Period: calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}}
	if _, err := (&report.Reports{Store: newSmallStore(t)}).Summary(ctx, report.Access{Network: 1}, ask, everyRow); !errors.Is(err, context.Canceled) {
		t.Errorf("Summary = %v, want %v", err, context.Canceled)
	}
}

// TestSummaryBooksInOrder tests that books are ordered by readers, then by number.
func TestSummaryBooksInOrder(t *testing.T) {
	s := newSmallStore(t)
	var more []schools.Event
	for i, book := range []int64{100, 99, 98} {
		s.books.Add(schools.Book{ID: book, Title: strconv.Itoa(i), Length: 10})
		more = append(more, read(uint64(50+i), 1, 5, book, 0, 1))
	}
	s.load(t, more)
	ask := report.SummaryQuery{Period: calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}, GroupBy: report.ByBook}
	sum, err := (&report.Reports{Store: s}).Summary(t.Context(), report.Access{Network: 1}, ask, everyRow)
	var got []string
	for _, g := range sum.Groups.Rows {
		got = append(got, g.Key)
	}
	if want := []string{"9", "10", "98", "99", "100"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("books = %v, %v, want %v", got, err, want)
	}
}
