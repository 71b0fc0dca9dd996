package row

import "context"

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
