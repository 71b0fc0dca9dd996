package librariesdb

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/paging/state/statedb"
)

// Kinds are the kinds of blocks of a network.
var Kinds = []state.Kind{
	facts.AttributesKind, facts.ReaderTitlesKind, facts.EventSetKind, facts.TotalsKind, facts.ReaderSheetKind, facts.TitleSheetKind,
	facts.LoginSheetKind, facts.TitleCountsKind, facts.LoanReadingsKind,
}

// VerifyBlock returns an error where an unsealed block of one of the Kinds is not of its form.
func VerifyBlock(k state.Kind, b state.Block) error { return facts.VerifyBlock(k, b) }

// Verify computes anew what the forms of one state say together, from the registers where they have it, and calls found with a
// sentence for each thing that is wrong. An error is one of reading, as where a block is corrupt. Where a load makes another state
// hold meanwhile, what is found of events counts for nothing: those of a former state are not kept.
func (s *Store) Verify(ctx context.Context, a report.Access, found func(string)) error {
	all, err := forgotten(ctx, s.DB, a.Network)
	if err != nil {
		return err
	}
	r := &registersOf{store: s, at: a, books: map[int64]bool{}, forgotten: all, found: found}
	err = statedb.Read(ctx, s.DB, intake.Books, func(b libraries.Book) { r.books[b.ID] = true }, `FROM libraries_books WHERE ?`, rowsOf(a))
	if err != nil {
		return err
	}
	return facts.Verify(ctx, func(ctx context.Context, k state.Kind, in state.Range, visit func(state.Block) error) error {
		return s.Scan(ctx, state.Tenant(a.Network), a.At.Facts, k, in, visit)
	}, r, found)
}

// registersOf are the registers of a state.
type registersOf struct {
	store *Store
	at    report.Access
	books map[int64]bool

	forgotten map[int64]bool
	found     func(string)
}

func (r *registersOf) Book(id int64) bool { return r.books[id] }

func (r *registersOf) Readers(ctx context.Context, visit func(libraries.Reader)) error {
	return readAll(ctx, r, intake.Readers, func(p libraries.Reader) {
		if r.forgotten[p.ID] && p.Name+p.Email != "" {
			r.found(fmt.Sprintf("reader %d is forgotten, and named all the same: run lectern forget again", p.ID))
		}
		visit(p)
	})
}

func (r *registersOf) Loans(ctx context.Context, visit func(libraries.Loan)) error {
	return readAll(ctx, r, intake.Loans, visit)
}

func (r *registersOf) Reservations(ctx context.Context, visit func(libraries.Reservation)) error {
	return readAll(ctx, r, intake.Reservations, visit)
}

func (r *registersOf) Requests(ctx context.Context, visit func(libraries.Request)) error {
	return readAll(ctx, r, intake.Requests, visit)
}

// readAll reads all records of a table.
func readAll[T any](ctx context.Context, r *registersOf, t *state.Records[T], visit func(T)) error {
	return statedb.Read(ctx, r.store.DB, t, visit, `FROM ? WHERE ?`, bun.Ident(t.Name), rowsOf(r.at))
}
