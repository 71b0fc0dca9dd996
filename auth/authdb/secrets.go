package authdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
)

// decoy has the form of a sealed secret that no box opens.
var decoy = append([]byte{1}, make([]byte, 71)...)

// Secret returns the secret of the directory key with the id, to check a signature
// with. It is one statement on the tenant's rows; none for an id without the form
// of one, which anybody can tell. The error is an ErrKey for whatever is not a live
// directory key: [auth.Signed.Refuse] then does what is left of the work.
// Another error says that the database did not answer, or, with auth.ErrBox or
// auth.ErrSealed, that the key is good and the box does not open it.
func (s *Store) Secret(ctx context.Context, id string, box *auth.Box) (Grant, error) {
	g, sealed, err := s.readSealed(ctx, id)
	if errors.Is(err, ErrKey) {
		box.Open(id, decoy) // the work that a live key makes
	}
	if err != nil {
		return Grant{}, err
	}
	if g.Secret, err = box.Open(id, sealed); err != nil {
		return Grant{}, fmt.Errorf("secret of key %s: %w", id, err)
	}
	return g, nil
}

// readSealed reads a live directory key and its sealed secret. The error is an
// ErrKey for whatever is not one.
func (s *Store) readSealed(ctx context.Context, id string) (Grant, []byte, error) {
	t, number, ok := auth.ParseID(id)
	if !ok {
		return Grant{}, nil, errMalformed
	}
	g, sealed, err := s.read(ctx, t, number, Beside{})
	if errors.Is(err, sql.ErrNoRows) {
		return Grant{}, nil, errUnknown
	}
	if err != nil {
		return Grant{}, nil, fmt.Errorf("secret of key %s: %w", id, err)
	}
	if err := g.refusal(auth.Directory); err != nil {
		return Grant{}, nil, err
	}
	if len(sealed) == 0 {
		return Grant{}, nil, errUnknown
	}
	return g, sealed, nil
}

// SealedKey is a live directory key with its sealed secret.
type SealedKey struct {
	Key    auth.Key
	Sealed []byte
}

// SealedKeys returns the live directory keys of some tenants, by tenant and number, in one statement.
func (s *Store) SealedKeys(ctx context.Context, of ...auth.Tenant) (list []SealedKey, err error) {
	var rows []keyRow
	err = s.DB.NewSelect().Model(&rows).Where("tenant_id IN (?) AND api = ? AND revoked IS NULL", bun.List(of), auth.Directory).
		Order("tenant_id", "number").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("sealed keys: %w", err)
	}
	now, err := handle.Clock(ctx, s.DB, s.Now)
	for _, r := range rows {
		if k := r.key(); k.Live(now) {
			list = append(list, SealedKey{k, r.Secret})
		}
	}
	return list, err
}
