package stock_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func TestPossible(t *testing.T) {
	for _, test := range []struct {
		rule       string
		collection stock.Collection
		kind       stock.Kind
		copies     *int64
		maxUses    *int64
		exists     bool
		own        bool
		want       int64
	}{
		{"26 when undefined", stock.Additional, stock.PurchaseLine, new(int64(3)), nil, true, true, 78},
		{"maxUses", stock.Additional, stock.PurchaseLine, new(int64(3)), new(int64(25)), true, true, 75},
		{"maxUses of 1", stock.Manual, stock.PurchaseLine, new(int64(3)), new(int64(1)), true, true, 3},
		{"a defined 0 is 0", stock.Manual, stock.PurchaseLine, new(int64(3)), new(int64(0)), true, true, 0},
		{"external: each copy once", stock.External, stock.LegacyLine, new(int64(3)), nil, true, true, 3},
		{"external: maxUses is ignored", stock.External, stock.LegacyLine, new(int64(3)), new(int64(50)), true, true, 3},
		{"external, bought: each copy once", stock.External, stock.PurchaseLine, new(int64(3)), nil, true, true, 3},
		{"legacy of another collection", stock.Additional, stock.LegacyLine, new(int64(3)), nil, true, true, 78},
		{"platform has no capacity", stock.Platform, stock.PurchaseLine, new(int64(3)), nil, true, false, 0},
		{"platform, legacy", stock.Platform, stock.LegacyLine, new(int64(3)), nil, true, false, 0},
		{"platform, legacy without copies", stock.Platform, stock.LegacyLine, nil, nil, true, false, 0},
		{"platform, legacy with 0 copies", stock.Platform, stock.LegacyLine, new(int64(0)), nil, true, false, 0},
		{"platform, bought without copies", stock.Platform, stock.PurchaseLine, nil, nil, true, false, 0},
		{"legacy without copies is no line", stock.Additional, stock.LegacyLine, nil, nil, false, false, 0},
		{"legacy and manual without copies is no line", stock.Manual, stock.LegacyLine, nil, nil, false, false, 0},
		{"legacy and external without copies is no line", stock.External, stock.LegacyLine, nil, nil, false, false, 0},
		{"legacy with 0 copies is no line", stock.External, stock.LegacyLine, new(int64(0)), nil, false, false, 0},
		{"legacy with 1 copy is one", stock.External, stock.LegacyLine, new(int64(1)), nil, true, true, 1},
		{"a purchase without copies is a line", stock.Additional, stock.PurchaseLine, nil, nil, true, true, 0},
		{"a purchase of 0 copies is a line", stock.Additional, stock.PurchaseLine, new(int64(0)), nil, true, true, 0},
		{"no collection", 0, stock.PurchaseLine, new(int64(3)), nil, true, false, 0},
		{"the most copies that fit", stock.Manual, stock.PurchaseLine, new(int64(math.MaxInt64 / 26)), nil, true, true, math.MaxInt64 / 26 * 26},
		{"one copy more stops", stock.Manual, stock.PurchaseLine, new(int64(math.MaxInt64/26 + 1)), nil, true, true, math.MaxInt64},
	} {
		l := stock.Line{Collection: test.collection, Kind: test.kind, Copies: test.copies, MaxUses: test.maxUses}
		if l.Exists() != test.exists || l.Own() != test.own || l.Possible() != test.want {
			t.Errorf("%s: Exists() = %v, Own() = %v, Possible() = %d, want %v, %v, %d",
				test.rule, l.Exists(), l.Own(), l.Possible(), test.exists, test.own, test.want)
		}
	}
	if a, b := stock.Model(nil), stock.Model(new(int64(27))); a != 26 || b != 27 {
		t.Errorf("Model(nil), Model(27) = %d, %d, want 26, 27", a, b)
	}
}

