// Stock prints how the readings of a title use up its lines of stock, oldest first, and in which band of consumption the
// title then is.
package main

import (
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func main() {
	lines := []libraries.Line{
		{
			ID: 1, Collection: libraries.Platform, Kind: libraries.PurchaseLine, Number: 1, // lends without limit
			PurchasedAt: calendar.MustParse("2026-07-21"),
		}, {
			ID: 2, Collection: libraries.Manual, Kind: libraries.PurchaseLine, Number: 3,
			Copies: new(int64(1)), MaxUses: new(int64(20)), PurchasedAt: calendar.MustParse("2026-08-05"),
		}, {
			ID: 3, Collection: libraries.Additional, Kind: libraries.PurchaseLine, Number: 2,
			Copies: new(int64(1)), MaxUses: new(int64(20)), PurchasedAt: calendar.MustParse("2026-07-21"),
		}, {
			ID: 4, Collection: libraries.External, Kind: libraries.LegacyLine, Number: 1, // each copy serves once
			Copies: new(int64(10)), MaxUses: new(int64(20)), PurchasedAt: calendar.MustParse("2024-03-01"),
		},
	}
	own := libraries.OwnLines(lines, libraries.HistoryStart)
	capacity := libraries.Capacity(own)
	for _, readings := range []int64{0, 5, 40, 50, 60} {
		fmt.Printf("%d readings of %d: %v, band %v\n", readings, capacity,
			libraries.Ratio(readings, capacity), libraries.BandOf(readings, capacity))
		left := readings
		for i, consumed := range libraries.Allocate(readings, own) {
			line := own[i]
			fmt.Printf("\t%-8s  %-10s  %v  %2d of %2d\n", line.Label(), line.Collection,
				line.ShownPurchasedAt(libraries.HistoryStart), consumed, line.Possible())
			left -= consumed
		}
		if left > 0 {
			fmt.Printf("\tunallocated: %d\n", left)
		}
	}
}
