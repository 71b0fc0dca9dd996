package facts_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// aggregated has the days and the counts of titles after feeds of reader 1, one after the other.
type aggregated struct {
	days   map[calendar.Date]*facts.Day
	titles facts.CountsByTitle
	c      facts.Change // of the last feed
}

func aggregate(t *testing.T, feeds ...libraries.ReaderFeed) aggregated {
	t.Helper()
	a := aggregated{days: map[calendar.Date]*facts.Day{}}
	stored := facts.Stored{Events: map[snapshot.BlockKey]*facts.EventSet{}}
	for _, d := range feeds {
		var err error
		d.Reader = 1
		a.c, err = stored.Aggregate(d)
		noError(t, err)
		if a.c.Titles != nil {
			stored.Titles = a.c.Titles
		}
		for _, delta := range a.c.Days {
			if a.days[delta.Day] == nil {
				a.days[delta.Day] = &facts.Day{}
			}
			noError(t, a.days[delta.Day].Add(delta))
		}
		n, err := (&facts.Network{Titles: a.titles}).Add(a.c.Counts, nil)
		noError(t, err)
		a.titles = n.Titles
	}
	return a
}

// rows returns each day that has a row, with the sums of some measures and the events of its logins.
func (a aggregated) rows(t *testing.T, measures ...metric.Metric) string {
	t.Helper()
	var rows []string
	for _, date := range slices.Sorted(maps.Keys(a.days)) {
		forms, sums := a.days[date].Forms(), a.days[date].Totals().Sums
		if forms.Readers == nil {
			continue
		}
		var readers facts.DayOfReaders
		noError(t, packed.Open(forms.Readers, &readers))
		row, events := date.String()[8:]+":", int32(0)
		for _, m := range measures {
			row += fmt.Sprint(" ", sums[m])
		}
		noError(t, readers.VisitLogins(func(_ int, p libraries.Presence) { events += p.Events }))
		rows = append(rows, fmt.Sprint(row, " events ", events))
	}
	return strings.Join(rows, ", ")
}

// at returns an instant of August 2026 in Brasilia, such as "03 14:30:00".
func at(text string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04:05", "2026-08-"+text, calendar.Brasilia())
	if err != nil {
		panic(err)
	}
	return t
}

// sessionAt returns a session of title 10 by reader 1.
func sessionAt(when string, progress libraries.Progress) libraries.Event {
	day := calendar.Day(at(when))
	return libraries.Event{
		Kind: libraries.SessionEvent, ID: libraries.NewEventID(libraries.SessionResource, []byte(when), 1, day), Reader: 1, Book: 10,
		Day: day, Second: libraries.Second(at(when)), Seconds: 60, Progress: progress, Mode: libraries.Online, Format: libraries.Ebook,
	}
}

// loanAt returns a loan of title 10 by reader 1. An active loan has an empty ended.
func loanAt(borrowed string, status libraries.LoanStatus, ended string) libraries.Loan {
	l := libraries.Loan{ID: 1, Reader: 1, Book: 10, Borrowed: at(borrowed), Status: status}
	if ended != "" {
		l.Returned = at(ended)
	}
	return l
}

