package librariesdb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
)

// ReadersTable is the table that [Store.Forget] erases from.
const ReadersTable = "libraries_readers"

// Forget erases a reader's name and e-mail in every state, the one that waits for its hour included, and for ever: what a load
// under way has written of them goes with its last step, and later rows of the reader leave them empty (P7). A new version of the
// registers tells those who kept a copy. Forgetting again erases again, and is new no more. The error is ErrNotFound where there
// is no such reader, or no such network.
func (s *Store) Forget(ctx context.Context, n libraries.NetworkID, reader int64) (fresh bool, since time.Time, err error) {
	err = s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := NetworkOf(ctx, tx, n); err != nil {
			return err
		}
		// The last step of a load locks this row too: it sees what is noted here, or has written all that is erased here.
		h, err := authdb.Lock(ctx, tx, auth.Tenant(n))
		if err != nil {
			return err
		}
		var known bool
		err = tx.NewRaw(`SELECT EXISTS (SELECT 1 FROM libraries_readers WHERE tenant_id = ? AND user_id = ?)`, n, reader).Scan(ctx, &known)
		if err == nil && !known {
			err = ErrNotFound
		}
		if err != nil {
			return err
		}
		now, err := s.States().Clock(ctx, tx)
		if err != nil {
			return err
		}
		if fresh, since, err = authdb.Forget(ctx, tx, authdb.Forgotten{Tenant: auth.Tenant(n), User: reader, Since: now}); err != nil {
			return err
		}
		if fresh {
			h = h.At(now)
			h.Registers = authdb.NextNumber(h.Registers)
			if err := h.Hold(ctx, tx, auth.Tenant(n), now); err != nil {
				return err
			}
		}
		return eraseReaders(ctx, tx, n, []int64{reader})
	})
	if err != nil {
		return false, time.Time{}, fmt.Errorf("forget reader %d of network %d: %w", reader, n, err)
	}
	return fresh, since, nil
}

// eraseReaders erases the names and e-mails of readers from every state.
func eraseReaders(ctx context.Context, tx bun.IDB, n libraries.NetworkID, ids []int64) error {
	for ids := range slices.Chunk(ids, chunk) {
		err := erase(ctx, tx, n, bun.SafeQuery(`
			UPDATE libraries_readers
			   SET name = '', email = ''
			 WHERE tenant_id = ? AND user_id IN (?) AND (name <> '' OR email <> '')`, n, bun.List(ids)))
		if err != nil {
			return fmt.Errorf("erase readers: %w", err)
		}
	}
	return nil
}

// erase runs an update that erases from every state, and notes it where there was something to erase.
func erase(ctx context.Context, tx bun.IDB, n libraries.NetworkID, update schema.QueryWithArgs) error {
	done, err := tx.NewRaw(`?`, update).Exec(ctx)
	if err != nil {
		return err
	}
	if rows, err := done.RowsAffected(); err != nil || rows == 0 {
		return err
	}
	return authdb.Erased(ctx, tx, auth.Tenant(n))
}

// forgotten reads who is forgotten of a network.
func forgotten(ctx context.Context, idb bun.IDB, n libraries.NetworkID) (map[int64]bool, error) {
	list, err := authdb.ForgottenOf(ctx, idb, auth.Tenant(n))
	all := make(map[int64]bool, len(list))
	for _, f := range list {
		all[f.User] = true
	}
	return all, err
}

// Figures are what a state says of one reader without naming them: what remains of one who was forgotten.
type Figures struct {
	Titles       int   `json:"titles"` // that the reader read, borrowed or reserved
	Loans        int64 `json:"loans"`
	Reservations int64 `json:"activeReservations"`
}

// FiguresOf returns the figures of a reader.
func (s *Store) FiguresOf(ctx context.Context, a report.Access, reader int64) (f Figures, err error) {
	err = s.Scan(ctx, state.Tenant(a.Network), a.At.Facts, facts.ReaderTitlesKind, state.Range{Among: []int64{reader}}, func(b state.Block) error {
		titles, err := facts.ParseReaderTitles(b.Data)
		if err == nil {
			f.Titles = len(titles.Books)
		}
		return err
	})
	if err != nil {
		return f, err
	}
	err = s.Scan(ctx, state.Tenant(a.Network), a.At.Facts, facts.AttributesKind, state.Range{Among: []int64{facts.Block(reader)}}, func(b state.Block) error {
		readers, err := facts.ParseAttributes(b.Data)
		for _, r := range readers {
			if r.ID == reader {
				f.Loans, f.Reservations = r.Loans, r.ActiveReservations
			}
		}
		return err
	})
	return f, err
}
