package report_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// network is a library network in memory: what is known of it, and the stored forms that a load would make of that. It
// answers what summaries, dimensions, books and stock are computed from; of the row lists it knows nothing.
type network struct {
	report.Store

	at       snapshot.Versions
	hour     libraries.Hour
	terms    map[libraries.Vocabulary][]libraries.Term
	books    []libraries.Book // by ID
	lines    []stock.BookLine
	readers  []facts.Attributes // by ID
	deltas   []facts.DayDelta   // one for each reader of a day
	held     facts.CountsByTitle
	channels []libraries.ChannelDay

	channelsErr error

	blocks [][]byte
	days   facts.Days
	forms  map[calendar.Date]facts.DayForms
	totals map[calendar.Date]facts.DayTotals

	mu    sync.Mutex
	reads int
}

// read counts a read, and refuses one of another state.
func (n *network) read(a report.Access) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reads++
	if a.At != n.at {
		return fmt.Errorf("a read of %v, not %v", a.At, n.at)
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
	return stored{n.blocks, n.forms, facts.Network{Titles: n.held, Days: n.days}, nil}.scan(k, r, visit)
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

// access is the key check of the network as it is now.
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
	if err := day.Add(deltas); err != nil {
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

// randomNetwork makes a small network with everything in it, of days from the history's first on. Its hour is in the last
// of 100 days.
func randomNetwork(tb testing.TB, seed uint64, days int) *network {
	r := rand.New(rand.NewPCG(seed, 11))
	n := &network{at: snapshot.Versions{Registers: 4, Facts: 4}, hour: libraries.HourOf((libraries.HistoryStart + 99).Start())}
	n.addTerms()
	n.addBooks(r, 30)
	n.addReaders(r, 150)
	for day := range calendar.Date(days) {
		for _, reader := range n.readers {
			if day%9 != 8 && r.IntN(3) == 0 { // some days have nothing
				n.deltas = append(n.deltas, n.readerDay(r, libraries.HistoryStart+day, reader.ID))
			}
		}
		for c := libraries.WebMobile; c <= libraries.App; c++ {
			if r.IntN(4) > 0 {
				n.channels = append(n.channels, libraries.ChannelDay{
					Day: libraries.HistoryStart + day, Channel: c, Sessions: r.Int64N(100), Estimated: c == libraries.App,
				})
			}
		}
	}
	return n.pack(tb)
}

// addTerms makes vocabularies in which names repeat, differ in accents alone, and sort otherwise than their identifiers.
func (n *network) addTerms() {
	n.terms = map[libraries.Vocabulary][]libraries.Term{
		libraries.LibraryTerms: {
			{ID: 2, Name: "Zona Sul"}, {ID: 9, Name: "Água"}, {ID: 10, Name: "agua"}, {ID: 30, Name: "Centro"},
		},
		libraries.AgeGroupTerms:  {{ID: 1, Name: "Infantil"}, {ID: 2, Name: "Adulto"}},
		libraries.PublisherTerms: {{ID: 1, Name: "Sol"}, {ID: 2, Name: "Lua"}},
		libraries.CategoryTerms:  {{ID: 1, Name: "Ficção"}, {ID: 2, Name: "Arte"}, {ID: 3, Name: "arte"}, {ID: 4, Name: "Vazia"}},
		libraries.SubjectTerms:   {{ID: 1, Name: "Mar"}, {ID: 2, Name: "Céu"}},
	}
}

func (n *network) addBooks(r *rand.Rand, books int) {
	for i := range books {
		b := libraries.Book{
			ID: int64(3*i + 1), Title: pickOne(r, "Água", "agua", "Dom", "Mar e céu", "O rio"),
			ISBN: pickOne(r, "", "978-85-333-0227-3", "9788535902778"), Author: pickOne(r, "", "Eça de Queirós", "Lia"),
			Publisher: pickOne[int64](r, libraries.None, 1, 2), Year: pickOne[int64](r, libraries.None, 1990, 2020),
			HasEbook: r.IntN(2) == 0, HasAudiobook: r.IntN(3) == 0, HasVideo: r.IntN(9) == 0,
		}
		for id := int64(1); id <= 3; id++ {
			if r.IntN(2) == 0 {
				b.Categories = append(b.Categories, id)
			}
			if r.IntN(2) == 0 && id < 3 {
				b.Subjects = append(b.Subjects, id)
			}
		}
		if r.IntN(2) == 0 {
			uses := r.Int64N(5)
			b.MaxUses = &uses
		}
		n.books = append(n.books, b)
		n.addLines(r, b.ID)
		n.held = append(n.held, facts.TitleCounts{
			Book: b.ID, Readings: r.Int64N(40), ActiveLoans: r.Int64N(5), ActiveReservations: r.Int64N(5),
			Confirmed: 1 + r.Int64N(40),
		})
	}
}

func (n *network) addLines(r *rand.Rand, book int64) {
	for range r.IntN(4) {
		copies := r.Int64N(4)
		n.lines = append(n.lines, stock.BookLine{Book: book, Line: stock.Line{
			ID: int64(len(n.lines) + 1), Collection: stock.Collection(1 + r.IntN(4)), Kind: stock.Kind(1 + r.IntN(2)),
			Number: r.Int64N(3), Copies: &copies, UnitPrice: 1250, TotalPrice: 2500,
			PurchasedAt: libraries.HistoryStart + calendar.Date(r.IntN(20)-5),
		}})
	}
}

func (n *network) addReaders(r *rand.Rand, readers int) {
	id := int64(0)
	for range readers {
		id += 1 + r.Int64N(40) // several blocks
		a := facts.Attributes{
			ID: id, Library: pickOne[int64](r, libraries.None, 2, 9, 10, 30), AgeGroup: pickOne[int64](r, libraries.None, 1, 2),
			State: pickOne(r, "", "SP", "MG"), City: pickOne(r, "", "São Paulo", "sao paulo", "Betim"),
			Gender: libraries.Gender(r.IntN(5)), Status: libraries.ReaderStatus(1 + r.IntN(3)),
			Registered: libraries.HistoryStart + calendar.Date(r.IntN(40)-20),
			Loans:      r.Int64N(3), ActiveReservations: r.Int64N(3),
		}
		if a.Status.Inactive() {
			a.DeletedAt = libraries.HistoryStart + calendar.Date(r.IntN(110)-10)
		}
		n.readers = append(n.readers, a)
	}
}

// readerDay is a reader's day with several titles, with a preview alone, or with an automatic expiry alone.
func (n *network) readerDay(r *rand.Rand, day calendar.Date, reader int64) facts.DayDelta {
	d := facts.DayDelta{Day: day, Reader: reader, Presence: libraries.Presence{Events: 1, First: 10, Last: 10}}
	kind := r.IntN(5)
	switch kind {
	case 0:
		d.Previews = 1 + r.Int64N(3)
		return d
	case 1:
		d.Presence = libraries.Presence{}
	}
	for _, i := range slices.Sorted(slices.Values(r.Perm(len(n.books))[:1+r.IntN(3)])) {
		book := facts.BookDelta{Book: n.books[i].ID}
		if kind == 1 {
			book.Measures[metric.Returns] = 1
			d.Books = append(d.Books, book)
			continue
		}
		book.Read = r.IntN(3) > 0
		for m := range metric.Metrics {
			if m != metric.Logins && m != metric.DistinctBooks && m != metric.Previews {
				book.Measures[m] = max(0, r.Int64N(4)-1)
			}
		}
		d.Books = append(d.Books, book)
	}
	d.Totals = metric.DayCounts{
		OnlineSessions: r.Int64N(3), OfflineSessions: r.Int64N(3), OnlineSeconds: r.Int64N(90), OfflineSeconds: r.Int64N(90),
		Cancelled: r.Int64N(2), Lost: r.Int64N(2),
	}
	return d
}

// pages cuts a list into its pages and joins them again.
func pages[T any](tb testing.TB, size int, page func(p paging.Page) (rows []T, total int64)) []T {
	tb.Helper()
	var all []T
	for number := 1; ; number++ {
		rows, total := page(paging.Page{Number: number, Size: size})
		all = append(all, rows...)
		if len(rows) == 0 {
			if total != int64(len(all)) {
				tb.Errorf("pages of %d: %d rows, total %d", size, len(all), total)
			}
			return all
		}
		if len(rows) > size || len(rows) < size && int64(len(all)) != total {
			tb.Errorf("page %d of size %d has %d rows of %d", number, size, len(rows), total)
		}
	}
}

// text shows a value that may be nil.
func text[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}