func TestShown(t *testing.T) {
	for _, test := range []struct {
		rule                       string
		kind                       stock.Kind
		purchased, expires         string
		label                      string
		copies                     bool
		unit, total                string
		wantPurchased, wantExpires string
	}{
		{"purchase", stock.PurchaseLine, "2026-08-01", "2028-01-01", "Compra 7", true, "12.50", "37.50", "2026-08-01", "2028-01-01"},
		{"purchase before the history", stock.PurchaseLine, "2024-02-29", "2025-12-31", "Compra 7", true, "12.50", "37.50", "2024-02-29", "2025-12-31"},
		{"legacy", stock.LegacyLine, "2026-08-01", "2028-01-01", "Legado 7", false, "0", "0", "2026-08-01", "2028-01-01"},
		{"legacy on the first day of the history", stock.LegacyLine, "2026-07-21", "", "Legado 7", false, "0", "0", "2026-07-21", ""},
		{"legacy before the history", stock.LegacyLine, "2026-07-20", "2026-01-01", "Legado 7", false, "0", "0", "2026-07-21", "2026-01-01"},
		{"legacy expired before 2026", stock.LegacyLine, "2024-02-29", "2025-12-31", "Legado 7", false, "0", "0", "2026-07-21", ""},
	} {
		l := stock.Line{Kind: test.kind, Number: 7, Copies: new(int64(3)), UnitPrice: 1250, TotalPrice: 3750,
			PurchasedAt: calendar.MustParse(test.purchased)}
		if test.expires != "" {
			l.ExpiresAt = new(calendar.MustParse(test.expires))
		}
		shown := l.Shown(libraries.HistoryStart)
		if l.Label() != test.label || shown.UnitPrice.String() != test.unit || shown.TotalPrice.String() != test.total {
			t.Errorf("%s: %q at %s, %s, want %q at %s, %s", test.rule, l.Label(), shown.UnitPrice, shown.TotalPrice, test.label, test.unit, test.total)
		}
		if got := shown.Copies; (got != nil) != test.copies || got != nil && *got != 3 {
			t.Errorf("%s: copies shown = %v, want %v", test.rule, got, test.copies)
		}
		expires := ""
		if shown.ExpiresAt != nil {
			expires = shown.ExpiresAt.String()
		}
		if got := shown.PurchasedAt.String(); got != test.wantPurchased || expires != test.wantExpires {
			t.Errorf("%s: purchased on %s, expires on %q, want %s, %q", test.rule, got, expires, test.wantPurchased, test.wantExpires)
		}
	}
}

// own returns a line of the network's own, with one copy, purchased on a day.
func own(id, number int64, kind stock.Kind, purchased string) stock.Line {
	return stock.Line{ID: id, Collection: stock.Additional, Kind: kind, Number: number, Copies: new(int64(1)),
		PurchasedAt: calendar.MustParse(purchased)}
}

func TestOwnLines(t *testing.T) {
	platform := own(90, 1, stock.PurchaseLine, "2020-01-01")
	platform.Collection = stock.Platform
	empty := own(91, 1, stock.LegacyLine, "2020-01-01")
	empty.Copies = nil
	want := []stock.Line{ // in order
		own(9, 5, stock.PurchaseLine, "2026-07-20"),
		own(8, 1, stock.LegacyLine, "2026-07-01"), // shown on 2026-07-21
		own(7, 2, stock.PurchaseLine, "2026-07-21"),
		own(6, 2, stock.LegacyLine, "2020-01-01"), // by its number after the one of 2026-07-01
		own(2, 3, stock.PurchaseLine, "2026-07-21"),
		own(5, 3, stock.PurchaseLine, "2026-07-21"),
		own(1, 3, stock.LegacyLine, "2026-07-21"),
		own(3, 10, stock.LegacyLine, "2026-07-21"), // compared as numbers, not as texts
		own(4, 1, stock.PurchaseLine, "2026-07-22"),
	}
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.Permutation(append(slices.Clone(want), platform, empty)).Draw(t, "lines")
		before := ids(lines)
		got := stock.OwnLines(lines, libraries.HistoryStart)
		if !slices.Equal(ids(got), ids(want)) {
			t.Fatalf("OwnLines(%v) = %v, want %v", before, ids(got), ids(want))
		}
		if !slices.Equal(ids(lines), before) {
			t.Errorf("OwnLines changed its lines from %v to %v", before, ids(lines))
		}
	})
}

func ids(lines []stock.Line) []int64 {
	ids := []int64{}
	for _, l := range lines {
		ids = append(ids, l.ID)
	}
	return ids
}

