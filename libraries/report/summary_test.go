package report_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// wholePage is a page that is large enough for all rows.
var wholePage = paging.Page{Number: 1, Size: 1000}

// firstDays is the period of the first days of the history.
func firstDays(n int) calendar.Period {
	return calendar.Period{Start: libraries.HistoryStart, End: libraries.HistoryStart + calendar.Date(n-1)}
}

// TestSummaryWithoutVideo tests that materials.video is null without videos, and that a summary without data has zeros.
func TestSummaryWithoutVideo(t *testing.T) {
	n := (&network{books: []libraries.Book{{ID: 1, HasEbook: true}}}).pack(t)
	q := report.SummaryQuery{Period: firstDays(10), Today: libraries.HistoryStart + 40, GroupBy: report.ByCity}
	s, err := n.reports().Summary(t.Context(), n.access(), q, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	if s.Profile.Video != nil || s.Profile.Ebook.Titles != 1 || s.General != (report.General{}) || len(s.Breakdown) != 0 {
		t.Errorf("summary of a network with one title: %+v", s)
	}
	// Before the first load, now is the day of the query.
	if days := s.Deleted.Daily; len(days) != 30 || days[29].Day != q.Today || len(s.Deleted.Monthly) != 2 || len(s.Monthly) != 1 {
		t.Errorf("days and months up to %s: %+v, %+v", q.Today, s.Deleted, s.Monthly)
	}
}

// TestSummaryActiveLoans tests that returns of loans made before the period do not make the number negative.
func TestSummaryActiveLoans(t *testing.T) {
	g := report.General{Sums: metric.Measures{metric.Loans: 3, metric.Returns: 5}}
	if got := g.ActiveLoans(); got != 0 {
		t.Errorf("3 loans and 5 returns: %d active, want 0", got)
	}
	if g.Sums[metric.Loans] = 7; g.ActiveLoans() != 2 {
		t.Errorf("7 loans and 5 returns: %d active, want 2", g.ActiveLoans())
	}
}

// TestSummaryChannelsSilent tests that channels are not available without an answer, and that the next summary asks again.
func TestSummaryChannelsSilent(t *testing.T) {
	n := village(t)
	reports := n.reports()
	reports.Channels = n
	q := report.SummaryQuery{Period: firstDays(10)}
	summary := func() report.ChannelTotals {
		t.Helper()
		s, err := reports.Summary(t.Context(), n.access(), q, wholePage)
		if err != nil {
			t.Fatal(err)
		}
		return s.Channels
	}
	n.channelsErr = fmt.Errorf("asking: %w", report.ErrChannels)
	if got := summary(); got != (report.ChannelTotals{}) {
		t.Errorf("without an answer: %+v, want zeros, not available", got)
	}
	n.channelsErr = nil
	want := report.ChannelTotals{Available: true, AppEstimated: true, Mobile: 4, Tablet: 1, App: 7}
	if got := summary(); got != want || !got.Available {
		t.Errorf("with an answer: %+v, want %+v", got, want)
	}
	n.channelsErr = fmt.Errorf("asking again: %w", report.ErrChannels)
	if got := summary(); got != (report.ChannelTotals{}) {
		t.Errorf("channels after the source failed = %+v, want zeros, not available", got)
	}
	n.channelsErr = errors.New("disk on fire")
	if _, err := reports.Summary(t.Context(), n.access(), q, wholePage); !errors.Is(err, n.channelsErr) {
		t.Errorf("Summary = %v, want %v", err, n.channelsErr)
	}
}

// TestSummaryAgain tests that a repeated summary reads only the channels again, and that a summary after a load is of
// the new snapshot.
func TestSummaryAgain(t *testing.T) {
	n := village(t)
	reports, before := n.reports(), n.access()
	q := report.SummaryQuery{Period: firstDays(30), GroupBy: report.ByCity}
	first, err := reports.Summary(t.Context(), before, q, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	for key, v := range reports.Cache.(*keepAll).values {
		if v.value.Bytes() <= 0 {
			t.Errorf("Bytes of %s = %d, want more than 0", key.What, v.value.Bytes())
		}
	}
	reads := n.reads // channels are read again, since their source may be another one
	q.Today++        // the answer does not depend on the clock
	again, err := reports.Summary(t.Context(), before, q, wholePage)
	if err != nil || n.reads > reads+1 || !reflect.DeepEqual(first, again) {
		t.Errorf("again: %v, %d more reads, want the same summary and at most 1", err, n.reads-reads)
	}
	n.at = snapshot.Versions{Registers: 5, Facts: 5}
	n.readers = n.readers[:0]
	n.deltas = nil
	n.pack(t)
	q.Period.End-- // not in the cache
	after, err := reports.Summary(t.Context(), n.access(), q, wholePage)
	if err != nil || after.General.RegisteredUsers != 0 {
		t.Errorf("after a load: %+v, %v, want no readers", after, err)
	}
}

// TestSummaryCorrupt tests that blocks that do not fit the tables are an error, not a panic or a wrong number.
func TestSummaryCorrupt(t *testing.T) {
	breaks := map[string]func(n *network){
		"a missing reader": func(n *network) { n.blocks = n.blocks[:1] },
		"a missing title":  func(n *network) { n.books = n.books[1:] },
		"a corrupt block": func(n *network) {
			for d, f := range n.forms {
				f.Readers = f.Readers[:max(len(f.Readers)-1, 0)]
				n.forms[d] = f
			}
		},
	}
	for name, breaks := range breaks {
		n := village(t)
		breaks(n)
		q := report.SummaryQuery{Period: firstDays(10), GroupBy: report.ByState}
		if _, err := n.reports().Summary(t.Context(), n.access(), q, wholePage); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: error %v, want ErrCorrupt", name, err)
		}
	}
}

// TestChannelSums tests that sums stop at the largest number instead of turning negative.
func TestChannelSums(t *testing.T) {
	n, source := village(t), &network{}
	source.at = n.at
	for day := range calendar.Date(2000) {
		for c := libraries.WebMobile; c <= libraries.App; c++ {
			source.channels = append(source.channels, libraries.ChannelDay{Day: libraries.HistoryStart + day, Channel: c, Sessions: 1<<53 - 1})
		}
	}
	reports := n.reports()
	reports.Channels = source
	period := calendar.Period{Start: libraries.HistoryStart, End: libraries.HistoryStart + 2000}
	s, err := reports.Summary(t.Context(), n.access(), report.SummaryQuery{Period: period}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Channels; c.App != math.MaxInt64 || c.Web() != math.MaxInt64 || c.Total() != math.MaxInt64 {
		t.Errorf("app %d, web %d, total %d, want the largest number", c.App, c.Web(), c.Total())
	}
	period.End = period.Start + 999 // 1,000 days of one channel stay below it
	s, err = reports.Summary(t.Context(), n.access(), report.SummaryQuery{Period: period}, wholePage)
	if err != nil || s.Channels.App != 1000*(1<<53-1) || s.Channels.Web() != math.MaxInt64 {
		t.Errorf("1,000 days: %+v, %v", s.Channels, err)
	}
}

// TestDeletedUsers tests readers of each status on both sides of the first day of the history, of the last 30 days, and
// of now (L12). withLoans counts only the deactivated ones.
func TestDeletedUsers(t *testing.T) {
	now := libraries.HistoryStart + 60
	for _, test := range []struct {
		rule                         string
		status                       libraries.ReaderStatus
		day                          calendar.Date
		loans                        int64
		total, last30, withLoans, in int64 // in: the last 30 days one by one
	}{
		{"active", libraries.ReaderActive, 0, 3, 0, 0, 0, 0},
		{"deactivated with a loan", libraries.ReaderDeactivated, now, 1, 1, 1, 1, 1},
		{"deactivated without", libraries.ReaderDeactivated, now, 0, 1, 1, 0, 1},
		{"deleted with a loan", libraries.ReaderDeleted, now, 1, 1, 1, 0, 1},
		{"deleted without", libraries.ReaderDeleted, now, 0, 1, 1, 0, 1},
		{"on the first of the last 30 days", libraries.ReaderDeleted, now - 29, 0, 1, 1, 0, 1},
		{"on the day before", libraries.ReaderDeleted, now - 30, 0, 1, 0, 0, 0},
		{"on the first day of the history", libraries.ReaderDeactivated, libraries.HistoryStart, 2, 1, 0, 1, 0},
		{"before the history", libraries.ReaderDeactivated, libraries.HistoryStart - 1, 2, 0, 0, 0, 0},
		{"after now", libraries.ReaderDeactivated, now + 1, 2, 1, 0, 1, 0},
	} {
		n := &network{hour: libraries.HourOf(now.Start()), readers: []facts.Attributes{
			{ID: 1, Library: libraries.None, AgeGroup: libraries.None, Status: test.status, DeletedAt: test.day, Loans: test.loans},
		}}
		s, err := n.pack(t).reports().Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(20)}, wholePage)
		noError(t, err)
		d, in := s.Deleted, int64(0)
		for _, one := range d.Daily {
			in += one.Total
		}
		if d.Total != test.total || d.Last30Days != test.last30 || d.WithLoans != test.withLoans || in != test.in || len(d.Daily) != 30 {
			t.Errorf("%s: total %d, last 30 days %d, withLoans %d, daily %d in %d days, want %d, %d, %d, %d in 30",
				test.rule, d.Total, d.Last30Days, d.WithLoans, in, len(d.Daily), test.total, test.last30, test.withLoans, test.in)
		}
	}
}
