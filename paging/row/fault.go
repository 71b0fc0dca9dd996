package row

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
