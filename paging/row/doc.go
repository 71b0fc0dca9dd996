// Package row lets a record declare its fields once, for everything that is done with them: a feed fills it, a load
// spills it to a file, a table stores it, a document describes it.
//
//	type Loan struct {
//		ID, Reader int64
//		Borrowed   time.Time
//		Due        *calendar.Date
//		Status     LoanStatus
//	}
//
//	func (l *Loan) Fields(w *row.Walk) {
//		row.Int(w, "loanId", &l.ID, row.Required)
//		row.Int(w, "userId", &l.Reader, row.Required)
//		row.Instant(w, "borrowedAt", &l.Borrowed, row.Required)
//		row.OptionalDay(w, "dueAt", &l.Due)
//		row.Enum(w, "status", &l.Status, loanStatuses[:])
//	}
//
// A name is the field's name in feeds (part F of the contract), and the order is that of the specification. [Of] returns
// the [Schema] of a record, which describes the fields without a value. A [Visitor] does something with the values.
//
// # Values
//
// A visitor sees a field as one of four things. Numbers are integers, bools (0 and 1), names of an enum (by index),
// amounts of some decimal place, days since 1970-01-01, and instants in microseconds since then. Texts are null if they
// are empty. Bytes are texts or numbers as they were written, and are not copied. Lists contain integers.
//
// A visitor is also told whether a number is null. Most fields keep null as a number: [None] for an identifier, 0 for an
// instant, so that the first microsecond of 1970 counts as null. A database has that number too. Only optional fields,
// which are pointers, are NULL there.
//
// # What it does not do
//
// It knows no file and no table. It knows only one rule between two fields: a day that earlier fields require or forbid
// ([DayWhere]).
//
// # Design
//
// A declaration is a function, and not tags that are read by reflection: the compiler checks it, and it costs one call a
// field. A visitor gets values and returns values, not pointers, so that nothing moves to the heap. It also gets the
// field from the schema, which is made once.
package row
