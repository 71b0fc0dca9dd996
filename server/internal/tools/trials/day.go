package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// brasilia is the zone of days and hours (G2).
var brasilia = time.FixedZone("", -3*60*60)

const (
	dayForm          = "2006-01-02"
	schoolsHistory   = "2026-01-01" // G6
	librariesHistory = "2026-07-21"
)

// dayOf is the day of an instant, as answers have it. Days compare as texts.
func dayOf(t time.Time) string { return t.In(brasilia).Format(dayForm) }

// addDays returns the day a number of days later.
func addDays(day string, n int) string {
	t, _ := time.ParseInLocation(dayForm, day, brasilia)
	return t.AddDate(0, 0, n).Format(dayForm)
}

// inUTC is how the schools show a time, and inBrasilia the libraries.
func inUTC(t time.Time) string      { return t.UTC().Format("2006-01-02T15:04:05Z") }
func inBrasilia(t time.Time) string { return t.In(brasilia).Format("2006-01-02 15:04:05") }

// hourOf is the full hour of an instant; Brasilia's hours begin when UTC's do.
func hourOf(t time.Time) time.Time { return t.UTC().Truncate(time.Hour) }

// tenths is a number of tenths as answers show it, hundredths one of hundredths.
func tenths(n int) json.Number     { return json.Number(fmt.Sprintf("%d.%d", n/10, n%10)) }
func hundredths(n int) json.Number { return json.Number(fmt.Sprintf("%d.%02d", n/100, n%100)) }
func whole(n int) json.Number      { return json.Number(strconv.Itoa(n)) }

// rounded is a quotient of numbers that are not negative, half away from zero (G5).
func rounded(n, d int) int { return (2*n + d) / (2 * d) }

// text is a text as answers show it: null where it is empty.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// A row is a row of an answer, or of a feed.
type row = map[string]any

// line is a row as a text that is the same for the same row.
func line(r any) string {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(b)
}
