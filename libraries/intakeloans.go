package libraries

import (
	"maps"
	"slices"
	"time"
)

// Loan checks a row of loans by itself; all but the status is given in l, and Returned is zero where it is null. The error
// is a *FaultError.
func (in *Intake) Loan(l Loan, status string) (Loan, error) {
	if wrong := in.exists(l.Reader, l.Book); wrong != nil {
		return l, wrong
	}
	var ok bool
	if l.Status, ok = ParseLoanStatus(status); !ok {
		return l, oneOf("status", loanStatuses[1:])
	}
	l.Borrowed, l.Returned = instant(l.Borrowed), instant(l.Returned)
	returned := !l.Returned.IsZero()
	switch {
	case in.late(l.Borrowed):
		return l, &FaultError{"borrowedAt", isLate}
	case l.Status.Ended() && !returned:
		return l, &FaultError{"returnedAt", isRequired + " unless the loan is active"}
	case !l.Status.Ended() && returned:
		return l, &FaultError{"returnedAt", "must be empty while the loan is active"}
	case returned && l.Returned.Before(l.Borrowed):
		return l, &FaultError{"returnedAt", "must not be before borrowedAt"}
	case returned && in.late(l.Returned):
		return l, &FaultError{"returnedAt", isLate}
	}
	return l, nil
}

// Renewal is a row of renewals as the feed has it.
type Renewal struct {
	ID   []byte
	Loan int64
	At   time.Time
}

// Renewal checks a row of renewals by itself. The error is a *FaultError.
func (in *Intake) Renewal(r Renewal) error {
	if in.late(r.At) {
		return &FaultError{"renewedAt", isLate}
	}
	return nil
}

// LoanPart is all that a feed says of some loans: rows in the order of their lines.
type LoanPart struct {
	Loans    []Lined[Loan]
	Renewals []Lined[Renewal]
}

// IDs returns the identifiers of the loans, ascending.
func (p LoanPart) IDs() []int64 {
	ids := make([]int64, 0, len(p.Loans)+len(p.Renewals))
	for _, l := range p.Loans {
		ids = append(ids, l.Row.ID)
	}
	for _, r := range p.Renewals {
		ids = append(ids, r.Row.Loan)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// KnownLoans is what the store knows of some loans: those that there are, and of those that were made before the history
// the ID, Reader, Book and Borrowed. Its maps must not be nil: what a feed says is added to them.
type KnownLoans struct {
	Loans map[int64]Loan
	Early map[int64]Loan
}

// Loans settles the rows of loans of a part, each checked by itself before. It returns the loans that are new or changed,
// adds to known what stands, and to EarlyLoans those that are new there. A loan that was before the history, which an
// operator has moved, is like any new one, and no longer early.
func (in *Intake) Loans(part LoanPart, known KnownLoans, c *Counts, bad Rejected) ([]LoanChange, error) {
	had := maps.Clone(known.Early)
	var changes []LoanChange
	put := func(now Loan, was *Loan) {
		known.Loans[now.ID] = now
		if _, early := known.Early[now.ID]; early {
			delete(known.Early, now.ID)
			in.NoLongerEarly = append(in.NoLongerEarly, now.ID)
		}
		changes = append(changes, LoanChange{now, was})
	}
	err := kept[Loan]{
		id:      func(l Loan) int64 { return l.ID },
		lasting: func(l Loan) lasting { return lasting{l.Reader, l.Book, l.Borrowed} },
		start:   "borrowedAt", same: sameLoan, history: in.History,
		had: known.Loans, early: known.Early, put: put, counts: c, bad: bad,
	}.settle(part.Loans)
	for id, l := range known.Early {
		_, old := had[id]
		if _, exists := known.Loans[id]; !exists && !old { // a loan of the store may be before a history that was moved
			in.EarlyLoans = append(in.EarlyLoans, early(l))
		}
	}
	return changes, err
}

// early returns what is kept of a loan before the history.
func early(l Loan) Loan { return Loan{ID: l.ID, Reader: l.Reader, Book: l.Book, Borrowed: l.Borrowed} }

func sameLoan(a, b Loan) bool {
	return a.ID == b.ID && a.Reader == b.Reader && a.Book == b.Book && a.Borrowed.Equal(b.Borrowed) && a.Status == b.Status &&
		(!a.Status.Ended() || a.Returned.Equal(b.Returned)) && samePointee(a.Due, b.Due)
}

// Renewals makes events of the rows of renewals of a part, each checked by itself before, whose loans are all known. Those
// of loans before the history, and those before it themselves, are skipped and counted (G6).
func (in *Intake) Renewals(part LoanPart, known KnownLoans, c *EventCounts, bad Rejected) ([]Event, error) {
	events := make([]Event, 0, len(part.Renewals))
	for _, row := range part.Renewals {
		e, err := in.renewal(row.Row, known)
		switch wrong := err.(type) {
		case nil:
			events = append(events, e)
		case *FaultError:
			c.Bad++
			if err := bad(row.Line, wrong.Field, wrong.Reason); err != nil {
				return nil, err
			}
		default:
			c.BeforeHistory++
		}
	}
	return events, nil
}

// renewal makes an event of a row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) renewal(r Renewal, known KnownLoans) (Event, error) {
	loan, ok := known.Loans[r.Loan]
	_, early := known.Early[r.Loan]
	switch {
	case !ok && early:
		return Event{}, ErrBeforeHistory
	case !ok:
		return Event{}, &FaultError{"loanId", isMissing}
	}
	e, err := in.event(RenewalEvent, loan.Reader, r.At, "renewedAt")
	if err != nil {
		return Event{}, err
	}
	e.ID, e.Book = NewEventID(RenewalResource, r.ID, e.Reader, e.Day), loan.Book
	return e, nil
}
