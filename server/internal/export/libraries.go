package export

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Libraries writes a library network: its registers with the files and fields of a feed (libraries, ageGroups, publishers,
// categories, subjects, books, lines, channels, readers, loans, reservations, suggestions), and what was folded from its
// events: days, engagements, logins and titles by day, and shelves, what each reader did with each title.
func Libraries(ctx context.Context, store *librariesdb.Store, network libraries.NetworkID, dir string, o Options) (Summary, error) {
	l := &librariesExport{store: store, source: &source{states: store.States(), tenant: state.Tenant(network), options: o}}
	return whole(ctx, dir, l.source, func(f *Folder) []func(context.Context) error {
		l.folder = f
		return []func(context.Context) error{
			func(ctx context.Context) error { return l.begin(ctx, network) },
			l.writeRegisters, l.writeReaders, l.writeDays, l.writeSuggestions, l.writeShelves,
		}
	})
}

// librariesExport is one turn of an export.
type librariesExport struct {
	*source
	store  *librariesdb.Store
	folder *Folder
	state  librariesdb.State
	access report.Access
}

// begin reads what holds now.
func (l *librariesExport) begin(ctx context.Context, network libraries.NetworkID) (err error) {
	if l.access, err = l.store.Present(ctx, network); err != nil {
		return err
	}
	l.reads(l.access.At)
	l.state, err = l.store.State(ctx, l.access)
	return err
}

// readersAtOnce is the number of readers, loans or reservations that are read at once.
const readersAtOnce = 2000

// writeReaders writes the register of readers, by userId.
func (l *librariesExport) writeReaders(ctx context.Context) error {
	t, err := newRecords[libraries.Reader](l.folder, "readers")
	if err != nil {
		return err
	}
	return l.byReaders(ctx, t.name, func(ids []int64) error {
		people, err := l.store.People(ctx, l.access, ids)
		if err != nil {
			return err
		}
		return t.WriteAll(people)
	})
}

// byReaders calls f with the readers, some at a time, for the file of a name.
func (l *librariesExport) byReaders(ctx context.Context, name string, f func(ids []int64) error) error {
	done := 0
	for ids := range slices.Chunk(l.state.Readers, readersAtOnce) {
		l.progress(ctx, name, done, len(l.state.Readers))
		if err := f(ids); err != nil {
			return err
		}
		done += len(ids)
	}
	return nil
}

// writeShelves writes what each reader did with each title: loans and sessions of all days, by userId, then bookId.
func (l *librariesExport) writeShelves(ctx context.Context) error {
	t, err := NewTable(l.folder, "shelves", writeShelf)
	if err != nil {
		return err
	}
	return l.byReaders(ctx, t.name, func(ids []int64) error {
		return l.store.ReaderTitles(ctx, l.access, ids, func(reader int64, data []byte) error {
			s, err := librariesdb.ParseReaderTitles(data)
			if err != nil {
				return fmt.Errorf("titles of reader %d: %w", reader, err)
			}
			for _, b := range s.Books {
				if err := t.Write(&shelfRow{reader, b}); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// writeDays writes what has a day, one day after the other: the rows that are folded and those of the registers.
func (l *librariesExport) writeDays(ctx context.Context) error {
	days, err := l.store.Days(ctx, l.access)
	if err != nil {
		return err
	}
	d, err := newDayTables(l.folder)
	if err != nil {
		return err
	}
	for i, day := range days.Dates {
		l.progress(ctx, "days", i, len(days.Dates))
		if err := d.days.Write(&totalsRow{day, days.Totals[i]}); err != nil {
			return err
		}
		if err := l.writeSheets(ctx, d, day); err != nil {
			return fmt.Errorf("day %s: %w", day, err)
		}
		if err := l.writePositioned(ctx, d, day); err != nil {
			return err
		}
	}
	return nil
}

// writeSheets writes the sheets of a day.
func (l *librariesExport) writeSheets(ctx context.Context, d *dayTables, day calendar.Date) error {
	for kind, write := range map[report.SheetKind]func(day calendar.Date, sheet []byte) error{
		report.ReaderSheets: d.writeReaders, report.LoginSheets: d.writeLogins, report.TitleSheets: d.writeTitles,
	} {
		sheets, err := l.store.Sheets(ctx, l.access, kind, calendar.Period{Start: day, End: day})
		if err != nil {
			return err
		}
		if sheet := sheets[day]; len(sheet) > 0 {
			if err := write(day, sheet); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePositioned writes the loans and the reservations that were made on a day, by identifier.
func (l *librariesExport) writePositioned(ctx context.Context, d *dayTables, day calendar.Date) error {
	if err := positioned(ctx, l, report.LoanRegister, day, l.store.Loans, d.loans); err != nil {
		return err
	}
	return positioned(ctx, l, report.ReservationRegister, day, l.store.Reservations, d.reservations)
}

func positioned[T any](ctx context.Context, l *librariesExport, of report.Register, day calendar.Date,
	read func(context.Context, report.Access, report.ListPositions) ([]T, error), to Table[T]) error {
	positions, err := l.store.Positions(ctx, l.access, of, day)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(positions, readersAtOnce) {
		rows, err := read(ctx, l.access, part)
		if err != nil {
			return err
		}
		if err := to.WriteAll(rows); err != nil {
			return err
		}
	}
	return nil
}

// writeSuggestions writes the suggestion requests, by day.
func (l *librariesExport) writeSuggestions(ctx context.Context) error {
	t, err := newRecords[libraries.Request](l.folder, "suggestions")
	if err != nil {
		return err
	}
	for period := range l.weeks() {
		requests, err := l.store.Requests(ctx, l.access, period)
		if err != nil {
			return err
		}
		if err := t.WriteAll(requests); err != nil {
			return err
		}
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
