package report

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// countDays counts accesses and minutes.
func (s *summary) countDays(ctx context.Context) error {
	came, at := make([]facts.Set, len(s.parts)), 1
	days := state.Range{A: state.Between(s.Period.Start, s.Period.End)}
	err := s.facts(s.Access).Days(ctx, days, func(date calendar.Date, d facts.Day) {
		for at < len(s.parts) && s.parts[at].End < date {
			at++
		}
		for _, part := range []int{0, at} {
			if part == len(s.parts) {
				break
			}
			came[part].Join(d.Users)
			for rank, id := range d.Users.Ranked(s.users.Set, 0) {
				minutes := reading.Minutes(d.Tenths.At(rank))
				s.each(part, id, func(m *Metrics) {
					m.AccessDays++
					m.Minutes += minutes
				})
			}
		}
	})
	for part, set := range came {
		for _, id := range set.Ranked(s.users.Set, 0) {
			s.each(part, id, func(m *Metrics) { m.WithAccess++ })
		}
	}
	return err
}

// countReadings counts readers, readings and books.
func (s *summary) countReadings(ctx context.Context) error {
	var ledgers *facts.Ledgers
	var books *schools.Books
	err := state.Parallel(ctx,
		func(ctx context.Context) (err error) { ledgers, err = s.ledgers(ctx, s.Access); return err },
		func(ctx context.Context) (err error) { books, err = s.books(ctx, s.Access); return err },
	)
	if err != nil {
		return err
	}
	s.countRows(ledgers)
	for ids := range slices.Chunk(s.users.IDs, usersAtOnce) {
		if err := s.countTotals(ctx, ids, ledgers, books); err != nil {
			return err
		}
	}
	if s.GroupBy == ByBook {
		s.nameBooks(books)
	}
	return nil
}

// usersAtOnce bounds the users whose sums are in memory.
const usersAtOnce = 1024

// rowParts are the parts of the period whose reading rows are counted.
func (s *summary) rowParts() []calendar.Period {
	if s.GroupBy.HasReadings() {
		return s.parts
	}
	return s.parts[:1]
}

// countRows counts what the ledgers tell of the reading rows. The rows of a group are counted one after the other, so that each
// title needs to know only which group counted it last.
func (s *summary) countRows(ledgers *facts.Ledgers) {
	users := s.usersByGroup()
	for part, period := range s.rowParts() {
		for _, id := range users {
			books := ledgers.Books(id, period)
			if len(books) == 0 {
				continue
			}
			s.each(part, id, func(m *Metrics) {
				m.Readers++
				m.Readings += int64(len(books))
			})
			group := s.group(part, id)
			for _, book := range books {
				place := s.title(book)
				if s.GroupBy == ByBook {
					m := &s.groups[place].Metrics
					m.Readers++
					m.Readings++
				} else if t := &s.titles[place]; group > 0 && t.counted != group {
					t.counted = group
					s.groups[group-1].Metrics.DistinctBooks++
				}
			}
		}
	}
	s.general.DistinctBooks = int64(len(s.titles))
	if s.GroupBy == ByDay {
		for _, id := range users {
			ledgers.EachDay(id, s.Period, func(day calendar.Date) { s.groups[day-s.Period.Start].Metrics.Readers++ })
		}
	}
}

// countTotals counts the finished readings of some users, and the minutes of books. The users' sums tell most of them. A record is
// read only where it may be finished in a part of its days.
func (s *summary) countTotals(ctx context.Context, ids []directory.UserID, ledgers *facts.Ledgers, books *schools.Books) error {
	sums := make(map[directory.UserID]*facts.Sums, len(ids))
	err := s.facts(s.Access).Sums(ctx, state.Numbers(ids), func(id directory.UserID, of *facts.Sums) error {
		sums[id] = of
		return nil
	})
	if err != nil {
		return err
	}
	var records []wanted
	for _, id := range ids {
		of := sums[id]
		if of == nil {
			of = &facts.Sums{}
		}
		for part, period := range s.rowParts() {
			for _, number := range ledgers.Books(id, period) {
				book := books.Book(number)
				if book == nil {
					return fmt.Errorf("record of user %d, book %d: the book is missing: %w", id, number, packed.ErrCorrupt)
				}
				w := wanted{facts.RecordKey{User: id, Book: number}, period, part}
				if t, ok := of.Total(number, period, book.Length); ok {
					s.addTotal(w, book, t)
				} else if s.GroupBy == ByBook || of.MayFinish(number, book.Length) {
					records = append(records, w)
				}
			}
		}
	}
	slices.SortStableFunc(records, func(v, w wanted) int { return v.Compare(w.RecordKey) })
	return s.totals(ctx, s.Access, books, s.Period, records, s.addTotal)
}

// addTotal counts a reading row of a part of the period.
func (s *summary) addTotal(w wanted, _ *schools.Book, t reading.Total) {
	finished := int64(0)
	if t.Finished {
		finished = 1
	}
	s.each(w.place, w.User, func(m *Metrics) { m.Finished += finished })
	if s.GroupBy == ByBook {
		m := &s.groups[s.title(w.Book)].Metrics
		m.Minutes += t.Minutes
		m.Finished += finished
	}
}
