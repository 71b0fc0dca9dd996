package stock_test

import (
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// The readings of a title fill its own lines, the oldest first. The platform's line serves without limit and takes none.
func ExampleAllocate() {
	lines := []stock.Line{
		{ID: 1, Collection: stock.Platform, Kind: stock.PurchaseLine, Number: 1},
		{ID: 2, Collection: stock.Manual, Kind: stock.PurchaseLine, Number: 3,
			Copies: new(int64(1)), PurchasedAt: calendar.MustParse("2026-08-05")},
		{ID: 3, Collection: stock.Additional, Kind: stock.PurchaseLine, Number: 2,
			Copies: new(int64(1)), PurchasedAt: calendar.MustParse("2026-07-21")},
		{ID: 4, Collection: stock.External, Kind: stock.LegacyLine, Number: 1,
			Copies: new(int64(10)), PurchasedAt: calendar.MustParse("2024-03-01")},
	}
	own := stock.OwnLines(lines, libraries.HistoryStart)
	for i, consumed := range stock.Allocate(own, 60) {
		l := own[i]
		fmt.Println(l.Label(), l.Collection, l.Shown(libraries.HistoryStart).PurchasedAt,
			consumed, "of", l.Possible(), stock.Ratio(consumed, l.Possible()))
	}
	capacity := stock.Capacity(own)
	fmt.Println(60, "of", capacity, stock.Ratio(60, capacity), stock.BandOf(60, capacity))
	fmt.Println(70, "of", capacity, stock.Ratio(70, capacity), stock.BandOf(70, capacity))
	// Output:
	// Legado 1 external 2026-07-21 10 of 10 1.0000
	// Compra 2 additional 2026-07-21 26 of 26 1.0000
	// Compra 3 manual 2026-08-05 24 of 26 0.9231
	// 60 of 62 0.9677 91-100
	// 70 of 62 1.1290 101+
}

// The band depends on the exact ratio, which may be a little above the one that is shown.
func ExampleBandOf() {
	fmt.Println(stock.Ratio(100_000, 1_000_000), stock.BandOf(100_000, 1_000_000))
	fmt.Println(stock.Ratio(100_001, 1_000_000), stock.BandOf(100_001, 1_000_000))
	// Output:
	// 0.1000 1-10
	// 0.1000 11-20
}
