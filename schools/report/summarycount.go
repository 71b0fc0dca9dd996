package report

import (
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
	err := s.reports.facts(s.Access).Days(ctx, days, func(date calendar.Date, d facts.Day) {
		for at < len(s.parts) && s.parts[at].End < date {
			at++
		}
		came[0].Join(d.Users)
		if at > 0 {
			came[at].Join(d.Users)
		}
		for rank, id := range d.Users.Ranked(s.users.set, 0) {
			minutes := reading.Minutes(d.Tenths.At(rank))
			s.general.AccessDays++
			s.general.Minutes += minutes
			if g := s.group(at, id); g > 0 {
				m := &s.groups[g-1].Metrics
				m.AccessDays++
				m.Minutes += minutes
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

// usersAtOnce bounds the number of users whose rows may have to be counted from records.
const usersAtOnce = 4096

// countReadings counts readers, readings and books.
func (s *summary) countReadings(ctx context.Context) error {
	for users := range slices.Chunk(s.users.IDs, usersAtOnce) {
		if err := s.countUsers(ctx, users); err != nil {
			return err
		}
	}
	s.general.DistinctBooks = int64(len(s.titles))
	if s.GroupBy == ByBook {
		s.orderBooks()
	}
	return nil
}

// countUsers counts the reading rows of some users. Mostly their sums tell whether a row is finished; the
// records of the other rows are read.
func (s *summary) countUsers(ctx context.Context, users []directory.UserID) error {
	s.records = map[snapshot.Span][]wantedTotal{}
	var had facts.Set
	err := s.reports.facts(s.Access).Sums(ctx, users, func(id directory.UserID, sums *facts.Sums) error {
		had.Add(id)
		return s.countUser(id, sums)
	})
	for _, id := range users {
		if err == nil && !had.Has(id) {
			err = s.countUser(id, &facts.Sums{})
		}
	}
	for days, records := range s.records {
		if err == nil {
			slices.SortStableFunc(records, func(v, w wantedTotal) int { return v.Compare(w.RecordKey) })
			err = s.reports.totals(ctx, s.Access, s.books, days, records, s.countTotal)
		}
	}
	return err
}

// countUser counts the reading rows of a user. Rows that the sums cannot tell are added to s.records.
func (s *summary) countUser(id directory.UserID, sums *facts.Sums) error {
	for part := range s.rowParts() {
		window := &s.parts[part]
		if s.numbers = s.index.AppendBooks(s.numbers[:0], id, window.Period); len(s.numbers) == 0 {
			continue
		}
		s.each(part, id, func(m *Metrics) {
			m.Readers++
			m.Readings += int64(len(s.numbers))
		})
		group := s.group(part, id)
		for _, number := range s.numbers {
			t := s.title(number)
			if t == nil {
				return fmt.Errorf("record of user %d, book %d: the book is missing: %w", id, number, packed.ErrCorrupt)
			}
			s.countRow(t, group)
			w := wantedTotal{facts.RecordKey{User: id, Book: number}, window.Period, part}
			if total, ok := s.totalOf(sums, w, t.book); ok {
				s.countTotal(w, t.book, total)
			} else {
				days := sums.Across(number, window.Period)
				s.records[days] = append(s.records[days], w)
			}
		}
	}
	if s.GroupBy == ByDay {
		s.index.EachDay(id, s.Period, func(day calendar.Date) { s.groups[day-s.Period.Start].Metrics.Readers++ })
	}
	return nil
}

// rowParts returns the parts of the period whose reading rows are counted.
func (s *summary) rowParts() []facts.Window {
	if s.GroupBy.HasReadings() {
		return s.parts
	}
	return s.parts[:1]
}

// countRow counts a row of a book. group is that of the user and the part of the period, from 1 on, or 0.
func (s *summary) countRow(t *title, group int) {
	switch {
	case s.GroupBy == ByBook:
		m := &s.groups[t.place].Metrics
		m.Readers++
		m.Readings++
	case group > 0 && !t.counted[group-1]:
		t.counted[group-1] = true
		s.groups[group-1].Metrics.DistinctBooks++
	}
}

// totalOf returns the totals that the summary counts of a row, if the user's sums can tell them. Only groups
// of books need minutes.
func (s *summary) totalOf(of *facts.Sums, w wantedTotal, book *schools.Book) (t reading.Total, ok bool) {
	if s.GroupBy == ByBook {
		return of.Total(w.Book, w.period, book.Length)
	}
	t.Finished, ok = of.Finished(w.Book, &s.parts[w.place], book.Length)
	return t, ok
}

// countTotal counts the totals of one reading row of a part of the period.
func (s *summary) countTotal(w wantedTotal, _ *schools.Book, t reading.Total) {
	if t.Finished {
		s.each(w.place, w.User, func(m *Metrics) { m.Finished++ })
	}
	if s.GroupBy == ByBook {
		m := &s.groups[s.titles[w.Book].place].Metrics
		m.Minutes += t.Minutes
		if t.Finished {
			m.Finished++
		}
	}
}
