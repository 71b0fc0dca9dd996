// Stock prints how the readings of a title use up its lines of stock, oldest first, and in which band of consumption the
// title then is.
package main

import (
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func main() {
	lines := []stock.Line{
		{
			ID: 1, Collection: stock.Platform, Kind: stock.PurchaseLine, Number: 1, // lends without limit
			PurchasedAt: calendar.MustParse("2026-07-21"),
		}, {
			ID: 2, Collection: stock.Manual, Kind: stock.PurchaseLine, Number: 3,
			Copies: new(int64(1)), MaxUses: new(int64(20)), PurchasedAt: calendar.MustParse("2026-08-05"),
		}, {
			ID: 3, Collection: stock.Additional, Kind: stock.PurchaseLine, Number: 2,
			Copies: new(int64(1)), MaxUses: new(int64(20)), PurchasedAt: calendar.MustParse("2026-07-21"),
		}, {
			ID: 4, Collection: stock.External, Kind: stock.LegacyLine, Number: 1, // each copy serves once
			Copies: new(int64(10)), MaxUses: new(int64(20)), PurchasedAt: calendar.MustParse("2024-03-01"),
		},
	}
	own := stock.OwnLines(lines, libraries.HistoryStart)
	capacity := stock.Capacity(own.Lines())
	for _, readings := range []int64{0, 5, 40, 50, 60} {
		fmt.Printf("%d readings of %d: %v, band %v\n", readings, capacity,
			stock.Ratio(readings, capacity), stock.BandOf(readings, capacity))
		left := readings
		for i, consumed := range own.Allocate(readings) {
			line := own.Lines()[i]
			fmt.Printf("\t%-8s  %-10s  %v  %2d of %2d\n", line.Label(), line.Collection,
				line.ShownPurchasedAt(libraries.HistoryStart), consumed, line.Possible())
			left -= consumed
		}
		if left > 0 {
			fmt.Printf("\tunallocated: %d\n", left)
		}
	}
}
