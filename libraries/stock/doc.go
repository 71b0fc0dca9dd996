// Package stock has the rules of a library's stock: what the copies of a title can serve, in which order they are used up,
// and in which band of consumption that puts the title.
//
// A title has lines of stock, each a [Line]. Those of the platform's collection lend without limit. An own line can serve
// its copies times the title's maxUses, 26 where it defines none; in collection external each copy once (L8). The
// confirmed readings of the title fill its own lines one after the other, the oldest first (L9). A title without maxUses
// and with 60 readings:
//
//	line       collection   purchased    copies   can serve   consumed
//	Legado 1   external     2026-07-21       10          10         10
//	Compra 2   additional   2026-07-21        1          26         26
//	Compra 3   manual       2026-08-05        1          26         24
//	                                                     62         60
//
// Legado 1 was purchased in 2024: it shows the first day of the history, and is before Compra 2 of that day by its lower
// number. The title's percentage is 60 / 62, a [Ratio] rounded once to 0.9677, and its band, taken on the exact ratio,
// 91-100 (L10). With 70 readings all lines are full, 8 readings stay unallocated, the title's percentage is 1.1290 and
// its band 101+. In Go:
//
//	own := stock.OwnLines(lines, libraries.HistoryStart)
//	consumed := own.Allocate(60) // 10, 26, 24
//	band := stock.BandOf(60, stock.Capacity(own.Lines()))
//
// The program examples/stock prints this for several numbers of readings.
//
// The package knows lines and numbers. It does not know readers, loans, or where the readings of a title come from.
package stock
