package intake

import (
	"cmp"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// lasting is what of a loan or a reservation never changes (F1).
type lasting struct {
	reader, book int64
	start        time.Time
}

// kept settles rows of loans or of reservations, which keep something for ever.
type kept[T any] struct {
	id      func(T) int64
	lasting func(T) lasting
	start   string // the name of the field
	same    func(a, b T) bool
	history calendar.Date

	had    map[int64]T         // what the store knows of the rows' identifiers
	put    func(now T, was *T) // is told what is new, where was is nil, or changed
	counts *Counts
	bad    Rejected
}

// settle settles rows, in the order of their lines: all those of each identifier in them.
func (k kept[T]) settle(rows []Lined[T]) error {
	slices.SortStableFunc(rows, func(a, b Lined[T]) int { return cmp.Compare(k.id(a.Row), k.id(b.Row)) })
	for len(rows) > 0 {
		id, n := k.id(rows[0].Row), 1
		for n < len(rows) && k.id(rows[n].Row) == id {
			n++
		}
		was, known := k.had[id]
		now, stands, err := k.standing(rows[:n], was, known)
		if err != nil {
			return err
		}
		if stands {
			k.against(was, known, now)
		}
		rows = rows[n:]
	}
	return nil
}

// against counts what stands beside what the store has, and puts what is to be written.
func (k kept[T]) against(was T, known bool, now T) {
	switch {
	case !known:
		k.counts.New++
		k.put(now, nil)
	case k.same(was, now):
		k.counts.Unchanged++
	default:
		k.counts.Changed++
		before := was
		k.put(now, &before)
	}
}

// standing checks the rows of one identifier against what must not change, and returns the last good one; stands is false
// where there is none, and where it began before the history.
func (k kept[T]) standing(rows []Lined[T], was T, known bool) (now T, stands bool, err error) {
	first := k.lasting(was)
	for _, row := range rows {
		l := k.lasting(row.Row)
		if field := k.changed(first, l); known && field != "" {
			k.counts.Bad++
			if err := k.bad(row.Line, field, isChanged); err != nil {
				return now, false, err
			}
			continue
		}
		if calendar.Day(l.start) < k.history { // it does not exist (G6): nor does it say what must not change
			k.counts.BeforeHistory++
			continue
		}
		first, known = l, true
		if stands {
			k.counts.Superseded++
		}
		now, stands = row.Row, true
	}
	return now, stands, nil
}

// changed returns the field in which l differs from what was known first, or nothing.
func (k kept[T]) changed(first, l lasting) string {
	switch {
	case first.reader != l.reader:
		return "userId"
	case first.book != l.book:
		return "bookId"
	case !first.start.Equal(l.start):
		return k.start
	}
	return ""
}