func TestCollectionOf(t *testing.T) {
	line := func(c stock.Collection, purchased string) stock.Line {
		l := own(1, 1, stock.PurchaseLine, purchased)
		l.Collection = c
		return l
	}
	empty := own(2, 1, stock.LegacyLine, "2020-01-01")
	empty.Copies = nil
	emptyPlatform := empty
	emptyPlatform.Collection = stock.Platform
	for _, test := range []struct {
		rule  string
		lines []stock.Line
		want  stock.Collection
	}{
		{"no line", nil, 0},
		{"only platform", []stock.Line{line(stock.Platform, "2026-08-01")}, stock.Platform},
		{"own before platform", []stock.Line{line(stock.Platform, "2020-08-01"), line(stock.Manual, "2026-08-01")}, stock.Manual},
		{"the first in consumption order", []stock.Line{line(stock.Manual, "2026-08-02"), line(stock.External, "2026-08-01")}, stock.External},
		{"a legacy line without copies is no line", []stock.Line{empty}, 0},
		{"but one of the platform is a line", []stock.Line{emptyPlatform}, stock.Platform},
		{"an own line comes before it", []stock.Line{emptyPlatform, line(stock.Manual, "2026-08-02")}, stock.Manual},
		{"a legacy line without copies is skipped", []stock.Line{empty, line(stock.Manual, "2026-08-02")}, stock.Manual},
	} {
		if got := stock.CollectionOf(test.lines, libraries.HistoryStart); got != test.want {
			t.Errorf("%s: CollectionOf = %v, want %v", test.rule, got, test.want)
		}
	}
	if !stock.InCollection([]stock.Line{emptyPlatform}, stock.Platform) || stock.InCollection([]stock.Line{empty}, empty.Collection) {
		t.Error("InCollection of a legacy line without copies: want true for platform and false for an own collection")
	}
	mixed := []stock.Line{line(stock.Platform, "2026-08-01"), line(stock.Manual, "2026-08-01"), empty}
	for c, want := range map[stock.Collection]bool{
		stock.Platform: true, stock.Manual: true, stock.Additional: false, stock.External: false,
	} {
		if got := stock.InCollection(mixed, c); got != want {
			t.Errorf("InCollection(platform, manual, %v) = %v, want %v", c, got, want)
		}
	}
}

func TestAllocate(t *testing.T) {
	line := func(copies int64) stock.Line {
		return stock.Line{Collection: stock.External, Kind: stock.LegacyLine, Copies: &copies}
	}
	empty := stock.Line{Collection: stock.Manual, Kind: stock.PurchaseLine}
	for _, test := range []struct {
		rule     string
		readings int64
		lines    []stock.Line
		want     []int64
	}{
		{"no line", 5, nil, []int64{}},
		{"no reading", 0, []stock.Line{line(3), line(4)}, []int64{0, 0}},
		{"the first is filled first", 2, []stock.Line{line(3), line(4)}, []int64{2, 0}},
		{"just full", 3, []stock.Line{line(3), line(4)}, []int64{3, 0}},
		{"the next gets the remainder", 4, []stock.Line{line(3), line(4)}, []int64{3, 1}},
		{"all full", 7, []stock.Line{line(3), line(4)}, []int64{3, 4}},
		{"excess readings stay unallocated", 8, []stock.Line{line(3), line(4)}, []int64{3, 4}},
		{"a line without capacity gets nothing", 4, []stock.Line{empty, line(3), line(4)}, []int64{0, 3, 1}},
		{"negative readings count as 0", -1, []stock.Line{line(3)}, []int64{0}},
	} {
		for i := range test.lines {
			test.lines[i].ID = int64(i) // the order of the table
		}
		if got := stock.Allocate(stock.OwnLines(test.lines, libraries.HistoryStart), test.readings); !slices.Equal(got, test.want) {
			t.Errorf("%s: Allocate(%d) = %v, want %v", test.rule, test.readings, got, test.want)
		}
	}
}

func TestCapacityStops(t *testing.T) {
	large := stock.Line{Collection: stock.External, Kind: stock.LegacyLine, Copies: new(int64(math.MaxInt64 - 1))}
	if got := stock.Capacity([]stock.Line{large, large}); got != math.MaxInt64 {
		t.Errorf("Capacity of two large lines = %d, want the largest int64", got)
	}
}
