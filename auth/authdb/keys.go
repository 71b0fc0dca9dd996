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

// IssueParams describe the key to issue.
type IssueParams struct {
	Tenant  auth.Tenant
	API     auth.API
	Network int64     // id of the network's entity: required for Schools, 0 for the others
	Expires time.Time // zero = never
}

// validate returns an error for a key that cannot exist, which is a mistake of the program.
func (p IssueParams) validate() error {
	if !p.API.Valid() {
		return fmt.Errorf("unknown API %q", p.API)
	}
	if (p.API == auth.Schools) != (p.Network > 0) {
		return fmt.Errorf("a schools key needs a network and the others have none: %s key, network %d", p.API, p.Network)
	}
	return nil
}

// Issue makes a new key and returns its text, which cannot be shown again. The text of a directory key is its secret,
// 43 characters of base64url, which the Store's Box seals; its accessKeyId is the key's id. The errors are ErrExpiry,
// and auth.ErrBox for a directory key without a Box.
//
// The transaction must have locked the tenant, as snapshotdb.Lock does, since the key gets the next number. With the
// lock the caller can also check that the tenant, and the network of a schools key, still exist.
func (s *Store) Issue(ctx context.Context, tx bun.IDB, p IssueParams) (text string, k auth.Key, err error) {
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

// insert stores the key with a new secret and the next number of its tenant, which is locked. A zero Budget becomes the
// key's own. It returns the secret of a directory key, and the whole text of the others.
func (s *Store) insert(ctx context.Context, tx bun.IDB, want auth.Key) (string, auth.Key, error) {
	want.Expires = want.Expires.UTC().Truncate(time.Microsecond)
	if !want.Live(want.Created) {
		return "", auth.Key{}, ErrExpiry
	}
	var number int
	err := tx.NewSelect().Model((*keyRow)(nil)).ColumnExpr("coalesce(max(number), 0) + 1").Where("tenant_id = ?", want.Tenant).Scan(ctx, &number)
	if err != nil {
		return "", auth.Key{}, err
	}
	text, k := auth.NewKey(want.Tenant, number)
	want.Number, want.Budget = k.Number, cmp.Or(want.Budget, k.Budget)
	row := rowOfKey(want)
	if want.API == auth.Directory { // only the sealed secret is stored
		text = strings.TrimPrefix(text, want.ID()+"-")
		row.Secret, err = s.Box.Seal(want.ID(), text)
	} else {
		want.Hash = k.Hash
		row.Hash = k.Hash[:]
	}
	if err == nil {
		_, err = tx.NewInsert().Model(row).Exec(ctx)
	}
	return text, want, err
}

// Rotate issues a successor of the key with the id. The old key stays valid for the grace, but not beyond its expiry.
// With a grace of 0 it is revoked, which holds even if the clock is set back. The successor has the API, the network,
// the rate budget (G3) and the expiry of the old key, unless expires sets another one; the zero time means never.
// Rotate returns the secret of a directory key, and the whole text of the others. The transaction must have locked the
// key's tenant, as for Issue.
//
// The errors are ErrNotFound, ErrExpiry, ErrDead for a key that is not live, ErrRotated for one that has a successor,
// since its expiry is then the end of its grace, and auth.ErrBox for a directory key without a Box.
func (s *Store) Rotate(ctx context.Context, tx bun.IDB, id string, grace time.Duration, expires *time.Time) (text string, k auth.Key, err error) {
	if grace < 0 {
		return "", auth.Key{}, fmt.Errorf("key %s: grace %v is negative", id, grace)
	}
	old, err := keyOf(ctx, tx, id)
	if err == nil {
		next := auth.Key{Tenant: old.Tenant, API: old.API, Network: old.Network, Budget: old.Budget, Expires: old.Expires}
		if expires != nil {
			next.Expires = *expires
		}
		text, k, err = s.replace(ctx, tx, old, next, grace)
	}
	if err != nil {
		return "", auth.Key{}, fmt.Errorf("key %q: %w", id, err)
	}
	return text, k, nil
}

// keyOf returns the key with an id, or ErrNotFound.
func keyOf(ctx context.Context, db bun.IDB, id string) (auth.Key, error) {
	t, number, ok := auth.ParseID(id)
	if !ok {
		return auth.Key{}, ErrNotFound
	}
	row := keyRow{TenantID: t, Number: number}
	err := db.NewSelect().Model(&row).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return row.key(), err
}

// replace issues the next key and ends the old one after a grace.
func (s *Store) replace(ctx context.Context, tx bun.IDB, old, next auth.Key, grace time.Duration) (text string, k auth.Key, err error) {
	if next.Created, err = handle.Clock(ctx, tx, s.Now); err != nil {
		return "", k, err
	}
	if !old.Live(next.Created) {
		return "", k, ErrDead
	}
	succeeded, err := tx.NewSelect().Model((*keyRow)(nil)).
		Where("tenant_id = ? AND budget = ? AND number > ?", old.Tenant, old.Budget, old.Number).Exists(ctx)
	if succeeded {
		err = ErrRotated
	}
	if err != nil {
		return "", k, err
	}
	if text, k, err = s.insert(ctx, tx, next); err != nil {
		return "", k, err
	}
	end, column := next.Created.Add(grace), bun.Ident("expires")
	if grace == 0 {
		column = "revoked"
	}
	if !old.Expires.IsZero() && old.Expires.Before(end) {
		return text, k, nil
	}
	_, err = tx.NewUpdate().Model(rowOfKey(old)).Set("? = ?", column, end).WherePK().Exec(ctx)
	return text, k, err
}

// Revoke ends the key with the id at once, on every server. It does nothing to a revoked or expired key. The error is
// ErrNotFound if no key has the id.
//
// It does not lock the tenant: a leaked key must end even while a load has the lock.
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

// RevokeNetwork ends all keys of one network of a tenant, in the transaction that deletes the network (G3).
func (s *Store) RevokeNetwork(ctx context.Context, tx bun.IDB, t auth.Tenant, network int64) error {
	if network == 0 {
		return nil // the keys of the other APIs have no network
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

// Delete deletes all keys of a tenant, in the transaction that begins to remove the tenant. They end at once, on every
// server.
func Delete(ctx context.Context, tx bun.IDB, t auth.Tenant) error {
	if _, err := tx.NewDelete().Model((*keyRow)(nil)).Where("tenant_id = ?", t).Exec(ctx); err != nil {
		return fmt.Errorf("delete keys of tenant %d: %w", t, err)
	}
	return nil
}

// List returns all keys, or those of the given tenants, dead ones too, by tenant and number, without hashes and
// secrets.
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
