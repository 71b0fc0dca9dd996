// Package metric has the numbers that a library network's reports sum by day: those of an engagement row, of a title and
// of a day as a whole.
//
// It only lists the numbers and their order. Package libraries has the rules that raise them, and
// libraries/internal/facts stores them.
package metric

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

	// ListeningSeconds are the part of the ReadingSeconds in sessions of format audiobook. ListeningSessions counts these
	// sessions: even a session of 0 seconds makes a listener (L20).
	ListeningSeconds
	ListeningSessions

	// ConvertedThatDay counts reservations by the day on which they were converted: convertedReservations of the books.
	// Only titles and totals have it, readers do not.
	ConvertedThatDay

	Metrics // the number of metrics
)

// Measures has a number for each metric.
type Measures [Metrics]int64

// Add adds n to m.
func (m *Measures) Add(n *Measures) {
	for i, v := range n {
		m[i] += v
	}
}

// DayCounts has the numbers of a day that are stored only for the day as a whole.
type DayCounts struct {
	OnlineSessions, OfflineSessions int64
	OnlineSeconds, OfflineSeconds   int64
	Cancelled, Lost                 int64    // reservations, by the day on which they were resolved
	LoansByStatus                   [4]int64 // loans made that day, by present LoanStatus
	ReservationsByStatus            [6]int64 // reservations made that day, by present ReservationStatus
}

// Add adds delta to c.
func (c *DayCounts) Add(delta *DayCounts) {
	to := c.Numbers()
	for i, n := range delta.Numbers() {
		*to[i] += *n
	}
}

// DayNumbers is how many numbers DayCounts have: six, and one for each status but none.
const DayNumbers = 6 + len(DayCounts{}.LoansByStatus) - 1 + len(DayCounts{}.ReservationsByStatus) - 1

// Numbers returns the numbers in the order in which they are stored, without those of the status none.
func (c *DayCounts) Numbers() (list [DayNumbers]*int64) {
	list = [DayNumbers]*int64{&c.OnlineSessions, &c.OfflineSessions, &c.OnlineSeconds, &c.OfflineSeconds, &c.Cancelled, &c.Lost}
	loans, reservations := &c.LoansByStatus, &c.ReservationsByStatus
	for i := 1; i < len(loans); i++ {
		list[5+i] = &loans[i]
	}
	for i := 1; i < len(reservations); i++ {
		list[4+len(loans)+i] = &reservations[i]
	}
	return list
}
