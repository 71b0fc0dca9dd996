package authdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/uptrace/bun"
)

// IssueParams say what key to issue.
type IssueParams struct {
	Tenant  auth.Tenant
	API     auth.API
	Network int64     // id of the network's entity: required for Schools, 0 for the others
	Expires time.Time // zero = never
}

// validate refuses what no key can be; it is the program that is wrong then.
func (p IssueParams) validate() error {
	if !p.API.Valid() {
		return fmt.Errorf("unknown API %q", p.API)
	}
	if (p.API == auth.Schools) != (p.Network > 0) {
		return fmt.Errorf("a schools key needs a network and the others have none: %s key, network %d", p.API, p.Network)
	}
	return nil
}

// Issue makes a new key and returns its text, which nothing can show again: of a
// directory key the secret, 43 characters of base64url, which is stored sealed by
// the Store's Box, its accessKeyId being the key's id. The errors are ErrNotFound
// where there is no such tenant, ErrExpiry, and auth.ErrBox for a directory key
// where there is no Box. That the network exists is for the caller to see to.
func (s *Store) Issue(ctx context.Context, p IssueParams) (text string, k auth.Key, err error) {
	err = s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := Lock(ctx, tx, p.Tenant); err != nil {
			return fmt.Errorf("issue key: %w", err)
		}
		text, k, err = s.IssueIn(ctx, tx, p)
		return err
	})
	if err != nil {
		return "", auth.Key{}, err
	}
	return text, k, nil
}

// IssueIn is [Store.Issue] as a part of the caller's transaction, which must have
// locked the tenant ([Lock]): so the caller can see to it that the network of a
// schools key exists, and it still does when the key is there.
func (s *Store) IssueIn(ctx context.Context, tx bun.Tx, p IssueParams) (text string, k auth.Key, err error) {
	err = p.validate()
	var now time.Time
	if err == nil {
		now, err = handle.Clock(ctx, tx, s.Now)
	}
	if err == nil {
		text, k, err = s.insert(ctx, tx, auth.Key{
			Tenant: p.Tenant, API: p.API, Network: p.Network, Created: now, Expires: p.Expires,
		})
	}
	if err != nil {
		return "", auth.Key{}, fmt.Errorf("issue key: %w", err)
	}
	return text, k, nil
}

// insert gives the key the next number of its tenant, which is locked, and a
// secret, and stores it. A Budget of 0 stands for one of its own. What it returns
// is the secret alone for a directory key, and the whole text for the others.
func (s *Store) insert(ctx context.Context, tx bun.Tx, want auth.Key) (string, auth.Key, error) {
	want.Expires = want.Expires.UTC().Truncate(time.Microsecond)
	if !want.Live(want.Created) {
		return "", auth.Key{}, ErrExpiry
	}
	var number int
	err := tx.NewSelect().Model((*keyRow)(nil)).ColumnExpr("coalesce(max(number), 0) + 1").Where("tenant_id = ?", want.Tenant).Scan(ctx, &number)
	if err != nil {
		return "", auth.Key{}, err
	}
	text, k, err := auth.NewKey(s.random(), want.Tenant, number)
	if err != nil {
		return "", auth.Key{}, err
	}
	want.Number, want.Budget = k.Number, cmp.Or(want.Budget, k.Budget)
	row := rowOfKey(want)
	if want.API == auth.Directory { // nothing more than the sealed secret is kept of it
		text = strings.TrimPrefix(text, want.ID()+"-")
		row.Secret, err = s.Box.Seal(want.ID(), text, s.random())
	} else {
		want.Hash = k.Hash
		row.Hash = k.Hash[:]
	}
	if err == nil {
		_, err = tx.NewInsert().Model(row).Exec(ctx)
	}
	return text, want, err
}

