package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// month is the number of days of the summaries that are timed.
const month = 30

// window returns the month that ends so many days before the feed does.
func (b *libraryBench) window(ago int) calendar.Period {
	end := b.network.last() - calendar.Date(ago)
	return calendar.Period{Start: end - month + 1, End: end}
}

// asked returns the parameters of a period.
func asked(p calendar.Period) string { return fmt.Sprintf("?startDate=%v&endDate=%v", p.Start, p.End) }

// summaryCalls are the summaries that are timed: their names and parameters.
func (b *libraryBench) summaryCalls() []call {
	return []call{
		{"summary", ""},
		{"one state", "&state=" + url.QueryEscape(b.state)},
		{"one gender", "&gender=Feminino"},
		{"new readers", "&newUsers=true"},
		{"one state, one gender", "&gender=Feminino&state=" + url.QueryEscape(b.state)},
		{"by library", "&groupBy=library"},
		{"by state", "&groupBy=state"},
		{"by city", "&groupBy=city"},
		{"by age group", "&groupBy=ageGroup"},
	}
}

// summaries times the summaries of a month.
func (b *libraryBench) summaries(ctx context.Context) error {
	b.table.heading("summary of 30 days", "after a restart", "other 30 days", "moved by a day", "again", "ready-made", "SQL on daily rows")
	for _, c := range b.summaryCalls() {
		if err := b.summary(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// summary times one of them: the first request of a new process, days of which none was asked for before, a period of
// which one day was not, and the first again and again.
func (b *libraryBench) summary(ctx context.Context, c call) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	path := func(ago int) string { return "/summary" + asked(b.window(ago)) + c.path }
	restart, body, err := s.body(path(0))
	if err != nil {
		return err
	}
	again, err := s.median(func(int) string { return path(0) })
	if err != nil {
		return err
	}
	other, moved, unasked := "–", "–", restart
	if b.network.days >= 2*month {
		if unasked, _, err = s.body(path(month)); err != nil {
			return err
		}
		other = ms(unasked)
	}
	if most := min(b.network.days-month, month-1, repeats); most > 0 {
		took, err := s.medianOf(most, func(i int) string { return path(i + 1) })
		if err != nil {
			return err
		}
		moved = ms(took)
	}
	ready, err := readyMade(body)
	if err != nil {
		return err
	}
	sql := "–"
	if d, ok := b.sql[c.name]; ok {
		sql = fmt.Sprintf("%s: %.1f times the other days", ms(d), float64(d)/float64(unasked))
	}
	b.table.row(c.name, ms(restart), other, moved, ms(again), compare(ready, again), sql)
	return nil
}

// listCalls are the lists that are timed, with the most rows that a page may have.
func (b *libraryBench) listCalls() []listCall {
	last := b.network.last()
	days := asked(calendar.Period{Start: max(last-30, last-calendar.Date(b.network.days)+1), End: last})
	all := asked(calendar.Period{Start: last - calendar.Date(b.network.days) + 1, End: last})
	calls := []listCall{
		{"engagements, 31 days", "/engagements" + days, 1000},
		{"engagements, one day", "/engagements" + asked(calendar.Period{Start: last, End: last}), 1000},
		{"users", "/users?", 1000},
		{"users, one library", "/users?libraryId=" + b.library, 1000},
		{"users, changed in 7 days", fmt.Sprintf("/users?updatedSince=%v", last-6), 1000},
		{"loans, 31 days", "/datasets/loans" + days, 1000},
		{"loans, all days", "/datasets/loans" + all, 1000},
		{"loans, all days, active", "/datasets/loans" + all + "&status=active", 1000},
		{"reservations, all days", "/datasets/reservations" + all, 1000},
		{"logins, 31 days", "/datasets/logins" + days, 1000},
		{"suggestion-requests, all days", "/datasets/suggestion-requests" + all, 1000},
		{"suggestions, all days", "/datasets/suggestions" + all, 100},
		{"channels, 31 days", "/datasets/channels" + days, 0},
		{"dimensions", "/dimensions", 0},
	}
	for _, order := range []string{"title", "loans", "returns", "readings10", "readings50", "readingSeconds", "renewals", "reservations", "activeReservations", "convertedReservations"} {
		calls = append(calls, listCall{"books, 31 days, by " + order, "/datasets/books" + days + "&orderBy=" + order, 100})
	}
	for _, order := range []string{"title", "activeLoans", "readings", "possibleReadings", "percentage", "activeReservations"} {
		calls = append(calls, listCall{"stock, by " + order, "/datasets/stock?orderBy=" + order, 100})
	}
	return calls
}

// listCall is one list. One with a size of 0 has no pages.
type listCall struct {
	name, path string
	size       int
}

// lists times the lists.
func (b *libraryBench) lists(ctx context.Context) error {
	b.table.heading("list, pages of 1,000 or 100", "rows in all", "after a restart", "another page", "again: first", "middle", "last", "ready-made")
	for _, c := range b.listCalls() {
		if err := b.list(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// list times one of them.
func (b *libraryBench) list(ctx context.Context, c listCall) error {
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	if c.size == 0 {
		return b.unpaged(s, c)
	}
	path := fmt.Sprintf("%s&pageSize=%d", c.path, c.size)
	t, err := s.times(path, c.size)
	if err != nil {
		return err
	}
	_, body, err := s.body(path)
	if err != nil {
		return err
	}
	ready, err := readyMade(body)
	if err != nil {
		return err
	}
	b.table.row(c.name, fmt.Sprint(t.total), ms(t.restart), ms(t.other), ms(t.again[0]), ms(t.again[1]), ms(t.again[2]), compare(ready, t.again[0]))
	return nil
}

// unpaged times a list without pages.
func (b *libraryBench) unpaged(s *serving, c listCall) error {
	restart, body, err := s.body(c.path)
	if err != nil {
		return err
	}
	again, err := s.median(func(int) string { return c.path })
	if err != nil {
		return err
	}
	ready, err := readyMade(body)
	if err != nil {
		return err
	}
	b.table.row(c.name, "–", ms(restart), "–", ms(again), "–", "–", compare(ready, again))
	return nil
}

// readyMade returns the median time of a handler that does nothing but write the body.
func readyMade(body []byte) (time.Duration, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})}
	go srv.Serve(ln) // until it is closed
	defer srv.Close()
	s := &serving{url: "http://" + ln.Addr().String()}
	return s.median(func(int) string { return "/" })
}

// compare shows a baseline and how many times as long the product took.
func compare(ready, took time.Duration) string {
	return fmt.Sprintf("%s: %.1f times", ms(ready), float64(took)/float64(ready))
}