func TestAggregateRules(t *testing.T) {
	sessions := func(events ...libraries.Event) libraries.ReaderFeed { return libraries.ReaderFeed{Events: events} }
	lent := func(l libraries.Loan, was ...libraries.Loan) libraries.ReaderFeed {
		c := libraries.LoanChange{Now: l}
		if len(was) > 0 {
			c.Was = &was[0]
		}
		return libraries.ReaderFeed{Loans: []libraries.LoanChange{c}}
	}
	active := loanAt("03 10:00:00", libraries.LoanActive, "")
	returned := loanAt("03 10:00:00", libraries.LoanReturned, "05 11:00:00")
	expired := loanAt("03 10:00:00", libraries.LoanExpired, "05 11:00:00")
	for _, test := range []struct {
		rule       string
		deliveries []libraries.ReaderFeed
		want       string // rows of days with logins, loans, returns, readings10, readings50; events; then the counts
	}{
		{"9.999 percent is no reading", []libraries.ReaderFeed{sessions(sessionAt("01 10:00:00", 9_999))},
			"01: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"10 percent is a reading, but without a loan no stock reading", []libraries.ReaderFeed{sessions(sessionAt("01 10:00:00", 10_000))},
			"01: 1 0 0 1 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"49.999 percent has not finished", []libraries.ReaderFeed{sessions(sessionAt("01 10:00:00", 49_999))},
			"01: 1 0 0 1 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"50 percent has finished", []libraries.ReaderFeed{sessions(sessionAt("01 10:00:00", 50_000))},
			"01: 1 0 0 1 1 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a pair counts only once", []libraries.ReaderFeed{sessions(sessionAt("01 10:00:00", 50_000), sessionAt("02 10:00:00", 60_000))},
			"01: 1 0 0 1 1 events 1, 02: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a late session moves the crossing to its day", []libraries.ReaderFeed{sessions(sessionAt("03 10:00:00", 55_000)), sessions(sessionAt("02 10:00:00", 12_000))},
			"02: 1 0 0 1 0 events 1, 03: 1 0 0 0 1 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a repeated session does not count", []libraries.ReaderFeed{sessions(sessionAt("01 10:00:00", 10_000), sessionAt("01 10:00:00", 10_000)), sessions(sessionAt("01 10:00:00", 50_000))},
			"01: 1 0 0 1 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a day ends at midnight in Brasilia", []libraries.ReaderFeed{sessions(sessionAt("01 23:59:59", 0), sessionAt("02 00:00:00", 0))},
			"01: 1 0 0 0 0 events 1, 02: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a loan made is activity", []libraries.ReaderFeed{lent(active)},
			"03: 1 1 0 0 0 events 1; 0 readings, 1 active, 0 confirmed"},
		{"a return by the reader is activity", []libraries.ReaderFeed{lent(returned)},
			"03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"an expiry is a return without a login", []libraries.ReaderFeed{lent(expired)},
			"03: 1 1 0 0 0 events 1, 05: 0 0 1 0 0 events 0; 0 readings, 0 active, 0 confirmed"},
		{"a return that becomes an expiry loses its login", []libraries.ReaderFeed{lent(returned), lent(expired, returned)},
			"03: 1 1 0 0 0 events 1, 05: 0 0 1 0 0 events 0; 0 readings, 0 active, 0 confirmed"},
		{"a reverted return", []libraries.ReaderFeed{lent(active), lent(returned, active), lent(active, returned)},
			"03: 1 1 0 0 0 events 1; 0 readings, 1 active, 0 confirmed"},
		{"a return of another day", []libraries.ReaderFeed{lent(returned), lent(loanAt("03 10:00:00", libraries.LoanReturned, "06 00:00:00"), returned)},
			"03: 1 1 0 0 0 events 1, 06: 1 0 1 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a session of the loan's day confirms it", []libraries.ReaderFeed{lent(active), sessions(sessionAt("03 09:00:00", 9_999))},
			"03: 1 1 0 0 0 events 2; 0 readings, 1 active, 1 confirmed"},
		{"a session of the day before does not confirm it", []libraries.ReaderFeed{lent(active), sessions(sessionAt("02 23:59:59", 9_999))},
			"02: 1 0 0 0 0 events 1, 03: 1 1 0 0 0 events 1; 0 readings, 1 active, 0 confirmed"},
		{"a loan stays confirmed when it has ended", []libraries.ReaderFeed{sessions(sessionAt("03 09:00:00", 0)), lent(active), lent(expired, active)},
			"03: 1 1 0 0 0 events 2, 05: 0 0 1 0 0 events 0; 0 readings, 0 active, 1 confirmed"},
		{"a session of the return's day confirms it, after the return too", []libraries.ReaderFeed{lent(returned), sessions(sessionAt("05 23:59:59", 0))},
			"03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 2; 0 readings, 0 active, 1 confirmed"},
		{"a session of the day after the return does not", []libraries.ReaderFeed{lent(returned), sessions(sessionAt("06 00:00:00", 50_000))},
			"03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 1, 06: 1 0 0 1 1 events 1; 1 readings, 0 active, 0 confirmed"},
		{"a session of the day after the expiry does not", []libraries.ReaderFeed{sessions(sessionAt("06 00:00:00", 0)), lent(expired)},
			"03: 1 1 0 0 0 events 1, 05: 0 0 1 0 0 events 0, 06: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a loan is no longer confirmed if it ended before the session", []libraries.ReaderFeed{lent(active), sessions(sessionAt("06 00:00:00", 0)), lent(returned, active)},
			"03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 1, 06: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a loan is confirmed again if its end is reverted", []libraries.ReaderFeed{lent(returned), sessions(sessionAt("06 00:00:00", 0)), lent(active, returned)},
			"03: 1 1 0 0 0 events 1, 06: 1 0 0 0 0 events 1; 0 readings, 1 active, 1 confirmed"},
		{"sessions before a loan and after it do not confirm it", []libraries.ReaderFeed{sessions(sessionAt("02 10:00:00", 0), sessionAt("06 10:00:00", 0)), lent(returned)},
			"02: 1 0 0 0 0 events 1, 03: 1 1 0 0 0 events 1, 05: 1 0 1 0 0 events 1, 06: 1 0 0 0 0 events 1; 0 readings, 0 active, 0 confirmed"},
		{"a late session between them does", []libraries.ReaderFeed{sessions(sessionAt("02 10:00:00", 0), sessionAt("06 10:00:00", 0)), lent(returned), sessions(sessionAt("04 10:00:00", 0))},
			"02: 1 0 0 0 0 events 1, 03: 1 1 0 0 0 events 1, 04: 1 0 0 0 0 events 1, 05: 1 0 1 0 0 events 1, 06: 1 0 0 0 0 events 1; 0 readings, 0 active, 1 confirmed"},
		{"10 percent and a loan at any time are a stock reading", []libraries.ReaderFeed{sessions(sessionAt("01 09:00:00", 10_000)), lent(active)},
			"01: 1 0 0 1 0 events 1, 03: 1 1 0 0 0 events 1; 1 readings, 1 active, 0 confirmed"},
	} {
		a := aggregate(t, test.deliveries...)
		got := a.rows(t, metric.Logins, metric.Loans, metric.Returns, metric.Readings10, metric.Readings50)
		h := a.titles.Of(10)
		if got += fmt.Sprintf("; %d readings, %d active, %d confirmed", h.Readings, h.ActiveLoans, h.Confirmed); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.rule, got, test.want)
		}
	}
}

