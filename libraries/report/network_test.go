package report_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// network is a library network in memory: its data, and the stored forms that a load would make of them. It has what
// summaries, dimensions, books and stock need, and no row lists.
type network struct {
	report.Store

	at          snapshot.Versions
	hour        libraries.Hour
	terms       map[libraries.Vocabulary][]libraries.Term
	books       []libraries.Book // by ID
	lines       []stock.BookLine
	readers     []facts.Attributes // by ID
	deltas      []facts.DayDelta   // one for each reader of a day
	titleCounts facts.CountsByTitle
	channels    []libraries.ChannelDay

	channelsErr error

	blocks [][]byte
	days   facts.Days
	forms  map[calendar.Date]facts.DayForms
	totals map[calendar.Date]facts.DayTotals

	mu    sync.Mutex
	reads int
}

// read counts a read, and refuses one of another snapshot.
func (n *network) read(a report.Access) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reads++
	if a.At != n.at {
		return fmt.Errorf("read of snapshot %v, want %v", a.At, n.at)
	}
	return nil
}

func (n *network) Catalogue(_ context.Context, a report.Access) (*report.Catalogue, error) {
	return report.NewCatalogue(n.terms, slices.Clone(n.books), slices.Clone(n.lines)), n.read(a)
}

func (n *network) Scan(_ context.Context, t auth.Tenant, at int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	if err := n.read(report.Access{Network: libraries.NetworkID(t), At: snapshot.Versions{Registers: n.at.Registers, Facts: at}}); err != nil {
		return err
	}
	return stored{n.blocks, n.forms, facts.Network{Titles: n.titleCounts, Days: n.days}, nil}.scan(k, r, visit)
}

func (n *network) Channels(_ context.Context, a report.Access, p calendar.Period) ([]libraries.ChannelDay, error) {
	if n.channelsErr != nil {
		return nil, n.channelsErr
	}
	var days []libraries.ChannelDay
	for _, d := range n.channels {
		if p.Contains(d.Day) {
			days = append(days, d)
		}
	}
	return days, n.read(a)
}

// reports returns the reports of the network with a cache that keeps everything.
func (n *network) reports() *report.Reports {
	return &report.Reports{Store: n, Cache: &keepAll{}}
}

// access returns the access to the network's snapshot.
func (n *network) access() report.Access {
	return report.Access{Network: 5, At: n.at, Hour: n.hour}
}

// pack makes the stored forms.
func (n *network) pack(tb testing.TB) *network {
	tb.Helper()
	n.blocks = packBlocks(n.readers)
	byDay := map[calendar.Date][]facts.DayDelta{}
	for _, d := range n.deltas {
		byDay[d.Day] = append(byDay[d.Day], d)
	}
	n.forms, n.totals = map[calendar.Date]facts.DayForms{}, map[calendar.Date]facts.DayTotals{}
	for date, deltas := range byDay {
		n.packDay(tb, date, deltas)
	}
	n.packTotals(tb)
	return n
}

func (n *network) packTotals(tb testing.TB) {
	tb.Helper()
	n.days = daysOf(tb, n.totals)
}

// daysOf returns the totals of days in order.
func daysOf(tb testing.TB, totals map[calendar.Date]facts.DayTotals) facts.Days {
	tb.Helper()
	n, err := new(facts.Network).Add(nil, totals)
	if err != nil {
		tb.Fatal(err)
	}
	return n.Days
}

func (n *network) packDay(tb testing.TB, date calendar.Date, deltas []facts.DayDelta) {
	var day facts.Day
	if err := day.Add(deltas...); err != nil {
		tb.Fatal(err)
	}
	n.forms[date] = day.Forms()
	n.totals[date] = day.Totals()
}

// keepAll is a cache without a bound.
type keepAll struct {
	mu     sync.Mutex
	values map[snapshot.Key]*keptValue
}

type keptValue struct {
	once  sync.Once
	value snapshot.Value
	err   error
}

func (c *keepAll) Load(
	ctx context.Context, key snapshot.Key, load func(context.Context) (snapshot.Value, error),
) (snapshot.Value, error) {
	c.mu.Lock()
	if c.values == nil {
		c.values = map[snapshot.Key]*keptValue{}
	}
	v := c.values[key]
	if v == nil {
		v = &keptValue{}
		c.values[key] = v
	}
	c.mu.Unlock()
	v.once.Do(func() { v.value, v.err = load(ctx) })
	if v.err != nil {
		c.mu.Lock()
		delete(c.values, key)
		c.mu.Unlock()
	}
	return v.value, v.err
}
