package libraries

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

// Loans settles rows of loans, each checked by itself before: all those of each identifier in them, in the order of their
// lines. had has what the store knows of these identifiers. It returns those that are new or changed. A loan
// before the history does not exist (G6): its rows are counted, and nothing of them is kept.
func (in *Intake) Loans(rows []Lined[Loan], had map[int64]Loan, c *Counts, bad Rejected) ([]LoanChange, error) {
	var changes []LoanChange
	put := func(now Loan, was *Loan) { changes = append(changes, LoanChange{now, was}) }
	err := kept[Loan]{
		id:      func(l Loan) int64 { return l.ID },
		lasting: func(l Loan) lasting { return lasting{l.Reader, l.Book, l.Borrowed} },
		start:   "borrowedAt", same: sameLoan, history: in.History,
		had: had, put: put, counts: c, bad: bad,
	}.settle(rows)
	return changes, err
}

func sameLoan(a, b Loan) bool {
	return a.ID == b.ID && a.Reader == b.Reader && a.Book == b.Book && a.Borrowed.Equal(b.Borrowed) && a.Status == b.Status &&
		(!a.Status.Ended() || a.Returned.Equal(b.Returned)) && samePointee(a.Due, b.Due)
}
