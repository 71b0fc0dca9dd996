package row

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Counts says what happened to the rows of a file.
type Counts struct {
	Rows, New, Changed, Unchanged int
	Superseded                    int // valid rows that a later row of their key replaced (F1)
	BeforeHistory, Deleted        int // skipped: see [ErrBeforeHistory] and [ErrDeleted]
	Bad                           int
}

// The reasons to skip a valid row.
var (
	// ErrBeforeHistory is the error for a row from before the history (G6).
	ErrBeforeHistory = errors.New("before the history")
	// ErrDeleted is the error for a row that names something deleted (F4).
	ErrDeleted = errors.New("of something deleted")
)

// Skip counts a skipped row.
func (c *Counts) Skip(why error) {
	if errors.Is(why, ErrDeleted) {
		c.Deleted++
	} else {
		c.BeforeHistory++
	}
}

// Add adds the counts of other rows.
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

// ahead is how far the clock of a feed's sender may be ahead of the load's (F3).
const ahead = 5 * time.Minute

// Late returns the fault of a field whose time is more than 5 minutes after the load began, or nil.
func Late(field string, at, began time.Time) error {
	if at.Sub(began) > ahead {
		return Fault(field, "must not be more than 5 minutes after the load began")
	}
	return nil
}

// Reconciler compares the rows R of a table's file with the stored values V, and puts what differs.
type Reconciler[R, V any] struct {
	// Order compares rows by their keys.
	Order func(a, b R) int
	// Check validates a row. A [FaultError] is a fault of the row. With any other error the row is skipped.
	Check func(R) (V, error)
	// Was returns the stored value with the key of a new one.
	Was func(V) (V, bool)
	// Same reports whether nothing is to be written.
	Same func(a, b V) bool
	// Put takes a value that is new, with a nil was, or changed.
	Put func(now V, was *V) error
}

// Reconcile sorts rows by key and reconciles them. Of the rows with one key, in the order in which they are given, the
// last valid one counts (F1). All rows are checked, so that a feed in pieces is refused exactly if the whole feed is
// (F3).
func (s Reconciler[R, V]) Reconcile(rows []Lined[R], c *Counts, bad Rejected) error {
	slices.SortStableFunc(rows, func(a, b Lined[R]) int { return s.Order(a.Row, b.Row) })
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && s.Order(rows[0].Row, rows[n].Row) == 0 {
			n++
		}
		v, ok, err := s.last(rows[:n], c, bad)
		if err == nil && ok {
			err = s.compare(v, c)
		}
		if err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// last returns the value of the last valid row of one key. ok is false if there is none.
func (s Reconciler[R, V]) last(rows []Lined[R], c *Counts, bad Rejected) (v V, ok bool, err error) {
	for _, line := range rows {
		checked, err := s.Check(line.Row)
		if wrong, ok := errors.AsType[*FaultError](err); ok {
			c.Bad++
			if err := bad(line.Line, wrong.Field, wrong.Reason); err != nil {
				return v, false, err
			}
			continue
		}
		if err != nil {
			c.Skip(err)
			continue
		}
		if ok {
			c.Superseded++
		}
		v, ok = checked, true
	}
	return v, ok, nil
}

// compare compares a value with the stored one, counts it, and puts it if it differs.
func (s Reconciler[R, V]) compare(now V, c *Counts) error {
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

// File says how the rows R of a feed's file are read. Each is validated to a V.
type File[R, V any] struct {
	Name string
	// Check validates a row. It may be called by several goroutines at once. A [FaultError] is a fault of the row. With
	// any other error the row is skipped.
	Check func(R) (V, error)
	// Take takes a valid row, and the line on which it starts. A [FaultError] is a fault of the row. Any other error
	// ends the read.
	Take func(v V, line int) error
	// Skip is called with the reason why a valid row is skipped. It may be nil if the file has no such rows.
	Skip func(why error)
	// End, if not nil, reconciles the rows after all are taken.
	End func(ctx context.Context, bad Rejected) error
	// Counts counts the rows, and those that are skipped or bad by themselves.
	Counts *Counts
}

// FaultError is what is wrong with a row of a feed. Field is the name of the field, or "" for the whole row.
type FaultError struct{ Field, Reason string }

// Fault returns a fault of a field.
func Fault(field, reason string) *FaultError { return &FaultError{field, reason} }

func (e *FaultError) Error() string { return e.Field + " " + e.Reason }

// Lined is a row of a feed with the line on which it starts.
type Lined[T any] struct {
	Line int
	Row  T
}

// Rejected is called for a bad row (F3). An error that it returns stops the load. Nil skips the row.
type Rejected func(line int, field, reason string) error
