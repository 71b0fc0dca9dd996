// Package row lets a record declare its fields once, for all that is done with them: a feed fills it, a load sets it aside,
// a table stores it, a document describes it.
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
// A name is the field's in feeds (part F of the contract); the order is that of the specification. [Of]
// returns what is known of the fields without a record, their [Schema]; a [Visitor] is something to do with the values.
//
// # Values
//
// However a field is kept, a visitor sees one of four things. Numbers: integers, truths (0 and 1), names of an enum (by
// their place), amounts of some decimal place, days since 1970-01-01 and instants in microseconds since then. Texts, of which
// the empty one is null. Bytes, which are texts or numbers as they were written, not copied. Lists of integers.
//
// What is null of a number is said beside it. Most fields keep it as a number that they have for it: [None] of an
// identifier, 0 of an instant, so that the first microsecond of 1970 is none. A store has that number too; only the optional
// fields, which are pointers, are NULL there.
//
// # What it does not do
//
// It knows no file, no table and no rule that holds between two fields, but one: a day that is given where, and only where,
// the fields before it say so ([DayWhere]).
//
// # Design
//
// A declaration is a function that is run, and not tags that are reflected upon: the compiler checks it, and it costs a call
// for a field. A visitor is handed values and returns values, not pointers, so that nothing is moved to the heap for it; and
// it is handed the field from the schema, which is made once.
package row