// Rotate issues a successor of the key with the id and lets the old one live for
// the grace; not longer than it would have. With a grace of 0 that is revoked, and
// does not live again where the clock is put back. The successor differs in its
// number and secret alone: it has the API, the network, the rate budget (G3) and
// the expiry, if any, of the old key, unless expires is another, earlier or later;
// the zero time = never. What it returns is the secret alone for a directory key,
// and the whole text for the others.
//
// The errors are ErrNotFound, ErrExpiry, ErrDead for a key that is not live,
// ErrRotated for one that has a successor, since its expiry is the end of its grace
// by then, and auth.ErrBox for a directory key where the Store has no Box.
func (s *Store) Rotate(ctx context.Context, id string, grace time.Duration, expires *time.Time) (text string, k auth.Key, err error) {
	if grace < 0 {
		return "", auth.Key{}, fmt.Errorf("key %s: grace %v is negative", id, grace)
	}
	err = s.change(ctx, id, func(ctx context.Context, tx bun.Tx, old auth.Key, now time.Time) error {
		if !old.Live(now) {
			return ErrDead
		}
		succeeded, err := tx.NewSelect().Model((*keyRow)(nil)).
			Where("tenant_id = ? AND budget = ? AND number > ?", old.Tenant, old.Budget, old.Number).Exists(ctx)
		if err != nil {
			return err
		}
		if succeeded {
			return ErrRotated
		}
		next := auth.Key{Tenant: old.Tenant, API: old.API, Network: old.Network, Budget: old.Budget, Created: now, Expires: old.Expires}
		if expires != nil {
			next.Expires = *expires
		}
		if text, k, err = s.insert(ctx, tx, next); err != nil {
			return err
		}
		end, column := now.Add(grace), bun.Ident("expires")
		if grace == 0 {
			column = "revoked"
		}
		if !old.Expires.IsZero() && old.Expires.Before(end) {
			return nil
		}
		_, err = tx.NewUpdate().Model(rowOfKey(old)).Set("? = ?", column, end).WherePK().Exec(ctx)
		return err
	})
	if err != nil {
		return "", auth.Key{}, err
	}
	return text, k, nil
}

// Revoke ends the key with the id at once, on every replica. The key that is
// revoked or expired already stays as it is, without an error. The error is
// ErrNotFound for an id that no key has.
//
// It does not take the lock of the tenant: a key that has leaked must not live
// until a load has ended.
func (s *Store) Revoke(ctx context.Context, id string) error {
	t, number, ok := auth.ParseID(id)
	if !ok {
		return fmt.Errorf("key %q: %w", id, ErrNotFound)
	}
	now, err := handle.Clock(ctx, s.DB, s.Now)
	if err != nil {
		return fmt.Errorf("key %q: %w", id, err)
	}
	res, err := s.DB.NewUpdate().Model((*keyRow)(nil)).Set("revoked = coalesce(revoked, ?)", now).
		Where("tenant_id = ? AND number = ?", t, number).Exec(ctx)
	if err != nil {
		return fmt.Errorf("key %q: %w", id, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return fmt.Errorf("key %q: %w", id, cmp.Or(err, ErrNotFound))
	}
	return nil
}

// change reads a key under the lock of its tenant and hands it to f, with the time.
func (s *Store) change(ctx context.Context, id string, f func(ctx context.Context, tx bun.Tx, k auth.Key, now time.Time) error) error {
	t, number, ok := auth.ParseID(id)
	if !ok {
		return fmt.Errorf("key %q: %w", id, ErrNotFound)
	}
	err := s.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := Lock(ctx, tx, t); err != nil {
			return err
		}
		row := keyRow{TenantID: t, Number: number}
		err := tx.NewSelect().Model(&row).WherePK().Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		now, err := handle.Clock(ctx, tx, s.Now)
		if err != nil {
			return err
		}
		return f(ctx, tx, row.key(), now)
	})
	if err != nil {
		return fmt.Errorf("key %q: %w", id, err)
	}
	return nil
}

// RevokeNetwork ends all keys of one network of a tenant, as part of the
// transaction that deletes the network (G3). It is no error when there are none.
func (s *Store) RevokeNetwork(ctx context.Context, tx bun.IDB, t auth.Tenant, network int64) error {
	if network == 0 {
		return nil // stands for no network, on the keys of the other APIs
	}
	now, err := handle.Clock(ctx, tx, s.Now)
	if err == nil {
		_, err = tx.NewUpdate().Model((*keyRow)(nil)).Set("revoked = ?", now).
			Where("tenant_id = ? AND network = ? AND revoked IS NULL", t, network).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("revoke keys of network %d of tenant %d: %w", network, t, err)
	}
	return nil
}

// List returns all keys, or those of the given tenants, dead ones too, by tenant
// and number. The hashes and secrets are left out: nobody who reads a list needs
// them.
func (s *Store) List(ctx context.Context, of ...auth.Tenant) ([]auth.Key, error) {
	var rows []keyRow
	q := s.DB.NewSelect().Model(&rows).ExcludeColumn("hash", "secret").Order("tenant_id", "number")
	if len(of) > 0 {
		q.Where("tenant_id IN (?)", bun.List(of))
	}
	err := q.Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	keys := make([]auth.Key, len(rows))
	for i := range rows {
		keys[i] = rows[i].key()
	}
	return keys, nil
}
