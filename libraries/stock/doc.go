// Package stock has the rules of a library's stock: what the copies of a title can serve, in which order they are
// used up, and the band of consumption that the title is in.
//
// A title has lines of stock, each a [Line]. Lines of the platform's collection lend without limit. Each of the
// others, the own lines, can serve its copies times the title's maxUses, or times 26 if it defines none. A copy of
// collection external serves once (L8). The title's confirmed readings fill its own lines, the oldest first (L9).
//
// # Example
//
// A title has no maxUses and 60 readings:
//
//	line       collection   purchased    copies   can serve   consumed
//	Legado 1   external     2026-07-21       10          10         10
//	Compra 2   additional   2026-07-21        1          26         26
//	Compra 3   manual       2026-08-05        1          26         24
//	                                                     62         60
//
// Legado 1 was purchased in 2024. It shows the first day of the history, and comes before Compra 2 of that day
// because its number is lower. The title's percentage is 60 / 62, a [Ratio] of 0.9677. Its [Band] is 91-100 (L10).
// With 70 readings all lines are full and 8 readings stay unallocated: the percentage is 1.1290 and the band 101+.
//
//	own := stock.OwnLines(lines, libraries.HistoryStart)
//	consumed := stock.Allocate(own, 60) // 10, 26, 24
//	band := stock.BandOf(60, stock.Capacity(own))
//
// The program examples/stock prints this for several numbers of readings.
//
// # Design
//
// Bands use the exact ratio. The ratio that is shown was rounded, and 0.1000 may stand for a little more than a
// tenth, which is in the next band. Money is in cents and a ratio in ten-thousandths, for floats would round twice.
// Sums that do not fit stop at the largest number instead of turning negative.
//
// The package knows lines and numbers. It does not know readers or loans, or which readings are confirmed: see
// [github.com/lectern-dev/lectern/libraries.Pair.StockReading].
package stock
