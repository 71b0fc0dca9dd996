package server

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// Issuer issues keys of all three APIs. It adds to the key store what other stores know: the secrets that directory keys are
// sealed with, and the network that a schools key is for.
type Issuer struct {
	Keys    *authdb.Store
	Secrets *Secrets
}

// KeyParams say what key to issue.
type KeyParams struct {
	Tenant  auth.Tenant
	API     auth.API
	Network directory.Ref // of a schools key, and else empty
	Expires time.Time     // zero = never
}

// Issue makes a new key and returns its text, which cannot be shown again; the text of a directory key is only its secret. The
// errors are those of authdb.Store.Issue and snapshotdb.Lock, ErrNetwork and ErrNoSecretKey.
//
// A key is issued in one transaction that locks the tenant's row. The deletion of a network locks the row too, and revokes the
// network's keys. Whichever comes first, no key outlives its network (G3).
func (i *Issuer) Issue(ctx context.Context, p KeyParams) (text string, k auth.Key, err error) {
	keys, params := i.Keys, authdb.IssueParams{Tenant: p.Tenant, API: p.API, Expires: p.Expires}
	if p.API == auth.Directory {
		if keys, err = i.sealing(); err != nil {
			return "", auth.Key{}, err
		}
	}
	err = keys.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := snapshotdb.Lock(ctx, tx, p.Tenant); err != nil {
			return err
		}
		if p.API == auth.Schools {
			id, err := Network(ctx, tx, directory.PartnerID(p.Tenant), p.Network)
			if err != nil {
				return err
			}
			params.Network = int64(id)
		}
		text, k, err = keys.Issue(ctx, tx, params)
		return err
	})
	return text, k, err
}

// Rotate calls authdb.Store.Rotate for a key of any API, in one transaction that locks the tenant's row.
func (i *Issuer) Rotate(ctx context.Context, id string, grace time.Duration, expires *time.Time) (text string, k auth.Key, err error) {
	text, k, err = rotate(ctx, i.Keys, id, grace, expires)
	if !errors.Is(err, auth.ErrBox) {
		return text, k, err
	}
	keys, err := i.sealing() // it is a directory key, whose secret is sealed
	if err != nil {
		return "", auth.Key{}, err
	}
	return rotate(ctx, keys, id, grace, expires)
}

func rotate(ctx context.Context, keys *authdb.Store, id string, grace time.Duration, expires *time.Time) (text string, k auth.Key, err error) {
	err = keys.DB.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		t, _, _ := auth.ParseID(id) // empty if the text is not an id
		if _, err := snapshotdb.Lock(ctx, tx, t); err != nil && !errors.Is(err, snapshotdb.ErrNotFound) {
			return err
		}
		text, k, err = keys.Rotate(ctx, tx, id, grace, expires)
		return err
	})
	return text, k, err
}

// sealing returns a key store that can seal the secrets of directory keys.
func (i *Issuer) sealing() (*authdb.Store, error) {
	box, err := i.Secrets.MakeBox()
	keys := *i.Keys
	keys.Box = box
	return &keys, err
}
