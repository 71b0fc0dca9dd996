package export

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// writeRegisters writes the registers that have neither readers nor days.
func (l *librariesExport) writeRegisters(context.Context) error {
	for _, v := range libraries.Vocabularies() {
		if err := writeRecords(l.folder, v.String(), l.state.Terms[v]); err != nil {
			return err
		}
	}
	if err := writeRecords(l.folder, "books", l.state.Books); err != nil {
		return err
	}
	if err := writeRecords(l.folder, "lines", l.state.Lines); err != nil {
		return err
	}
	return writeRecords(l.folder, "channels", l.state.Channels)
}

// writeRecords writes a whole file of records.
func writeRecords[T any, P record[T]](f *Folder, name string, rows []T) error {
	t, err := newRecords[T, P](f, name)
	if err != nil {
		return err
	}
	return t.WriteAll(rows)
}

// shelfRow is what one reader did with one title.
type shelfRow struct {
	reader int64
	librariesdb.ReaderTitle
}

// writeShelf writes progress in percent, to the thousandths that are kept; the days on which it first reached 10 and 50 are those
// that readings10 and readings50 count.
func writeShelf(w *wire.Writer, s *shelfRow) {
	w.Int("userId", s.reader, "")
	w.Int("bookId", s.Book, "")
	w.Int("sessions", s.Pair.Sessions, "")
	w.Int("readingSeconds", s.Pair.Seconds, "")
	w.Progress("progress", int64(s.Pair.Highest), "")
	last, read := s.Pair.Last()
	w.DateIf("lastReadAt", last, read, "")
	at10, reached := s.Pair.Reached(libraries.Reading10)
	w.DateIf("readings10At", at10, reached, "")
	at50, reached := s.Pair.Reached(libraries.Reading50)
	w.DateIf("readings50At", at50, reached, "")
	days := make([]string, len(s.Loans))
	for i, loan := range s.Loans {
		days[i] = loan.Start.String()
	}
	w.Texts("loans", days, wire.Day, "")
}
