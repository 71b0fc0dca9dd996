package librariesload

import (
	"context"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/feed"
)

var loanFields = []feed.Field{
	{Name: "loanId", Required: true}, {Name: "userId", Required: true}, {Name: "bookId", Required: true}, {Name: "borrowedAt", Required: true},
	{Name: "dueAt"}, {Name: "returnedAt"}, {Name: "status", Required: true},
}

func (l *load) loan(r *feed.Row, to *libraries.Loan) {
	loan := libraries.Loan{
		ID: r.Int(0), Reader: r.Int(1), Book: r.Int(2), Borrowed: r.Time(3), Due: optional(r, 4, r.Date), Returned: r.Time(5),
	}
	status := r.Bytes(6)
	if r.Bad() {
		return
	}
	var err error
	*to, err = l.intake.Loan(loan, string(status))
	fail(r, err, loanFields)
}

var renewalFields = []feed.Field{{Name: "renewalId", Required: true}, {Name: "loanId", Required: true}, {Name: "renewedAt", Required: true}}

func (l *load) renewal(r *feed.Row, to *libraries.Renewal) {
	*to = libraries.Renewal{ID: slices.Clone(r.ID(0)), Loan: r.Int(1), At: r.Time(2)}
	if !r.Bad() {
		fail(r, l.intake.Renewal(*to), renewalFields)
	}
}

// settleLoans reads loans and renewals and settles them part by part against what the store has.
func (l *load) settleLoans(ctx context.Context) error {
	loans, renewals := &l.totals.Loans, &l.totals.Renewals
	err := rows(ctx, l, "loans", loanFields, l.loan, func(loan *libraries.Loan, at feed.Pos) error {
		return l.loans.AddLoan(at.Line, *loan)
	}, &loans.Rows, &loans.Bad)
	if err != nil {
		return err
	}
	err = rows(ctx, l, "renewals", renewalFields, l.renewal, func(r *libraries.Renewal, at feed.Pos) error {
		return l.loans.AddRenewal(at.Line, *r)
	}, &renewals.Rows, &renewals.Bad)
	if err != nil {
		return err
	}
	return l.parts(func(i int) error {
		part, err := l.loans.Part(i)
		if err != nil {
			return err
		}
		return l.settleLoanPart(ctx, part)
	})
}

func (l *load) settleLoanPart(ctx context.Context, part libraries.LoanPart) error {
	known, err := l.knownLoans(ctx, part.IDs())
	if err != nil {
		return err
	}
	changes, err := l.intake.Loans(part, known, &l.totals.Loans, l.rejected("loans"))
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := l.pile.AddLoan(c); err != nil {
			return err
		}
	}
	events, err := l.intake.Renewals(part, known, &l.totals.Renewals, l.rejected("renewals"))
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := l.pile.AddEvent(e); err != nil {
			return err
		}
	}
	return nil
}

// knownLoans returns what the store knows of loans: nothing before the first load.
func (l *load) knownLoans(ctx context.Context, ids []int64) (known libraries.KnownLoans, err error) {
	if l.intake.State.Hour == 0 || len(ids) == 0 {
		return libraries.KnownLoans{Loans: map[int64]libraries.Loan{}, Early: map[int64]libraries.Loan{}}, nil
	}
	if known.Loans, err = l.store.LoansByID(ctx, l.options.Network, ids); err != nil {
		return known, err
	}
	known.Early, err = l.store.EarlyLoans(ctx, l.options.Network, ids)
	return known, err
}
