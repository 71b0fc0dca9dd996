package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/directoryapi"
	"github.com/lectern-dev/lectern/server/internal/web"
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
func (k *directoryKeys) secret(ctx context.Context, id string) (authdb.SecretGrant, error) {
	box, missing := k.secrets.Box()
	if missing != nil && !errors.Is(missing, ErrNoSecretKey) {
		return authdb.SecretGrant{}, missing
	}
	g, err := k.store.Secret(ctx, id, box)
	if errors.Is(err, auth.ErrBox) {
		err = fmt.Errorf("directory key %s: %w", id, missing)
	}
	return g, err
}

// verifiable returns an error when there is a live directory key whose secret cannot be opened: every request with it
// would be refused.
func (k *directoryKeys) verifiable(ctx context.Context) error {
	keys, err := k.store.List(ctx)
	if err != nil {
		return err
	}
	now, err := k.store.Clock(ctx, k.store.DB)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if key.API != auth.Directory || !key.Live(now) {
			continue
		}
		_, err := k.secret(ctx, key.ID())
		switch {
		case err == nil, errors.Is(err, authdb.ErrKey): // or it has expired since
		case errors.Is(err, auth.ErrSealed):
			return fmt.Errorf("%w; is %s, or the key file beside the database, the one it was issued with? "+
				"If that one is lost, revoke key %s and issue another", err, SecretKeyVariable, key.ID())
		default:
			return err
		}
	}
	return nil
}

// Verifiable returns an error where a live directory key was issued whose secret cannot be opened: what New refuses to serve.
func Verifiable(ctx context.Context, db *database.DB, secrets *Secrets) error {
	return (&directoryKeys{store: &authdb.Store{DB: db.DB}, secrets: secrets}).verifiable(ctx)
}
