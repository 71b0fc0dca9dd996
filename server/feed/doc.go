// Package feed reads feeds: folders with one file per resource, as an analytical store exports them (part F of the
// contract).
//
// A resource is a file name.ndjson (one JSON object a line) or name.csv (RFC 4180 with a header), each also
// compressed: name.ndjson.gz, name.csv.zst. The two forms of one row read alike: a CSV cell is the text, number or
// literal that the JSON member would be, an empty cell is null, a list is separated by semicolons.
//
// Which fields a row has, and of what kind, its record declares ([row.Row]):
//
//	folder, err := feed.Open(os.DirFS(dir), "accounts", "segments")
//	file, err := folder.File("segments") // nil when the feed has none
//	err = feed.Records(ctx, file, row.File[segment, event]{
//		Check: func(s segment) (event, error) { return newEvent(s) },
//		Take:  func(e event, line int) error { return keep(e) },
//	}, nil)
//
// # Rows and errors
//
// A file is read row by row in bounded memory, parsed on every processor and handed on in its own order. Whatever is
// wrong with a row is a [*RowError] with file, line, field and reason:
//
//	segments.ndjson line 12: field wpm: must not be negative
//
// The caller decides whether it stops the read or skips the row. What leaves no row to skip, such as a header without
// a required column or a compressed file that is cut off, stops the read.
//
// A row has at most 1 MiB. JSON is taken strictly: invalid UTF-8, a member twice and anything after the object are
// errors. A member or column that no field names ends the read, whatever the caller does with bad rows, unless
// [Folder.Ignore] names it:
//
//	books.csv line 1: field titel: is unknown; write title
//
// # What it does not do
//
// It knows no resource: what the fields mean and how rows refer to each other is the caller's.
//
// # Design
//
// Files are cut into rows before they are parsed side by side, and a quote that never ends must cost one row, not the rest of
// the file: so the ends of rows and of cells of CSV are found here. encoding/csv would also replace CR LF between quotes by LF, so
// that a feed in CSV and in NDJSON would differ. A test compares what both read, but for that.
//
// What is wrong with a line of JSON is said by package jsontext. A line as most are written, of fields without escapes, is taken
// apart by hand into the very cells that the package would give, which more than halves the time of a row: a fuzz test holds
// the two together.
package feed
