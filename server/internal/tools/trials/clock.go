package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// moveClock moves the clock forward, by up to 150 minutes or past midnight, and restarts the servers.
func (t *harness) moveClock(c chance, _ Step) {
	now := t.clock.now()
	to := now.Add(40 * time.Minute)
	switch c.IntN(4) {
	case 0:
		to = hourOf(now).Add(time.Hour + 7*time.Minute)
	case 1:
		to = now.Add(150 * time.Minute)
	case 2:
		to = midnight(now).Add(9 * time.Minute)
	}
	t.putClock(c, to)
}

// midnight returns the next midnight in Brasilia.
func midnight(now time.Time) time.Time {
	day, _ := time.ParseInLocation(dayForm, addDays(dayOf(now), 1), brasilia)
	return day
}

// putClock sets the clock and restarts the servers one after the other.
func (t *harness) putClock(c chance, to time.Time) {
	t.clock.put(to)
	for _, s := range t.servers {
		t.restart(s, c.one(4))
	}
	t.calm()
}

// clockBack moves the clock back by some hours.
func (t *harness) clockBack(c chance, _ Step) {
	t.putClock(c, t.clock.now().Add(-time.Duration(1+c.IntN(3))*time.Hour-11*time.Minute))
}

// leaseEnds moves the clock of loads forward until the lease of a load that died or stopped has ended.
func (t *harness) leaseEnds() { t.clock.offset += 70 * time.Second }

// nextHour lets an hour, or a day, begin while the servers answer.
func (t *harness) nextHour(c chance, _ Step) {
	next := hourOf(t.clock.now()).Add(time.Hour)
	if c.one(2) {
		next = midnight(t.clock.now())
	}
	t.putClock(c, next.Add(-1500*time.Millisecond))
	for t.clock.now().Before(next.Add(500 * time.Millisecond)) {
		t.something(c)
	}
	t.putClock(c, next.Add(8*time.Minute))
}

// brasilia is the zone of days and hours (G2).
var brasilia = time.FixedZone("", -3*60*60)

const (
	dayForm          = "2006-01-02"
	schoolsHistory   = "2026-01-01" // G6
	librariesHistory = "2026-07-21"
)

// dayOf returns the day of an instant as answers show it. Days compare as texts.
func dayOf(t time.Time) string { return t.In(brasilia).Format(dayForm) }

// addDays returns the day n days later.
func addDays(day string, n int) string {
	t, _ := time.ParseInLocation(dayForm, day, brasilia)
	return t.AddDate(0, 0, n).Format(dayForm)
}

// inUTC and inBrasilia format times as answers show them, in UTC or in Brasilia's time.
func inUTC(t time.Time) string      { return t.UTC().Format("2006-01-02T15:04:05Z") }
func inBrasilia(t time.Time) string { return t.In(brasilia).Format("2006-01-02 15:04:05") }

// hourOf rounds an instant down to the full hour. Brasilia's hours begin when UTC's do.
func hourOf(t time.Time) time.Time { return t.UTC().Truncate(time.Hour) }

func tenths(n int) json.Number     { return json.Number(fmt.Sprintf("%d.%d", n/10, n%10)) }
func hundredths(n int) json.Number { return json.Number(fmt.Sprintf("%d.%02d", n/100, n%100)) }
func whole(n int) json.Number      { return json.Number(strconv.Itoa(n)) }

// rounded returns the quotient of numbers that are not negative, rounded half away from zero (G5).
func rounded(n, d int) int { return (2*n + d) / (2 * d) }

// text returns a text as answers show it: null if it is empty.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// A row is a row of an answer, or of a feed.
type row = map[string]any

// line returns a text that is the same for equal rows.
func line(r any) string {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(b)
}
