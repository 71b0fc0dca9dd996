package report

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// blockStore has blocks of most of its days, and records which spans were read.
type blockStore struct {
	Store
	days  []calendar.Date
	fails calendar.Date // reading the span with this day fails
	ended chan struct{} // once it is closed, a read waits for the end of its context

	mu    sync.Mutex
	spans []calendar.Period
}

var errRead = errors.New("read failed")

func (s *blockStore) Scan(ctx context.Context, _ auth.Tenant, _ int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	if k != facts.NetworkKind {
		select {
		case <-s.ended:
			<-ctx.Done()
			return ctx.Err()
		default:
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		p := calendar.Period{Start: calendar.Date(r.A.From), End: calendar.Date(r.A.End - 1)}
		s.spans = append(s.spans, p)
		if p.Contains(s.fails) {
			return errRead
		}
	} else {
		n := facts.Network{Days: facts.Days{Dates: s.days, Totals: make([]facts.DayTotals, len(s.days))}}
		return visit(snapshot.Block{Data: packed.Append(nil, &n)})
	}
	for _, d := range s.days {
		data := []byte{byte(k.Number), byte(d)}
		if d%10 == 9 { // this day has no block
			continue
		}
		if r.A.Contains(int64(d)) {
			if err := visit(snapshot.Block{BlockKey: snapshot.BlockKey{A: int64(d)}, Data: data}); err != nil {
				return err
			}
		}
	}
	return nil
}

// someDays returns days with gaps: single days, days before 1970, and a run over several spans.
func someDays() []calendar.Date {
	days := []calendar.Date{-3, -1, 0, 20}
	for d := calendar.Date(61); d < 100; d++ {
		days = append(days, d)
	}
	return days
}

func newBlockStore() *blockStore {
	return &blockStore{days: someDays(), fails: 1 << 20}
}

func TestScanDays(t *testing.T) {
	for _, p := range []calendar.Period{
		{Start: -100, End: 200}, {Start: 61, End: 61}, {Start: 70, End: 90}, {Start: 21, End: 60}, {Start: 5, End: 4},
	} {
		s := newBlockStore()
		r := Reports{Store: s, History: -50}
		var mu sync.Mutex
		blocks := dayBlocks{}
		err := r.scanDays(t.Context(), Access{}, facts.DayOfTitlesKind, p, func(_ int, day calendar.Date, data []byte) error {
			mu.Lock()
			defer mu.Unlock()
			blocks[day] = data
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for d := p.Start - 3; d <= p.End+3; d++ {
			known := slices.Contains(s.days, d) && p.Contains(d)
			want := []byte(nil)
			if known && d%10 != 9 {
				want = []byte{byte(facts.DayOfTitlesKind.Number), byte(d)}
			}
			if got := blocks[d]; !slices.Equal(got, want) {
				t.Errorf("%v: block of day %d = %v, want %v", p, d, got, want)
			}
		}
		slices.SortFunc(s.spans, func(a, b calendar.Period) int { return int(a.Start - b.Start) })
		if once := slices.Compact(slices.Clone(s.spans)); len(once) != len(s.spans) {
			t.Errorf("%v: spans read = %v, want each once", p, s.spans)
		}
	}
}

// TestScanDaysErrors tests that scanDays stops with the error of a read, of a visit, or of its context.
func TestScanDaysErrors(t *testing.T) {
	s := newBlockStore()
	r := Reports{Store: s, History: -50}
	all := calendar.Period{Start: -100, End: 200}
	visited := 0
	s.ended = make(chan struct{})
	var mu sync.Mutex
	errVisit := errors.New("enough")
	visit := func(_ int, day calendar.Date, data []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if data == nil {
			t.Errorf("day %d visited without a block", day)
		}
		if visited++; visited == 5 {
			close(s.ended)
			return errVisit
		}
		return nil
	}
	if err := r.scanDays(t.Context(), Access{}, facts.DayOfReadersKind, all, visit); !errors.Is(err, errVisit) || visited > 5+spanDays {
		t.Errorf("scanDays = %v after %d visits, want the error of the fifth", err, visited)
	}
	s.fails, s.ended, visited = 70, nil, 10
	if err := r.scanDays(t.Context(), Access{}, facts.DayOfReadersKind, all, visit); !errors.Is(err, errRead) {
		t.Errorf("scanDays = %v, want the error of the read", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.scanDays(ctx, Access{}, facts.DayOfReadersKind, all, visit); !errors.Is(err, context.Canceled) {
		t.Errorf("scanDays = %v, want the error of the context", err)
	}
}

// TestKey tests that keys differ if the values that they are made of differ.
func TestKey(t *testing.T) {
	a, one, two, empty, dash := Access{Network: 3}, int64(1), int64(2), "", "-"
	band, d := stock.BandNone, calendar.Date(0)
	seen := map[any]int{}
	for i, k := range []any{
		key(a, "x"), key(Access{Network: 4}, "x"), key(a, "y"),
		key(a, "x", &one), key(a, "x", &two), key(a, "x", (*int64)(nil)), key(a, "x", (*string)(nil), (*string)(nil)),
		key(a, "x", &empty), key(a, "x", &dash), key(a, "x", "a b"), key(a, "x", "a", "b"), key(a, "x", `a" "b`),
		key(a, "x", &band, (*stock.Band)(nil)), key(a, "x", (*stock.Band)(nil), &band), key(a, "x", &d), key(a, "x", true), key(a, "x", false),
		key(a, "x", calendar.Period{Start: 1, End: 2}), key(a, "x", calendar.Period{Start: 1, End: 3}),
		key(a, "x", UserQuery{}), key(a, "x", UserQuery{Reader: &one}), key(a, "x", UserQuery{Library: &one}), key(a, "x", UserQuery{Status: 1}),
		key(a, "x", SummaryQuery{}), key(a, "x", SummaryQuery{Filter: ReaderFilter{City: &empty}}), key(a, "x", SummaryQuery{GroupBy: ByCity}),
		key(a, "x", RecordQuery[uint8]{Status: 1}), key(a, "x", RecordQuery[uint8]{Book: &one}),
	} {
		if before, ok := seen[k]; ok {
			t.Errorf("keys %d and %d are equal: %v", before, i, k)
		}
		seen[k] = i
	}
	later := a
	later.At.Facts++
	if key(a, "x") == key(later, "x") {
		t.Error("the keys of two snapshots are equal")
	}
	same := int64(1)
	if k := key(a, "x", &same); seen[k] != 3 {
		t.Errorf("key of another pointer to 1 = %v, want that of the first", k)
	}
}

// TestPlacesByTitle tests that equal titles share a place, and others do not.
func TestPlacesByTitle(t *testing.T) {
	for _, tt := range []struct {
		titles []string
		want   []int32
	}{{nil, []int32{}}, {[]string{"b", "a"}, []int32{1, 0}}, {[]string{"c", "a", "b", "a"}, []int32{3, 0, 2, 0}}} {
		titles := make([]Title, len(tt.titles))
		for i, title := range tt.titles {
			titles[i].Book.Title = title
		}
		got := []int32{}
		for _, text := range newTitleTexts(titles) {
			got = append(got, text.place)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("places of %v = %v, want %v", tt.titles, got, tt.want)
		}
	}
}

// TestTitleRanks tests that the ranks of ascending titles are found, and that an unknown title is an error.
func TestTitleRanks(t *testing.T) {
	c := NewCatalogue(nil, []libraries.Book{{ID: 10}, {ID: 20}}, nil)
	if got, err := c.ranks(nil, []int64{10, 20}); err != nil || !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("ranks = %v, %v, want 0 and 1", got, err)
	}
	for _, id := range []int64{5, 15, 25} {
		if got, err := c.ranks(nil, []int64{id}); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("rank of %d = %v, %v, want ErrCorrupt", id, got, err)
		}
	}
}

// TestPanicWithoutCache tests that a panic of the store becomes an error, because on a goroutine it would end the process.
func TestPanicWithoutCache(t *testing.T) {
	r := &Reports{Store: struct{ Store }{}} // its methods panic
	if _, err := r.tables(t.Context(), Access{}); err == nil || !strings.Contains(err.Error(), "panic: ") {
		t.Errorf("tables = %v, want the panic as an error", err)
	}
}