// TestAggregateChangesNothing tests that a feed that changes no count writes no day and no title.
func TestAggregateChangesNothing(t *testing.T) {
	was := loanAt("03 10:00:00", libraries.LoanReturned, "05 11:00:00")
	now := was
	due := calendar.Day(at("20 00:00:00"))
	now.Due, now.Returned = &due, was.Returned.Add(time.Millisecond)
	reserved := libraries.Reservation{ID: 3, Reader: 1, Book: 10, Reserved: at("02 00:00:00"), Status: libraries.Waiting, Position: 2}
	next := reserved
	next.Position = 1
	event := sessionAt("04 10:00:00", 10_000)
	stored := facts.Stored{Events: map[snapshot.BlockKey]*facts.EventSet{}}
	first, err := stored.Aggregate(libraries.ReaderFeed{Reader: 1, Events: []libraries.Event{event}})
	noError(t, err)
	stored.Titles = first.Titles
	c, err := stored.Aggregate(libraries.ReaderFeed{
		Reader: 1, Events: []libraries.Event{event}, Loans: []libraries.LoanChange{{Now: now, Was: &was}},
		Reservations: []libraries.ReservationChange{{Now: next, Was: &reserved}},
	})
	noError(t, err)
	if c.Titles != nil || len(c.Days)+len(c.Counts) > 0 || c.Loans != 0 || c.ActiveReservations != 0 || c.New != 0 || c.Repeated != 1 {
		t.Errorf("Aggregate of known rows = %+v, want no change and 1 repeated", c)
	}
}

func TestAggregateErrors(t *testing.T) {
	loan, strange := loanAt("03 10:00:00", libraries.LoanActive, ""), sessionAt("01 10:00:00", 0)
	strange.Kind = libraries.LoanEvent
	for name, d := range map[string]libraries.ReaderFeed{
		"a loan among the events":    {Reader: 1, Events: []libraries.Event{strange}},
		"a loan that was never lent": {Reader: 1, Loans: []libraries.LoanChange{{Now: loanAt("03 10:00:00", libraries.LoanExpired, "05 11:00:00"), Was: &loan}}},
	} {
		if c, err := (facts.Stored{Events: map[snapshot.BlockKey]*facts.EventSet{}}).Aggregate(d); err == nil {
			t.Errorf("Aggregate of %s = %+v, want an error", name, c)
		}
	}
}

