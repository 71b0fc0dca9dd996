// Stock prints how the readings of a title use up its lines of stock, oldest line first, and the title's band of consumption.
package main

import (
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// line is a line of stock with a number of copies, each of which may be read 20 times.
func line(id int64, c stock.Collection, k stock.Kind, number, copies int64, day string) stock.Line {
	return stock.Line{ID: id, Collection: c, Kind: k, Number: number, Copies: &copies, MaxUses: new(int64(20)),
		PurchasedAt: calendar.MustParse(day)}
}

func main() {
	own := stock.OwnLines([]stock.Line{
		line(1, stock.Platform, stock.PurchaseLine, 1, 1, "2026-07-21"), // the platform's lines lend without limit
		line(2, stock.Manual, stock.PurchaseLine, 3, 1, "2026-08-05"),
		line(3, stock.Additional, stock.PurchaseLine, 2, 1, "2026-07-21"),
		line(4, stock.External, stock.LegacyLine, 1, 10, "2024-03-01"), // each copy serves once
	}, libraries.HistoryStart)
	capacity := stock.Capacity(own)
	for _, readings := range []int64{0, 5, 40, 50, 60} {
		fmt.Printf("%d readings of %d: %v, band %v\n", readings, capacity,
			stock.Ratio(readings, capacity), stock.BandOf(readings, capacity))
		left := readings
		for i, consumed := range stock.Allocate(own, readings) {
			l := own[i]
			fmt.Printf("\t%-8s  %-10s  %2d of %2d\n", l.Label(), l.Collection, consumed, l.Possible())
			left -= consumed
		}
		fmt.Printf("\tunallocated: %d\n", left)
	}
}
