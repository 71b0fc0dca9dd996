package export

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// LibrariesOf says whose data to export.
type LibrariesOf struct {
	Store   *librariesdb.Store
	Network libraries.NetworkID
}

// Libraries writes a library network: its registers with the files and fields of a feed (libraries, ageGroups, publishers,
// categories, subjects, books, lines, channels, readers, loans, reservations, suggestions), and what was folded from its
// events: days, engagements, logins and titles by day, and shelves, what each reader did with each title.
func Libraries(ctx context.Context, of LibrariesOf, dir string, o Options) (Summary, error) {
	l := &librariesExport{LibrariesOf: of, source: &source{states: of.Store.States(), tenant: state.Tenant(of.Network), options: o}}
	return l.whole(ctx, dir, l.begin, l.writeRegisters, l.writeReaders, l.writeDays, l.writeSuggestions, l.writeShelves)
}

// librariesExport is one turn of an export.
type librariesExport struct {
	LibrariesOf
	*source
	state  librariesdb.State
	access report.Access
}

// begin reads what holds now.
func (l *librariesExport) begin(ctx context.Context) (err error) {
	if l.access, err = l.Store.Present(ctx, l.Network); err != nil {
		return err
	}
	l.reads(l.access.At)
	l.state, err = l.Store.State(ctx, l.access)
	return err
}

// writeRegisters writes the registers that have neither readers nor days.
func (l *librariesExport) writeRegisters(context.Context) error {
	terms := l.state.Vocabularies()
	for _, v := range libraries.Vocabularies() {
		newRecords[libraries.Term](l.folder, v.String()).Write(terms[v]...)
	}
	newRecords[libraries.Book](l.folder, "books").Write(l.state.Books...)
	newRecords[stock.BookLine](l.folder, "lines").Write(l.state.Lines...)
	newRecords[libraries.ChannelDay](l.folder, "channels").Write(l.state.Channels...)
	return nil
}

// readersAtOnce is the number of readers, loans or reservations that are read at once.
const readersAtOnce = 2000

// writeReaders writes the register of readers, by userId.
func (l *librariesExport) writeReaders(ctx context.Context) error {
	t := newRecords[libraries.Reader](l.folder, "readers")
	return l.byReaders(ctx, t.name, func(ids []int64) error {
		people, err := l.Store.People(ctx, l.access, ids)
		t.Write(people...)
		return err
	})
}

// byReaders calls f with the readers, some at a time, for the file of a name.
func (l *librariesExport) byReaders(ctx context.Context, name string, f func(ids []int64) error) error {
	done := 0
	for ids := range slices.Chunk(l.state.Readers, readersAtOnce) {
		if err := l.progress(ctx, name, done, len(l.state.Readers)); err != nil {
			return err
		}
		if err := f(ids); err != nil {
			return err
		}
		done += len(ids)
	}
	return nil
}

// writeShelves writes what each reader did with each title: loans and sessions of all days, by userId, then bookId.
func (l *librariesExport) writeShelves(ctx context.Context) error {
	t := NewTable(l.folder, "shelves", writeShelf)
	return l.byReaders(ctx, t.name, func(ids []int64) error {
		return report.Folded{Blocks: l.Store}.ReaderTitles(ctx, l.access, ids, func(reader int64, data []byte) error {
			s, err := librariesdb.ParseReaderTitles(data)
			if err != nil {
				return fmt.Errorf("titles of reader %d: %w", reader, err)
			}
			for _, b := range s.Books {
				t.Write(shelfRow{reader, b})
			}
			return nil
		})
	})
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

// writeSuggestions writes the suggestion requests, by day.
func (l *librariesExport) writeSuggestions(ctx context.Context) error {
	t := newRecords[libraries.Request](l.folder, "suggestions")
	for period := range l.weeks() {
		requests, err := l.Store.Requests(ctx, l.access, period)
		if err != nil {
			return err
		}
		t.Write(requests...)
	}
	return nil
}

// weeks yields all time: week by week from the history's first day to that of the snapshot, and what lies around them, where an
// operator who changed the history may have left something.
func (l *librariesExport) weeks() func(func(calendar.Period) bool) {
	first, last := libraries.HistoryStart, max(libraries.HistoryStart, l.access.Hour.Day())
	return func(yield func(calendar.Period) bool) {
		if !yield(calendar.Period{Start: math.MinInt32, End: first - 1}) {
			return
		}
		for day := first; day <= last; day += 7 {
			if !yield(calendar.Period{Start: day, End: min(day+6, last)}) {
				return
			}
		}
		yield(calendar.Period{Start: last + 1, End: math.MaxInt32})
	}
}
