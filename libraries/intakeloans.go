package libraries

import "github.com/lectern-dev/lectern/paging/row"

// Loan checks a row of loans by itself. The error is a *FaultError.
func (in *Intake) Loan(l Loan) (Loan, error) {
	if wrong := in.exists(l.Reader, l.Book); wrong != nil {
		return l, wrong
	}
	returned := !l.Returned.IsZero()
	switch {
	case in.late(l.Borrowed):
		return l, row.Fault("borrowedAt", isLate)
	case l.Status.Ended() && !returned:
		return l, row.Fault("returnedAt", isRequired+" unless the loan is active")
	case !l.Status.Ended() && returned:
		return l, row.Fault("returnedAt", "must be empty while the loan is active")
	case returned && l.Returned.Before(l.Borrowed):
		return l, row.Fault("returnedAt", "must not be before borrowedAt")
	case returned && in.late(l.Returned):
		return l, row.Fault("returnedAt", isLate)
	}
	return l, nil
}

// Loans settles rows of loans, each checked by itself before: all those of each identifier in them, in the order of their
// lines. had has what the store knows of these identifiers. It returns those that are new or changed. A loan
// before the history does not exist (G6): its rows are counted, and nothing of them is kept.
func (in *Intake) Loans(rows []Lined[Loan], had map[int64]Loan, c *Counts, bad Rejected) ([]LoanChange, error) {
	var changes []LoanChange
	put := func(now Loan, was *Loan) { changes = append(changes, LoanChange{now, was}) }
	err := kept[Loan]{
		id:      func(l Loan) int64 { return l.ID },
		lasting: func(l Loan) lasting { return lasting{l.Reader, l.Book, l.Borrowed} },
		start:   "borrowedAt", same: func(a, b Loan) bool { return loanFields.Equal(&a, &b) }, history: in.History,
		had: had, put: put, counts: c, bad: bad,
	}.settle(rows)
	return changes, err
}
