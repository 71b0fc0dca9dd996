package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// ErrBelowZero says that a count would fall below 0: the changes do not belong to the snapshot that they are added to.
var ErrBelowZero = errors.New("aggregated data: less than nothing would be left")

// Network has the counts of a library network: of each title now, and of each day.
type Network struct {
	Titles CountsByTitle
	Days   Days
}

// ReadNetwork reads the counts of a network at the snapshot of the load at. Before the first load they are empty.
func ReadNetwork(ctx context.Context, blocks snapshot.Blocks, network auth.Tenant, at int64) (*Network, error) {
	n := &Network{}
	err := blocks.Scan(ctx, network, at, NetworkKind, snapshot.Range{}, func(b snapshot.Block) error { return packed.Open(b.Data, n) })
	if err != nil {
		return nil, fmt.Errorf("counts of network %d: %w", network, err)
	}
	return n, nil
}

// Columns implements [packed.Form].
func (n *Network) Columns(c *packed.Columns) {
	c.Version(1)
	titles := packed.Rows(c, (*[]TitleCounts)(&n.Titles))
	packed.Ascending(titles, 0, func(t *TitleCounts) *int64 { return &t.Book })
	packed.Naturals(titles, most, func(t *TitleCounts) *int64 { return &t.Readings })
	packed.Naturals(titles, most, func(t *TitleCounts) *int64 { return &t.ActiveLoans })
	packed.Naturals(titles, most, func(t *TitleCounts) *int64 { return &t.ActiveReservations })
	packed.Naturals(titles, most, func(t *TitleCounts) *int64 { return &t.Confirmed })
	packed.Ascending(packed.Rows(c, &n.Days.Dates), libraries.HistoryStart, packed.Itself)
	if c.Reading() {
		n.Days.Totals = make([]DayTotals, len(n.Days.Dates))
	}
	days := packed.Array(c, n.Days.Totals)
	packed.Naturals(days, most, func(d *DayTotals) *int64 { return &d.Readers })
	for m := range metric.Metrics {
		packed.Naturals(days, most, func(d *DayTotals) *int64 { return &d.Sums[m] })
	}
	for i := range metric.DayNumbers {
		packed.Naturals(days, most, func(d *DayTotals) *int64 { return d.Counts.Numbers()[i] })
	}
}

// Bytes returns the memory that the counts hold.
func (n *Network) Bytes() int {
	return cap(n.Titles)*int(unsafe.Sizeof(TitleCounts{})) +
		cap(n.Days.Dates)*int(unsafe.Sizeof(calendar.Date(0))) + cap(n.Days.Totals)*int(unsafe.Sizeof(DayTotals{}))
}

// Add returns the counts after a load. titles are added to those of n; they may be in any order and name a title more than
// once. days has the new totals of the days that changed; only their Counts are added to those of n, in place. Empty titles
// and days are left out. The error is [ErrBelowZero].
func (n *Network) Add(titles []TitleCounts, days map[calendar.Date]DayTotals) (*Network, error) {
	counts, err := n.Titles.add(titles)
	if err != nil {
		return nil, err
	}
	for i, date := range n.Days.Dates {
		was := &n.Days.Totals[i]
		now, changed := days[date]
		if !changed {
			now = DayTotals{Readers: was.Readers, Sums: was.Sums}
		}
		now.Counts.Add(&was.Counts)
		days[date] = now
	}
	sum := &Network{Titles: counts}
	for _, date := range slices.Sorted(maps.Keys(days)) {
		day := days[date]
		for _, n := range day.Counts.Numbers() {
			if *n < 0 {
				return nil, fmt.Errorf("%s, totals: %w", date, ErrBelowZero)
			}
		}
		if day != (DayTotals{}) {
			sum.Days.Dates, sum.Days.Totals = append(sum.Days.Dates, date), append(sum.Days.Totals, day)
		}
	}
	return sum, nil
}

// TitleCounts are the counts of one title now. In a Change they are to be added.
type TitleCounts struct {
	Book               int64
	Readings           int64 // (reader, title) pairs with progress of 10 or more and a loan (L9)
	ActiveLoans        int64 // with status active (L6)
	ActiveReservations int64 // waiting or available
	Confirmed          int64 // loans (L7)
}

// Add adds the counts of a change.
func (h *TitleCounts) Add(c TitleCounts) {
	h.Readings += c.Readings
	h.ActiveLoans += c.ActiveLoans
	h.ActiveReservations += c.ActiveReservations
	h.Confirmed += c.Confirmed
}

// empty reports whether nothing is counted of the title.
func (h TitleCounts) empty() bool { return h == TitleCounts{Book: h.Book} }

// CountsByTitle are the counts of all titles that have any, by Book.
type CountsByTitle []TitleCounts

// Of returns the counts of a title, zeros where it has none.
func (h CountsByTitle) Of(book int64) TitleCounts {
	if i, found := h.search(book); found {
		return h[i]
	}
	return TitleCounts{Book: book}
}

// search returns the place of the title, or where it would be.
func (h CountsByTitle) search(book int64) (int, bool) {
	return slices.BinarySearchFunc(h, book, func(h TitleCounts, book int64) int { return cmp.Compare(h.Book, book) })
}

func (h CountsByTitle) add(changes []TitleCounts) (CountsByTitle, error) {
	all := slices.Concat(h, changes)
	slices.SortFunc(all, func(a, b TitleCounts) int { return cmp.Compare(a.Book, b.Book) })
	sums := all[:0]
	for len(all) > 0 {
		sum, n := all[0], 1
		for ; n < len(all) && all[n].Book == sum.Book; n++ {
			sum.Add(all[n])
		}
		all = all[n:]
		if min(sum.Readings, sum.ActiveLoans, sum.ActiveReservations, sum.Confirmed) < 0 {
			return nil, fmt.Errorf("counts of title %d: %w", sum.Book, ErrBelowZero)
		}
		if !sum.empty() {
			sums = append(sums, sum)
		}
	}
	return slices.Clone(sums), nil // without the memory of the changes
}

// DayTotals are all totals of a day. DistinctBooks is 0: it does not sum.
type DayTotals struct {
	Readers int64 // rows of engagements; rows of logins are the metric Logins
	Sums    metric.Measures
	Counts  metric.DayCounts // these cannot be summed from readers and titles
}

// Days are the totals of all days that have any, by date.
type Days struct {
	Dates  []calendar.Date
	Totals []DayTotals
}

// In returns the days of a period; they share their memory with d.
func (d *Days) In(p calendar.Period) Days {
	from, _ := slices.BinarySearch(d.Dates, p.Start)
	to, found := slices.BinarySearch(d.Dates, p.End)
	if found {
		to++
	}
	if from >= to {
		return Days{}
	}
	return Days{Dates: d.Dates[from:to:to], Totals: d.Totals[from:to:to]}
}