// TestAggregateMeasures tests one event of each kind, and reservations of each status, on their days.
func TestAggregateMeasures(t *testing.T) {
	day := calendar.Day(at("01 00:00:00"))
	event := func(kind libraries.EventKind, id byte, second int32) libraries.Event {
		return libraries.Event{Kind: kind, ID: libraries.EventID(id), Reader: 1, Book: 10, Day: day, Second: second}
	}
	activity, listened := event(libraries.ActivityEvent, 1, 10), event(libraries.SessionEvent, 2, 20)
	activity.Book = 0
	listened.Mode, listened.Format, listened.Seconds, listened.Book = libraries.Offline, libraries.Audiobook, 100, 20
	read := sessionAt("01 00:00:30", 10_000) // online, 60 seconds
	reserved := func(id int64, status libraries.ReservationStatus, resolved string) libraries.ReservationChange {
		r := libraries.Reservation{ID: id, Reader: 1, Book: 10, Reserved: at("02 12:00:00"), Position: libraries.None, Status: status}
		if resolved != "" {
			r.Resolved = at(resolved)
		}
		return libraries.ReservationChange{Now: r}
	}
	request := libraries.Request{ID: 4, Reader: 1, Title: "a", Requested: at("07 10:00:00"), Availability: libraries.NotFound}
	a := aggregate(t, libraries.ReaderFeed{
		Events: []libraries.Event{activity, event(libraries.PreviewEvent, 3, 40), event(libraries.RenewalEvent, 4, 50), listened, read, read},
		Reservations: []libraries.ReservationChange{
			reserved(1, libraries.Waiting, ""), reserved(2, libraries.Available, ""), reserved(3, libraries.Converted, "04 12:00:00"),
			reserved(4, libraries.Cancelled, "05 12:00:00"), reserved(5, libraries.Lost, "06 12:00:00"),
		},
		Requests: []libraries.Request{request, request},
	})
	measures := []metric.Metric{
		metric.Previews, metric.Renewals, metric.ReadingSeconds, metric.ListeningSeconds, metric.ListeningSessions, metric.Readings10,
		metric.Reservations, metric.ReservationsConverted,
	}
	if got, want := a.rows(t, measures...), "01: 1 1 160 100 1 1 0 0 events 5, 02: 0 0 0 0 0 0 5 1 events 5"; got != want {
		t.Errorf("days =\n%s, want\n%s", got, want)
	}
	if c := a.c; c.New != 6 || c.Repeated != 2 || c.ActiveReservations != 2 || len(c.Requests) != 1 || a.titles.Of(10).ActiveReservations != 2 {
		t.Errorf("%d new, %d repeated, %d active reservations, %d requests, titles %+v, want 6, 2, 2, 1 and 2 of title 10",
			c.New, c.Repeated, c.ActiveReservations, len(c.Requests), a.titles)
	}
	if n := a.days[day+3].Totals().Sums[metric.ConvertedThatDay]; n != 1 {
		t.Errorf("%d reservations converted on day 4, want 1", n)
	}
	counts := a.days[day].Totals().Counts
	if counts != (metric.DayCounts{OnlineSessions: 1, OfflineSessions: 1, OnlineSeconds: 60, OfflineSeconds: 100}) {
		t.Errorf("counts of day 1 = %+v, want an online and an offline session", counts)
	}
	byStatus := a.days[day+1].Totals().Counts.ReservationsByStatus
	for s := libraries.Waiting; s <= libraries.Lost; s++ {
		if byStatus[s] != 1 {
			t.Errorf("%d reservations with status %s on day 2, want 1", byStatus[s], s)
		}
	}
	for d, want := range map[calendar.Date]metric.DayCounts{day + 4: {Cancelled: 1}, day + 5: {Lost: 1}} {
		if a.days[d] == nil || a.days[d].Totals().Counts != want {
			t.Errorf("counts of %s = %+v, want %+v", d, a.days[d], want)
		}
	}
}
