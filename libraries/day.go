package libraries

import (
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Metric is one of the numbers of an engagement row, or of a title's usage on a day.
type Metric uint8

// The metrics. Those up to ReservationsConverted are the fields of an engagement row, in their order.
const (
	Logins Metric = iota
	Loans
	Returns
	Readings10
	Readings50
	Previews
	DistinctBooks
	ReadingSeconds
	Renewals
	Reservations
	ReservationsConverted // of those made that day: dated by the reservation (L6)

	// ListeningSeconds are those of the sessions of format audiobook, a part of the ReadingSeconds. ListeningSessions are
	// these sessions: one of 0 seconds makes a listener too (L20). The sheets of titles do not have them.
	ListeningSeconds
	ListeningSessions

	// ConvertedThatDay are reservations by the day on which they were converted: books' convertedReservations, of titles
	// and of totals alone.
	ConvertedThatDay

	Metrics // how many there are
)

// inTitleSheet reports whether the sums of titles are kept of the metric.
func (m Metric) inTitleSheet() bool { return m.ofTitles() && m != ListeningSessions }

// Measures has a number for each metric.
type Measures [Metrics]int64

// Add adds n to m.
func (m *Measures) Add(n *Measures) {
	for i, v := range n {
		m[i] += v
	}
}

// DayDelta is what a Fold adds to a day, of one reader. Numbers are below 0 where a correction takes something back.
type DayDelta struct {
	Day    calendar.Date
	Reader int64
	// Presence are the events that never change: all activity but returns. Returned and Unreturned are the seconds of the
	// day of returns by the reader that are added and taken back.
	Presence             Presence
	Returned, Unreturned []int32
	// Books are the titles, ascending; their measures are the reader's too, but for ConvertedThatDay. Logins, DistinctBooks
	// and Previews are 0 there.
	Books    []BookDelta
	Previews int64
	// Totals are what is counted of the day as a whole: those that cannot be summed from readers or titles.
	Totals DayCounts
}

// BookDelta is the part of a DayDelta that is about one title. Read says that the reader had a session of it.
type BookDelta struct {
	Book     int64
	Read     bool
	Measures Measures
}

// DayCounts are the numbers of a day that are kept for the day as a whole.
type DayCounts struct {
	OnlineSessions, OfflineSessions int64
	OnlineSeconds, OfflineSeconds   int64
	Cancelled, Lost                 int64    // reservations, by the day on which they were resolved
	LoansByStatus                   [4]int64 // loans made that day, by present LoanStatus
	ReservationsByStatus            [6]int64 // reservations made that day, by present ReservationStatus
}
