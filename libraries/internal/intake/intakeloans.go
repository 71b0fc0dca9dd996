package intake

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/row"
)

// Loan checks a row of loans by itself. The error is a *FaultError.
func (in *Intake) Loan(l libraries.Loan) (libraries.Loan, error) {
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
func (in *Intake) Loans(rows []Lined[libraries.Loan], had map[int64]libraries.Loan, c *Counts, bad Rejected) ([]facts.LoanChange, error) {
	var changes []facts.LoanChange
	put := func(now libraries.Loan, was *libraries.Loan) {
		changes = append(changes, facts.LoanChange{Loan: now, Was: was})
	}
	err := kept[libraries.Loan]{
		id:      func(l libraries.Loan) int64 { return l.ID },
		lasting: func(l libraries.Loan) lasting { return lasting{l.Reader, l.Book, l.Borrowed} },
		start:   "borrowedAt", same: func(a, b libraries.Loan) bool { return loanFields.Equal(&a, &b) }, history: in.History,
		had: had, put: put, counts: c, bad: bad,
	}.settle(rows)
	return changes, err
}
