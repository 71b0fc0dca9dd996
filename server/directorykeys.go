package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// directoryKeys checks signatures against the secrets in the database and notes the use of keys.
type directoryKeys struct {
	store   *authdb.Store
	uses    *authdb.Uses
	secrets *Secrets
}

// Check implements directoryapi.Keys.
func (k *directoryKeys) Check(ctx context.Context, s auth.Signed) (directoryapi.Grant, error) {
	id, _, _, parsed := auth.ParseAuthorization(s.Authorization)
	soon, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	g, err := k.secret(soon, id)
	switch {
	case !parsed:
		err = s.VerifyHeader("", time.Now()) // says what is wrong with it
		return directoryapi.Grant{}, directoryapi.Refuse(err)
	case errors.Is(err, authdb.ErrKey):
		s.Refuse(time.Now()) // the work that a known key makes
		return directoryapi.Grant{}, directoryapi.Refuse(err)
	case errors.Is(err, auth.ErrSealed): // nothing can be said of the signature; the operator is told
		web.TraceOf(ctx).Error(err)
		return directoryapi.Grant{}, directoryapi.Refuse(auth.ErrSealed)
	case err != nil:
		return directoryapi.Grant{}, err
	}
	if err := s.VerifyHeader(g.Secret, g.Now); err != nil {
		return directoryapi.Grant{}, directoryapi.Refuse(err)
	}
	k.uses.Used(g.Key, g.Now)
	return directoryapi.Grant{Partner: directory.PartnerID(g.Key.Tenant), Budget: g.Key.RateBudget()}, nil
}

// secret returns the secret of a live directory key, or authdb.ErrKey. Without a key to open secrets with, a live one is
// an error: another process has sealed it.
func (k *directoryKeys) secret(ctx context.Context, id string) (authdb.Grant, error) {
	box, missing := k.secrets.Box()
	if missing != nil && !errors.Is(missing, ErrNoSecretKey) {
		return authdb.Grant{}, missing
	}
	g, err := k.store.Secret(ctx, id, box)
	if errors.Is(err, auth.ErrBox) {
		err = fmt.Errorf("directory key %s: %w", id, missing)
	}
	return g, err
}

// Verify returns an error where a live directory key was issued whose secret cannot be opened: what New refuses to serve, for every
// request with it would be refused. now is the clock, nil that of authdb. Keys on a node that does not answer are not looked at, and
// the error is that of EachNode then, where all others can be opened.
func (s *Secrets) Verify(ctx context.Context, now func() time.Time) error {
	store := &authdb.Store{DB: s.db.DB, Now: now}
	tenants, err := snapshotdb.Numbers(ctx, s.db.DB)
	if err != nil {
		return err
	}
	var keys []authdb.SealedKey
	err = s.db.EachNode(ctx, tenants, func(of []auth.Tenant) error {
		list, err := store.SealedKeys(ctx, of...)
		keys = append(keys, list...)
		return err
	})
	if err != nil && database.LeftOut(err) == nil {
		return err
	}
	return cmp.Or(s.open(keys), err)
}

// open returns an error where one of some keys cannot be opened.
func (s *Secrets) open(keys []authdb.SealedKey) error {
	if len(keys) == 0 {
		return nil
	}
	box, err := s.Box()
	if err != nil {
		return fmt.Errorf("directory key %s: %w", keys[0].Key.ID(), err)
	}
	for _, k := range keys {
		if _, err := box.Open(k.Key.ID(), k.Sealed); err != nil {
			return fmt.Errorf("secret of key %s: %w; is %s, or the key file beside the database, the one it was issued with? "+
				"If that one is lost, revoke key %s and issue another", k.Key.ID(), err, SecretKeyVariable, k.Key.ID())
		}
	}
	return nil
}
