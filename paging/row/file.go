package row

import (
	"context"
)

// File is how the rows R of a feed's file, each of which is checked to be a V, are taken.
type File[R, V any] struct {
	Name string
	// Check may be called from several goroutines at once. A [FaultError] is a fault of the row; with any other error it is
	// passed over.
	Check func(R) (V, error)
	// Take takes a good row, and the line on which it starts. A [FaultError] is a fault of the row, any other error ends the read.
	Take func(v V, line int) error
	// Skip is told why a good row is passed over. Nil is for files that have no such rows.
	Skip func(why error)
	// End, if not nil, settles the rows when all are taken.
	End func(ctx context.Context, bad Rejected) error
	// Rows and Bad count the rows, and those that are bad by themselves.
	Rows, Bad *int
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
