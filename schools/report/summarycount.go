package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// countDays counts accesses and minutes.
func (s *summary) countDays(ctx context.Context) error {
	came, at := make([]facts.Set, len(s.parts)), min(1, len(s.parts)-1) // at is the part of the date, if groups are days or months
	days := snapshot.Range{A: snapshot.Between(s.Period.Start, s.Period.End)}
	err := s.facts(s.Access).Days(ctx, days, func(date calendar.Date, d facts.Day) {
		for at < len(s.parts) && s.parts[at].End < date {
			at++
		}
		for _, part := range slices.Compact([]int{0, at}) {
			came[part].Join(d.Users)
			for rank, id := range d.Users.Ranked(s.users.set, 0) {
				minutes := reading.Minutes(d.Tenths.At(rank))
				s.each(part, id, func(m *Metrics) {
					m.AccessDays++
					m.Minutes += minutes
				})
			}
		}
	})
	for part, set := range came {
		for _, id := range set.Ranked(s.users.set, 0) {
			s.each(part, id, func(m *Metrics) { m.WithAccess++ })
		}
	}
	return err
}

// usersAtOnce bounds the number of users whose sums are in memory, besides those that are read ahead.
const usersAtOnce = 1024

// userSums are the sums of some users.
type userSums struct {
	users []directory.UserID
	sums  map[directory.UserID]*facts.Sums
}

// countReadings counts readers, readings and books. The sums of later users are read while those of earlier
// ones are counted.
func (s *summary) countReadings(ctx context.Context) error {
	var index *facts.Index
	var books *schools.Books
	ahead := make(chan userSums, 2)
	read := func(ctx context.Context) error {
		defer close(ahead)
		return s.readSums(ctx, ahead)
	}
	count := func(ctx context.Context) (err error) {
		if index, err = s.index(ctx, s.Access); err != nil {
			return err
		}
		if books, err = s.books(ctx, s.Access); err != nil {
			return err
		}
		for some := range ahead {
			if err := s.countUsers(ctx, some, index, books); err != nil {
				return err
			}
		}
		return nil
	}
	if err := snapshot.Parallel(ctx, read, count); err != nil {
		return err
	}
	s.general.DistinctBooks = int64(len(s.titles))
	if s.GroupBy == ByBook {
		s.nameBooks(books)
	}
	return nil
}

// readSums sends the sums of all users. The users of one school or class follow one another.
func (s *summary) readSums(ctx context.Context, to chan<- userSums) error {
	for users := range slices.Chunk(s.usersByGroup(), usersAtOnce) {
		some := userSums{users, make(map[directory.UserID]*facts.Sums, len(users))}
		err := s.facts(s.Access).Sums(ctx, snapshot.Numbers(slices.Sorted(slices.Values(users))), func(id directory.UserID, of *facts.Sums) error {
			some.sums[id] = of
			return nil
		})
		if err != nil {
			return err
		}
		select {
		case to <- some:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// rowParts returns the parts of the period whose reading rows are counted.
func (s *summary) rowParts() []calendar.Period {
	if s.GroupBy.HasReadings() {
		return s.parts
	}
	return s.parts[:1]
}

// countUsers counts the reading rows of some users. Mostly their sums tell whether a row is finished; the
// records of the other rows are read.
func (s *summary) countUsers(ctx context.Context, of userSums, index *facts.Index, books *schools.Books) error {
	var records []wantedTotal
	for _, id := range of.users {
		sums := cmp.Or(of.sums[id], &facts.Sums{})
		for part, period := range s.rowParts() {
			numbers := index.Books(id, period)
			s.countRows(part, id, numbers)
			for _, number := range numbers {
				book := books.Book(number)
				if book == nil {
					return fmt.Errorf("record of user %d, book %d: the book is missing: %w", id, number, packed.ErrCorrupt)
				}
				w := wantedTotal{facts.RecordKey{User: id, Book: number}, period, part}
				if t, ok := s.totalOf(sums, w, book); ok {
					s.countTotal(w, book, t)
				} else {
					records = append(records, w)
				}
			}
		}
		if s.GroupBy == ByDay {
			index.EachDay(id, s.Period, func(day calendar.Date) { s.groups[day-s.Period.Start].Metrics.Readers++ })
		}
	}
	slices.SortStableFunc(records, func(v, w wantedTotal) int { return v.Compare(w.RecordKey) })
	return s.totals(ctx, s.Access, books, s.Period, records, s.countTotal)
}

// countRows counts a user's reading rows of a part of the period, given by their books. The users of a group
// follow one another, so it is enough that a title knows the last group that counted it.
func (s *summary) countRows(part int, id directory.UserID, books []int64) {
	if len(books) == 0 {
		return
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
		} else if counted := &s.titles[place].counted[part]; group > 0 && *counted != group {
			*counted = group
			s.groups[group-1].Metrics.DistinctBooks++
		}
	}
}

// totalOf returns the totals that the summary counts of a row, if the user's sums can tell them. Only groups
// of books need minutes.
func (s *summary) totalOf(of *facts.Sums, w wantedTotal, book *schools.Book) (t reading.Total, ok bool) {
	if s.GroupBy == ByBook {
		return of.Total(w.Book, w.period, book.Length)
	}
	t.Finished, ok = of.Finished(w.Book, w.period, book.Length)
	return t, ok
}

// countTotal counts the totals of one reading row of a part of the period.
func (s *summary) countTotal(w wantedTotal, _ *schools.Book, t reading.Total) {
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
