package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/spill"
)

// Memory is a Store without a database: the registers and facts that feeds were folded into. The zero Memory is empty and ready. It
// keeps every state.
type Memory struct{ state.Memory }

var _ Store = (*Memory)(nil)

// The rows of a feed's events.
type (
	Session  = intake.SessionRow
	Preview  = intake.PreviewRow
	Renewal  = intake.RenewalRow
	Activity = intake.ActivityRow
)

// Feed is what a network's feed says: the rows of each file (part F of the contract), in the order of their lines.
type Feed struct {
	Terms        map[libraries.Vocabulary][]libraries.Term
	Books        []libraries.Book
	Lines        []stock.BookLine
	Channels     []libraries.ChannelDay
	Readers      []libraries.Reader
	Loans        []libraries.Loan
	Reservations []libraries.Reservation
	Renewals     []Renewal
	Sessions     []Session
	Previews     []Preview
	Activity     []Activity
	Requests     []libraries.Request
}

// Fold folds a feed of a network, which was begun to be read at a time, onto those folded before. It returns the access to the state
// that they make, which holds at once, and how many of the events are new. The first row that is bad is the error; then nothing is
// folded. Of two calls at once one fails with state.ErrLost, and may be made again.
func (m *Memory) Fold(ctx context.Context, n libraries.NetworkID, f Feed, began time.Time) (a Access, fresh int, err error) {
	l := m.Memory.Load(state.Tenant(n))
	a = Access{Network: n, At: state.Versions{Facts: l.Base()}, Hour: libraries.HourOf(began)}
	in, err := m.settle(ctx, a, &f, began)
	if err != nil {
		return a, 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	loaded, _, err := intake.Load(ctx, l, in.Intake, in.Pile, intake.LoadOptions{
		People: func(ctx context.Context, ids []int64) ([]libraries.Reader, error) { return m.People(ctx, a, ids) },
	})
	if err != nil {
		return a, 0, err
	}
	now := a
	now.At.Facts, err = l.Hold()
	return now, loaded.New, err
}

// settle settles a feed against a state.
func (m *Memory) settle(ctx context.Context, a Access, f *Feed, began time.Time) (*intake.Feed, error) {
	st, err := m.registers(a)
	if err != nil {
		return nil, err
	}
	to := intake.NewFeed(intake.NewIntake(st, began, libraries.HistoryStart), intake.Known{
		Loans: func(context.Context, []int64) (map[int64]libraries.Loan, error) {
			return byID(m, a, intake.Loans, func(l libraries.Loan) int64 { return l.ID })
		},
		Reservations: func(context.Context, []int64) (map[int64]libraries.Reservation, error) {
			return byID(m, a, intake.Reservations, func(r libraries.Reservation) int64 { return r.ID })
		},
	}, spill.Pile{})
	var c intake.Counts
	var n intake.EventCounts
	for _, v := range libraries.Vocabularies() {
		err = cmp.Or(err, take(ctx, f.Terms[v], to.TermFile(v, &c)))
	}
	for _, file := range []func() error{
		func() error { return take(ctx, f.Books, to.BookFile(&c)) },
		func() error { return take(ctx, f.Lines, to.LineFile(&c)) },
		func() error { return take(ctx, f.Channels, to.ChannelFile(&c)) },
		func() error { return take(ctx, f.Readers, to.ReaderFile(&c)) },
		func() error { return take(ctx, f.Loans, to.LoanFile(&c)) },
		func() error { return take(ctx, f.Reservations, to.ReservationFile(&c)) },
		func() error { return take(ctx, f.Renewals, to.RenewalFile(&n)) },
		func() error { return take(ctx, f.Sessions, to.SessionFile(&n)) },
		func() error { return take(ctx, f.Previews, to.PreviewFile(&n)) },
		func() error { return take(ctx, f.Activity, to.ActivityFile(&n)) },
		func() error { return take(ctx, f.Requests, to.RequestFile(&n)) },
	} {
		if err == nil {
			err = file()
		}
	}
	if err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}

// take takes the rows of a file. The error names the first that is bad.
func take[R, V any](ctx context.Context, rows []R, f row.File[R, V]) error {
	bad := func(line int, err error) error { return fmt.Errorf("%s, row %d: %w", f.Name, line, err) }
	for i, r := range rows {
		v, err := f.Check(r)
		if errors.Is(err, intake.ErrBeforeHistory) {
			continue
		}
		if err == nil {
			err = f.Take(v, i+1)
		}
		if err != nil {
			return bad(i+1, err)
		}
	}
	if f.End == nil {
		return nil
	}
	return f.End(ctx, func(line int, field, reason string) error { return bad(line, row.Fault(field, reason)) })
}
