// Package feed reads feeds: folders with one file per resource, as an analytical store exports them (part F of the
// contract).
//
// A resource is a file name.ndjson (one JSON object a line) or name.csv (RFC 4180 with a header), each also
// compressed: name.ndjson.gz, name.csv.zst. The two forms of one row read alike: a CSV cell is the text, number or
// literal that the JSON member would be, an empty cell is null, a list is separated by semicolons.
//
// A record declares the fields of its rows and their kinds ([row.Row]):
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
// A file is read row by row in bounded memory. Rows are parsed on every processor and handed on in the file's order. A fault
// of a row is a [*RowError] with file, line, field and reason:
//
//	segments.ndjson line 12: field wpm: must not be negative
//
// The caller decides whether a fault stops the read or skips the row. A fault of the whole file, such as a header without
// a required column or a compressed file that is cut off, stops the read.
//
// A row has at most 1 MiB. JSON is read strictly: invalid UTF-8, a repeated member and anything after the object are
// errors. A member or column that no field names ends the read, whatever the caller does with bad rows, unless
// [Folder.Ignore] names it:
//
//	books.csv line 1: field titel: is unknown; write title
//
// # What it does not do
//
// It does not know the resources: the caller gives fields their meaning and checks how rows refer to one another.
//
// # Design
//
// Rows are parsed in parallel, so a file is cut into rows first. A quote that is never closed must cost one row, not the rest of
// the file, so this package finds the ends of rows and cells of CSV. encoding/csv also replaces CR LF between quotes by LF, so
// a feed in CSV would differ from one in NDJSON. A test compares both readers in everything else.
//
// Package jsontext reads JSON and reports its faults. Most lines have no escapes; these are split by hand into the cells that
// the package would give, which more than halves the time of a row. A fuzz test compares
// the two.
package feed
