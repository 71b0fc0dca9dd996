package schoolsdb

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/schools"
)

// CopyFunc writes rows into a table on the transaction that runs on conn, as fast as the engine can.
type CopyFunc func(ctx context.Context, conn bun.Conn, table string, columns []string, rows iter.Seq[[]any]) (int64, error)

// ErrOvertaken is returned by Save when the partner's data changed since the state was read: the load must be settled
// anew against the present state.
var ErrOvertaken = errors.New("the partner's data changed while the feed was read")

// ErrNotBegun is returned by Save where its transaction could not begin: nothing of the pile is used up, and Save may be
// called again.
var ErrNotBegun = errors.New("the load could not begin to write")

// State reads what a load must know of a partner.
func (s *Store) State(ctx context.Context, partner directory.PartnerID, ref directory.Ref) (schools.State, error) {
	st := schools.State{Partner: ref}
	v, err := authdb.ReadVersions(ctx, s.DB, auth.Tenant(partner)) // before all else: what changes later is found by Save
	if err != nil {
		return st, err
	}
	st.At = state.Versions{Registers: v.Registers, Facts: v.Facts}
	if st.Began, err = (&authdb.Store{Now: s.Now}).Clock(ctx, s.DB); err != nil { // after the versions, and so after all that they stand for
		return st, err
	}
	if st.LastEntity, st.LastUser, err = directorydb.Counters(ctx, s.DB, partner); err != nil {
		return st, err
	}
	if st.Entities, err = directorydb.Entities(ctx, s.DB, partner); err != nil {
		return st, err
	}
	if st.Carriers, err = directorydb.Carriers(ctx, s.DB, partner); err != nil {
		return st, err
	}
	if st.Degrees, err = directorydb.Degrees(ctx, s.DB, partner); err != nil {
		return st, err
	}
	if st.Books, err = s.books(ctx, partner); err != nil {
		return st, err
	}
	if st.Evaluations, err = directorydb.Evaluations(ctx, s.DB, partner); err != nil {
		return st, err
	}
	err = directorydb.AccountRefs(ctx, s.DB, partner, func(a directory.Account) error {
		st.Accounts = append(st.Accounts, a)
		return nil
	})
	return st, err
}

// Saved says what a load wrote.
type Saved struct {
	New, Repeated int // events
	Versions      state.Versions
}

// Save writes a settled feed and its events in one transaction (F2) and raises both versions with its last statement.
// It holds the partner's row from the first statement on, so that loads and directory writes of the partner follow one
// another; readers go on with the state before. progress, if not nil, is told the parts of the pile that are done, 0 as soon as
// the row is held.
func (s *Store) Save(ctx context.Context, partner directory.PartnerID, in *schools.Intake, pile *schools.Pile, progress func(done, total int)) (Saved, error) {
	conn, err := s.DB.Conn(ctx)
	if err != nil {
		return Saved{}, err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return Saved{}, fmt.Errorf("%w: %w", ErrNotBegun, err)
	}
	defer tx.Rollback()
	v, err := authdb.Lock(ctx, tx, auth.Tenant(partner))
	if err != nil {
		return Saved{}, err
	}
	if (state.Versions{Registers: v.Registers, Facts: v.Facts}) != in.State.At {
		return Saved{}, ErrOvertaken
	}
	if progress != nil {
		progress(0, pile.Parts())
	}
	if err := s.putRegisters(ctx, tx, partner, v.Registers+1, in); err != nil {
		return Saved{}, err
	}
	l := &load{Store: s, partner: partner, conn: conn, tx: tx, progress: progress}
	if err := l.facts(ctx, pile); err != nil {
		return Saved{}, err
	}
	if l.saved.New == 0 && !in.Changes() {
		l.saved.Versions = in.State.At // nothing was written: what is cached stays good
		return l.saved, nil
	}
	if v, err = authdb.Raise(ctx, tx, auth.Tenant(partner), true, true); err != nil {
		return Saved{}, err
	}
	l.saved.Versions = state.Versions{Registers: v.Registers, Facts: v.Facts}
	return l.saved, tx.Commit()
}

// putRegisters writes what changed in the registers; version is the one that the load will publish.
func (s *Store) putRegisters(ctx context.Context, tx bun.Tx, partner directory.PartnerID, version int64, in *schools.Intake) error {
	if err := directorydb.PutEntities(ctx, tx, partner, version, in.PutEntities); err != nil {
		return err
	}
	if err := directorydb.PutAccounts(ctx, tx, partner, version, in.PutAccounts); err != nil {
		return err
	}
	if err := directorydb.AddCarriers(ctx, tx, partner, in.PutCarriers); err != nil {
		return err
	}
	if err := directorydb.PutEvaluations(ctx, tx, partner, in.PutEvaluations); err != nil {
		return err
	}
	if err := directorydb.SetCounters(ctx, tx, partner, in.State.LastEntity, in.State.LastUser); err != nil {
		return err
	}
	return s.putBooks(ctx, tx, partner, in.PutBooks)
}

// bookRow is a row of schools_books.
type bookRow struct {
	bun.BaseModel `bun:"table:schools_books,alias:b"`
	TenantID      int64 `bun:",pk"`
	BookID        int64 `bun:",pk"`
	Title         string
	Author        string
	ISBN          string `bun:"isbn"`
	Length        int64
}

// chunk is the number of rows of one statement: bun writes values into its text.
const chunk = 2000

func (s *Store) putBooks(ctx context.Context, tx bun.Tx, partner directory.PartnerID, books []schools.Book) error {
	for len(books) > 0 {
		n := min(chunk, len(books))
		rows := make([]bookRow, n)
		for i, b := range books[:n] {
			rows[i] = bookRow{TenantID: int64(partner), BookID: b.ID, Title: b.Title, Author: b.Author, ISBN: b.ISBN, Length: b.Length}
		}
		_, err := tx.NewInsert().Model(&rows).
			On("CONFLICT (tenant_id, book_id) DO UPDATE").
			Set("title = EXCLUDED.title, author = EXCLUDED.author, isbn = EXCLUDED.isbn, length = EXCLUDED.length").
			Returning("NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("write books: %w", err)
		}
		books = books[n:]
	}
	return nil
}
