package row

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Counts says what became of the rows of a file.
type Counts struct {
	Rows, New, Changed, Unchanged int
	Superseded                    int // they are good, but another row of their key stands (F1)
	BeforeHistory, Deleted        int // they are skipped: see [ErrBeforeHistory] and [ErrDeleted]
	Bad                           int
}

// Why a good row is skipped.
var (
	// ErrBeforeHistory is the error of what was before the history (G6).
	ErrBeforeHistory = errors.New("before the history")
	// ErrDeleted is the error of a row that names something deleted (F4).
	ErrDeleted = errors.New("of something deleted")
)

// Skip counts a row that is skipped.
func (c *Counts) Skip(why error) {
	if errors.Is(why, ErrDeleted) {
		c.Deleted++
	} else {
		c.BeforeHistory++
	}
}

// Add adds what became of other rows.
func (c *Counts) Add(o Counts) {
	c.Rows += o.Rows
	c.New += o.New
	c.Changed += o.Changed
	c.Unchanged += o.Unchanged
	c.Superseded += o.Superseded
	c.BeforeHistory += o.BeforeHistory
	c.Deleted += o.Deleted
	c.Bad += o.Bad
}

// ahead is by how much the clock of the feed's sender may be ahead of the load's (F3).
const ahead = 5 * time.Minute

// Late returns the fault of a field that has a time of more than 5 minutes after a load began, or nil.
func Late(field string, at, began time.Time) error {
	if at.Sub(began) > ahead {
		return Fault(field, "must not be more than 5 minutes after the load began")
	}
	return nil
}

// Settling is how the rows R of a register become what is kept of them, V: what was known, what the feed says, what changes.
type Reconciler[R, V any] struct {
	// Order compares rows by their keys.
	Order func(a, b R) int
	// Check returns what a row makes. A [FaultError] is a fault of the row; with any other error it is skipped.
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
func (s Reconciler[R, V]) Reconcile(rows []Lined[R], c *Counts, bad Rejected) error {
	order := func(a, b Lined[R]) int { return s.Order(a.Row, b.Row) }
	if !slices.IsSortedFunc(rows, order) {
		rows = slices.Clone(rows)
		slices.SortStableFunc(rows, order)
	}
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
func (s Reconciler[R, V]) standing(rows []Lined[R], c *Counts, bad Rejected) (makes V, stands bool, err error) {
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
			c.Skip(err)
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
func (s Reconciler[R, V]) against(now V, c *Counts) error {
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

// File is how the rows R of a feed's file, each of which is checked to be a V, are taken.
type File[R, V any] struct {
	Name string
	// Check may be called from several goroutines at once. A [FaultError] is a fault of the row; with any other error it is skipped.
	Check func(R) (V, error)
	// Take takes a good row, and the line on which it starts. A [FaultError] is a fault of the row, any other error ends the read.
	Take func(v V, line int) error
	// Skip is told why a good row is skipped. Nil is for files that have no such rows.
	Skip func(why error)
	// End, if not nil, settles the rows when all are taken.
	End func(ctx context.Context, bad Rejected) error
	// Counts counts the rows, and those that are skipped or bad by themselves.
	Counts *Counts
}

// FaultError is what is wrong with a row of a feed: the name of the field, or nothing where it is the row as a whole, and why.
type FaultError struct{ Field, Reason string }

// Fault returns what is wrong with a field.
func Fault(field, reason string) *FaultError { return &FaultError{field, reason} }

func (e *FaultError) Error() string { return e.Field + " " + e.Reason }

// Lined is a row of a feed with the line on which it starts.
type Lined[T any] struct {
	Line int
	Row  T
}

// Rejected is told of a bad row (F3). The error that it returns stops the load; nil skips the row.
type Rejected func(line int, field, reason string) error
