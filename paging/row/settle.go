package row

import (
	"errors"
	"slices"
)

// Counts says what became of the rows of a register.
type Counts struct {
	Rows, New, Changed, Unchanged int
	Superseded                    int // they are good, but another row of their key stands (F1)
	Passed                        int // they were passed over: see [Settling]
	Bad                           int
}

// Settling is how the rows R of a register become what is kept of them, V: what was known, what the feed says, what changes.
type Settling[R, V any] struct {
	// Order compares rows by their keys.
	Order func(a, b R) int
	// Check returns what a row makes. A [FaultError] is a fault of the row; with any other error it is passed over.
	Check func(R) (V, error)
	// Was returns what is known of the key of what stands.
	Was func(V) (V, bool)
	// Same reports whether nothing is to be written.
	Same func(a, b V) bool
	// Put takes what is new, where was is nil, or changed.
	Put func(now V, was *V) error
}

// Settle settles rows, key by key, those of one key in the order in which they stand, of which the last good one counts (F1). All
// are checked, so that a feed is refused in pieces just where it is as a whole (F3).
func (s Settling[R, V]) Settle(rows []Lined[R], c *Counts, bad Rejected) error {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Lined[R]) int { return s.Order(a.Row, b.Row) })
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && s.Order(rows[0].Row, rows[n].Row) == 0 {
			n++
		}
		now, stands, err := s.standing(rows[:n], c, bad)
		if err == nil && stands {
			err = s.against(now, c)
		}
		if err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// standing returns what the last good row of one key makes; stands is false where there is none.
func (s Settling[R, V]) standing(rows []Lined[R], c *Counts, bad Rejected) (makes V, stands bool, err error) {
	for _, line := range rows {
		v, err := s.Check(line.Row)
		if wrong, ok := errors.AsType[*FaultError](err); ok {
			c.Bad++
			if err := bad(line.Line, wrong.Field, wrong.Reason); err != nil {
				return makes, false, err
			}
			continue
		}
		if err != nil {
			c.Passed++
			continue
		}
		if stands {
			c.Superseded++
		}
		makes, stands = v, true
	}
	return makes, stands, nil
}

// against counts what stands beside what was known, and puts it where that is another.
func (s Settling[R, V]) against(now V, c *Counts) error {
	was, known := s.Was(now)
	switch {
	case !known:
		c.New++
		return s.Put(now, nil)
	case s.Same(was, now):
		c.Unchanged++
		return nil
	}
	c.Changed++
	return s.Put(now, &was)
}
