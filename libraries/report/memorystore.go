package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// some appends the records of a state that are wanted, from a key on; more reports whether later ones may be.
func some[T any](m *Memory, a Access, of *state.Records[T], list *[]T, wanted func(T) (is, more bool), from ...int64) error {
	for v, err := range state.ReadRows(&m.Memory, state.Tenant(a.Network), of, state.At(a.At.Facts), from...) {
		if err != nil {
			return err
		}
		is, more := wanted(v)
		if is {
			*list = append(*list, v)
		}
		if !more {
			break
		}
	}
	return nil
}

// all appends all records of a state.
func all[T any](m *Memory, a Access, of *state.Records[T], list *[]T) error {
	return some(m, a, of, list, func(T) (is, more bool) { return true, true })
}

// registers are the registers that a load must know.
func (m *Memory) registers(a Access) (st intake.State, err error) {
	err = all(m, a, intake.Terms, &st.Terms)
	if err == nil {
		err = all(m, a, intake.Books, &st.Books)
	}
	if err == nil {
		err = all(m, a, intake.Lines, &st.Lines)
	}
	if err == nil {
		err = all(m, a, intake.Channels, &st.Channels)
	}
	var readers []libraries.Reader
	if err == nil {
		err = all(m, a, intake.Readers, &readers)
	}
	for _, r := range readers {
		st.Readers = append(st.Readers, r.ID)
	}
	return st, err
}

// byID are all records of a state.
func byID[T any](m *Memory, a Access, of *state.Records[T], id func(T) int64) (map[int64]T, error) {
	var list []T
	err := all(m, a, of, &list)
	known := make(map[int64]T, len(list))
	for _, v := range list {
		known[id(v)] = v
	}
	return known, err
}

// Catalogue implements Store.
func (m *Memory) Catalogue(_ context.Context, a Access) (*Catalogue, error) {
	st, err := m.registers(a)
	return NewCatalogue(st.Vocabularies(), st.Books, st.Lines), err
}

// Named implements Store.
func (m *Memory) Named(ctx context.Context, a Access, ids []int64) (people []libraries.Reader, erased bool, err error) {
	people, err = m.People(ctx, a, ids)
	return people, false, err
}

// People returns the readers of the given identifiers, which ascend. Who is deleted now has no e-mail in any state (L18).
func (m *Memory) People(_ context.Context, a Access, ids []int64) (people []libraries.Reader, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	last := ids[len(ids)-1]
	asked := func(r libraries.Reader) (is, more bool) {
		_, is = slices.BinarySearch(ids, r.ID)
		return is, r.ID < last
	}
	if err = some(m, a, intake.Readers, &people, asked, ids[0]); err != nil {
		return nil, err
	}
	now := a
	now.At.Facts = m.Now(state.Tenant(a.Network))
	var gone []libraries.Reader
	err = some(m, now, intake.Readers, &gone, func(r libraries.Reader) (is, more bool) {
		is, more = asked(r)
		return is && r.Status == libraries.ReaderDeleted, more
	}, ids[0])
	for i, r := range people {
		if slices.ContainsFunc(gone, func(g libraries.Reader) bool { return g.ID == r.ID }) {
			people[i].Email = ""
		}
	}
	return people, err
}

// LoansIn implements Store.
func (m *Memory) LoansIn(_ context.Context, a Access, w Window) (list []libraries.Loan, err error) {
	return list, some(m, a, intake.Loans, &list, func(l libraries.Loan) (is, more bool) {
		return w.next(l.Day(), uint8(l.Status))
	}, int64(w.Period.Start))
}

// ReservationsIn implements Store.
func (m *Memory) ReservationsIn(_ context.Context, a Access, w Window) (list []libraries.Reservation, err error) {
	return list, some(m, a, intake.Reservations, &list, func(r libraries.Reservation) (is, more bool) {
		return w.next(r.Day(), uint8(r.Status))
	}, int64(w.Period.Start))
}

// next reports whether the next record of a list is in what is left of the window, and whether later ones may be.
func (w *Window) next(day calendar.Date, status uint8) (is, more bool) {
	if w.Size == 0 || day > w.Period.End {
		return false, false
	}
	if w.Status != 0 && w.Status != status {
		return false, true
	}
	if w.Skip > 0 {
		w.Skip--
		return false, true
	}
	w.Size--
	return true, w.Size > 0
}

// PositionsOf implements Store.
func (m *Memory) PositionsOf(_ context.Context, a Access, of Register, reader, book *int64) (list ListPositions, err error) {
	all, err := m.listed(a, of, state.At(a.At.Facts))
	for _, v := range all {
		if (reader == nil || *reader == v.Reader) && (book == nil || *book == v.Book) {
			list = append(list, v.ListPosition)
		}
	}
	return list, err
}

// Loans implements Store.
func (m *Memory) Loans(_ context.Context, a Access, positions ListPositions) ([]libraries.Loan, error) {
	return records(m, a, intake.Loans, positions, func(l libraries.Loan) int64 { return l.ID })
}

