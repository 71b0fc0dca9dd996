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
// A function names all its members in one order, whatever the values are. A call with a sample, whose values are not used, makes
// the header of a table and the schema of a record. [Writer.Optional] marks a member that may be missing.
//
// # Forms
//
// JSON is compact, with nulls and without escapes for HTML (H7). In tables (H11) the members of an object are columns, as
// book.id; null is an empty cell, and a list is one cell. XLSX is a sheet with the same columns and typed cells, since
// spreadsheets read texts of CSV as numbers, days and formulas. It is compressed while it is written, so memory holds the
// workbook and one chunk of the sheet.
//
// # Design
//
// One function writes a row, instead of a table of columns with a function each. So a record reads like its table in the
// specification, rows that share members call one function for them, and the compiler checks every type. The methods of Writer
// know the type of each value, so a form with typed cells needs a branch in them and nothing in the records.
//
// The package writes workbooks without a library. For 1,000 rows of ten cells excelize makes 71,600 allocations in 10 ms, on a
// machine where AppendXLSX makes 100 in 1.6 ms, and it brings nine modules.
package wire
