package librariesdb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Forget erases a reader's name and e-mail from every snapshot, also from one that waits for its hour. A load under way erases
// what it has written of them in its last step, and later rows of the reader leave them empty (P7). fresh is false if the
// reader was erased before, since then. The error is ErrNotFound if there is no such reader, or no such network.
func (s *Store) Forget(ctx context.Context, n libraries.NetworkID, reader int64) (fresh bool, since time.Time, err error) {
	err = s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := NetworkOf(ctx, tx, n); err != nil {
			return err
		}
		// The last step of a load locks this row too. So it sees this erasure, or its rows are erased here.
		h, err := snapshotdb.Lock(ctx, tx, auth.Tenant(n))
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
		now, err := s.Snapshots().Clock(ctx, tx)
		if err != nil {
			return err
		}
		if fresh, since, err = snapshotdb.Forget(ctx, tx, snapshotdb.Forgotten{Tenant: auth.Tenant(n), User: reader, Since: now}); err != nil {
			return err
		}
		h = h.At(now)
		before := h.Registers
		if err := erase(ctx, tx, n, &h, []int64{reader}, person); err != nil || h.Registers == before {
			return err
		}
		return h.Publish(ctx, tx, auth.Tenant(n), now)
	})
	if err != nil {
		return false, time.Time{}, fmt.Errorf("forget reader %d of network %d: %w", reader, n, err)
	}
	return fresh, since, nil
}

// These are the columns that are erased, each with the condition of the rows that have something in them.
var (
	email  = [2]bun.Safe{`email = ''`, `email <> ''`}
	person = [2]bun.Safe{`name = '', email = ''`, `(name <> '' OR email <> '')`}
)

// erase erases columns of readers from every snapshot. If a row had something in them, the tables of h get a new version, which
// the row gets too: incremental pulls find it by this version.
func erase(ctx context.Context, tx bun.IDB, n libraries.NetworkID, h *snapshotdb.Current, ids []int64, what [2]bun.Safe) error {
	version, erased := snapshotdb.NextNumber(h.Registers), int64(0)
	for ids := range slices.Chunk(ids, chunk) {
		done, err := tx.NewRaw(`UPDATE libraries_readers SET ?, erased = ? WHERE tenant_id = ? AND user_id IN (?) AND ?`,
			what[0], version, n, bun.List(ids), what[1]).Exec(ctx)
		if err != nil {
			return fmt.Errorf("erase of readers: %w", err)
		}
		rows, err := done.RowsAffected()
		if err != nil {
			return err
		}
		erased += rows
	}
	if erased == 0 {
		return nil
	}
	h.Registers = version
	return snapshotdb.Erased(ctx, tx, auth.Tenant(n))
}

// forgotten reads the erased readers of a network.
func forgotten(ctx context.Context, idb bun.IDB, n libraries.NetworkID) (map[int64]bool, error) {
	list, err := snapshotdb.ForgottenOf(ctx, idb, auth.Tenant(n))
	all := make(map[int64]bool, len(list))
	for _, f := range list {
		all[f.User] = true
	}
	return all, err
}

// Remaining are the numbers that a snapshot still has of one reader after an erasure.
type Remaining struct {
	Titles       int   `json:"titles"` // that the reader read, borrowed or reserved
	Loans        int64 `json:"loans"`
	Reservations int64 `json:"activeReservations"`
}

// RemainingOf returns the numbers of a reader.
func (s *Store) RemainingOf(ctx context.Context, a report.Access, reader int64) (f Remaining, err error) {
	err = s.Scan(ctx, auth.Tenant(a.Network), a.At.Facts, facts.ReaderTitlesKind, snapshot.Range{Among: []int64{reader}}, func(b snapshot.Block) error {
		var titles facts.ReaderTitles
		err := packed.Open(b.Data, &titles)
		f.Titles = len(titles.Books)
		return err
	})
	if err != nil {
		return f, err
	}
	err = s.Scan(ctx, auth.Tenant(a.Network), a.At.Facts, facts.AttributesKind, snapshot.Range{Among: []int64{facts.AttributesBlock(reader)}}, func(b snapshot.Block) error {
		var readers facts.AttributeColumns
		err := packed.Open(b.Data, &readers)
		for i, id := range readers.IDs {
			if err == nil && id == reader {
				f.Loans, f.Reservations = readers.Loans.At(i), readers.Reservations.At(i)
			}
		}
		return err
	})
	return f, err
}
