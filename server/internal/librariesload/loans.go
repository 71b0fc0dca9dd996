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

// settleLoans reads loans and settles them part by part against what the store has.
func (l *load) settleLoans(ctx context.Context) error {
	n := &l.totals.Loans
	err := rows(ctx, l, "loans", loanFields, l.loan, func(loan *libraries.Loan, at feed.Pos) error {
		return l.loans.Add(at.Line, *loan)
	}, &n.Rows, &n.Bad)
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

func (l *load) settleLoanPart(ctx context.Context, part []libraries.Lined[libraries.Loan]) error {
	had, err := known(ctx, l, part, func(loan libraries.Loan) int64 { return loan.ID }, l.store.LoansByID)
	if err != nil {
		return err
	}
	changes, err := l.intake.Loans(part, had, &l.totals.Loans, l.rejected(ctx, "loans", loanFields))
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := l.pile.AddLoan(c); err != nil {
			return err
		}
	}
	return nil
}

// known returns what the store knows of the things that rows of a part are about, by their identifiers: nothing before the
// first load.
func known[T any](ctx context.Context, l *load, part []libraries.Lined[T], id func(T) int64,
	read func(context.Context, libraries.Access, []int64) (map[int64]T, error)) (map[int64]T, error) {
	if l.base.At.Facts == 0 || len(part) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(part))
	for i, row := range part {
		ids[i] = id(row.Row)
	}
	slices.Sort(ids)
	return read(ctx, l.base, slices.Compact(ids))
}
