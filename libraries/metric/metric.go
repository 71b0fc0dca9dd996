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

	// ListeningSeconds are those of the sessions of format audiobook, a part of the ReadingSeconds. ListeningSessions are
	// these sessions: one of 0 seconds makes a listener too (L20). The days of titles do not have them.
	ListeningSeconds
	ListeningSessions

	// ConvertedThatDay are reservations by the day on which they were converted: books' convertedReservations, of titles
	// and of totals alone.
	ConvertedThatDay

	Metrics // how many there are
)

// Measures has a number for each metric.
type Measures [Metrics]int64

// Add adds n to m.
func (m *Measures) Add(n *Measures) {
	for i, v := range n {
		m[i] += v
	}
}

// DayCounts are the numbers of a day that are kept for the day as a whole.
type DayCounts struct {
	OnlineSessions, OfflineSessions int64
	OnlineSeconds, OfflineSeconds   int64
	Cancelled, Lost                 int64    // reservations, by the day on which they were resolved
	LoansByStatus                   [4]int64 // loans made that day, by present LoanStatus
	ReservationsByStatus            [6]int64 // reservations made that day, by present ReservationStatus
}

// Add adds the counts of a delta.
func (c *DayCounts) Add(delta *DayCounts) {
	c.OnlineSessions += delta.OnlineSessions
	c.OfflineSessions += delta.OfflineSessions
	c.OnlineSeconds += delta.OnlineSeconds
	c.OfflineSeconds += delta.OfflineSeconds
	c.Cancelled += delta.Cancelled
	c.Lost += delta.Lost
	for i, n := range delta.LoansByStatus {
		c.LoansByStatus[i] += n
	}
	for i, n := range delta.ReservationsByStatus {
		c.ReservationsByStatus[i] += n
	}
}
