// Package wire writes answers and files: a record is described once, by a function that names its members, and each form of
// it comes from that function.
//
//	func writeBook(w *wire.Writer, b *Book) {
//		w.Int("id", b.ID, "Identifier.")
//		w.TextOrNull("title", b.Title, "")
//	}
//
//	var books = wire.Table[Book]{Schema: "Book", Write: writeBook}
//
//	wire.AppendJSON(nil, func(w *wire.Writer) { writeBook(w, &b) })  {"id":7,"title":"Dom Casmurro"}
//	books.Rows(list).AppendCSV(nil)                                  id,title␍␊7,Dom Casmurro␍␊
//	books.Rows(list).AppendNDJSON(nil)                               {"id":7,"title":"Dom Casmurro"}␊
//	books.Rows(list).AppendXLSX(nil)                                 a workbook of these cells
//	new(wire.Schemas).Add("Book", …)                                 {"type":"object","properties":{"id":…
//
// A function names its members in one order and always all of them, whatever the values are: the header of a table and the
// schema of a record come from it too, by a call with a sample, whose values nobody reads. What is there at times alone is
// said to be so by [Writer.Optional].
//
// # Forms
//
// JSON is compact, with nulls and without escapes for HTML (H7). In tables (H11) the members of an object are columns, as
// book.id; null is an empty cell, and a list is one cell. XLSX is a sheet with the same
// columns and typed cells, for spreadsheets, which take texts of CSV for numbers, days and formulas; it is compressed as it is
// written, so that memory holds the workbook and a chunk of the sheet.
//
// # Design
//
// A function that is called for each row, and not a table of columns with a function each: a record reads as its table in the
// specification does, rows that share members call one function for them, and the compiler sees every type. What a
// value is, number, text, day or instant, each method of Writer knows, so that a form with typed cells needs a branch in
// those and nothing of the records.
//
// A workbook is written here and not by a library. Of 1,000 rows of ten cells excelize makes a slice of interfaces each, 71,600
// allocations and 10 ms on the machine where AppendXLSX takes 100 and 1.6 ms, and it brings nine modules: too much for cells that
// the methods of Writer have at hand as they are.
package wire