// Reservations implements Store.
func (m *Memory) Reservations(_ context.Context, a Access, positions ListPositions) ([]libraries.Reservation, error) {
	return records(m, a, intake.Reservations, positions, func(r libraries.Reservation) int64 { return r.ID })
}

// records returns those of positions, in their order.
func records[T any](m *Memory, a Access, of *state.Records[T], positions ListPositions, id func(T) int64) (list []T, err error) {
	for i, p := range positions {
		err := some(m, a, of, &list, func(v T) (is, more bool) { return id(v) == p.ID, false }, int64(p.Day), p.ID)
		if err != nil || len(list) != i+1 {
			return nil, fmt.Errorf("%s %d of %s: %w", of.Name, p.ID, p.Day, packed.ErrCorrupt)
		}
	}
	return list, nil
}

// Requests implements Store.
func (m *Memory) Requests(_ context.Context, a Access, period calendar.Period) (list []libraries.Request, err error) {
	return list, some(m, a, intake.Requests, &list, func(r libraries.Request) (is, more bool) {
		return period.Contains(r.Day()), r.Day() <= period.End
	}, int64(period.Start))
}

// Channels implements Store.
func (m *Memory) Channels(_ context.Context, a Access, period calendar.Period) (list []libraries.ChannelDay, err error) {
	return list, some(m, a, intake.Channels, &list, func(d libraries.ChannelDay) (is, more bool) {
		return period.Contains(d.Day), d.Day <= period.End
	}, int64(period.Start))
}

// Changed implements Store.
func (m *Memory) Changed(_ context.Context, a Access, loads state.Span, k state.Kind) (numbers []int64, err error) {
	life := func(l state.Span) bool { return loads.PutIn(l) || loads.TakenOut(l) }
	for values := range m.Rows(state.Tenant(a.Network), state.BlocksTable, life, int64(k.Number)) {
		if values[0] != int64(k.Number) {
			break
		}
		numbers = append(numbers, values[1].(int64))
	}
	return numbers, nil
}

// ReplacedRows implements Store.
func (m *Memory) ReplacedRows(ctx context.Context, a Access, loads state.Span, of Versioned) (ids []int64, err error) {
	tenant := state.Tenant(a.Network)
	switch of {
	case ReaderRows:
		for values := range m.Rows(tenant, intake.Readers.Table, loads.TakenOut) {
			ids = append(ids, values[0].(int64))
		}
	case BookRows:
		for values := range m.Rows(tenant, intake.Books.Table, loads.TakenOut) {
			ids = append(ids, values[0].(int64))
		}
	case NamedTerms:
		life := func(l state.Span) bool { return loads.PutIn(l) || loads.TakenOut(l) }
		for t, err := range state.ReadRows(&m.Memory, tenant, intake.Terms, life) {
			if err != nil {
				return nil, err
			}
			if t.Vocabulary == libraries.LibraryTerms || t.Vocabulary == libraries.AgeGroupTerms {
				ids = append(ids, t.ID)
			}
		}
		slices.Sort(ids)
	case TitleRecords:
		err = m.Replaced(ctx, tenant, facts.ReaderTitlesKind, loads, func(key state.BlockKey) error {
			ids = append(ids, key.A)
			return nil
		})
	}
	return ids, err
}

// Listed implements Store.
func (m *Memory) Listed(_ context.Context, a Access, of Register, which Which, visit func(Listed) error) error {
	life := state.At(a.At.Facts)
	named := func(v Listed) bool { return slices.Contains(which.Books, v.Book) }
	switch {
	case which.TakenOut != state.Span{}:
		life = func(l state.Span) bool { return l.Contains(a.At.Facts) && which.TakenOut.TakenOut(l) }
		named = func(Listed) bool { return true }
	case which.PutIn != state.Span{}:
		life = func(l state.Span) bool { return l.Contains(a.At.Facts) && which.PutIn.PutIn(l) }
		named = func(v Listed) bool { return slices.Contains(which.Days, v.Day) }
	case which.Readers != nil:
		named = func(v Listed) bool { return slices.Contains(which.Readers, v.Reader) }
	}
	list, err := m.listed(a, of, life)
	for _, v := range list {
		if err == nil && which.Period.Contains(v.Day) && named(v) {
			err = visit(v)
		}
	}
	return err
}

// listed are the loans, or the reservations, whose life is wanted.
func (m *Memory) listed(a Access, of Register, life func(state.Span) bool) (list []Listed, err error) {
	tenant := state.Tenant(a.Network)
	if of == LoanRegister {
		for l, err := range state.ReadRows(&m.Memory, tenant, intake.Loans, life) {
			if err != nil {
				return nil, err
			}
			list = append(list, Listed{ListPosition{l.Day(), l.ID, uint8(l.Status)}, l.Reader, l.Book})
		}
		return list, nil
	}
	for r, err := range state.ReadRows(&m.Memory, tenant, intake.Reservations, life) {
		if err != nil {
			return nil, err
		}
		list = append(list, Listed{ListPosition{r.Day(), r.ID, uint8(r.Status)}, r.Reader, r.Book})
	}
	return list, nil
}
