package authdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
)

// Grant is a valid key.
type Grant struct {
	Key    auth.Key
	Secret string    // of a directory key, from Store.Secret: its bytes are the key of the HMAC
	Now    time.Time // of the check
}

// Joined is the row of another table that is read in one statement with a key: the row of the key's tenant, which the
// statement calls v. Its columns are read into Dest. The zero Joined reads nothing.
type Joined struct {
	Table, Columns string
	Dest           []any
}

// Check checks the text of a key that came with a request to api, by one statement on the tenant's rows. The error is
// an ErrKey unless the text is a live key of that API. Another error means that the database did not answer.
func (s *Store) Check(ctx context.Context, text string, api auth.API) (Grant, error) {
	return s.check(ctx, text, api, Joined{})
}

func (s *Store) check(ctx context.Context, text string, api auth.API, b Joined) (Grant, error) {
	if text == "" {
		return Grant{}, fmt.Errorf("%w: there is none", ErrKey)
	}
	t, number, ok := auth.ParseKey(text)
	if !ok {
		return Grant{}, errMalformed
	}
	g, _, err := s.read(ctx, t, number, b)
	return g.judged(err, text, api)
}

// judged compares the text with the key that was read. err is the error of the read.
func (g Grant) judged(err error, text string, api auth.API) (Grant, error) {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Grant{}, errUnknown
	case err != nil:
		t, number, _ := auth.ParseKey(text)
		return Grant{}, fmt.Errorf("check key %d-%d: %w", t, number, err)
	case !g.Key.Matches(text):
		return Grant{}, errUnknown
	}
	if err := g.refusal(api); err != nil {
		return Grant{}, err
	}
	return g, nil
}

var (
	errMalformed = fmt.Errorf("%w: it is malformed", ErrKey)
	errUnknown   = fmt.Errorf("%w: it is unknown", ErrKey)
)

// refusal returns why the key is not valid for an API, or nil.
func (g Grant) refusal(api auth.API) error {
	switch {
	case g.Key.API != api:
		return fmt.Errorf("%w: it is of another API", ErrKey)
	case g.Key.Live(g.Now):
		return nil
	case !g.Key.Revoked.IsZero():
		return fmt.Errorf("%w: it is revoked", ErrKey)
	}
	return fmt.Errorf("%w: it has expired", ErrKey)
}

// read reads a key, the joined row and the clock in one statement, and the sealed secret of a directory key.
func (s *Store) read(ctx context.Context, t auth.Tenant, number int, b Joined) (g Grant, sealed []byte, err error) {
	r := reading{row: keyRow{TenantID: t, Number: number}}
	if err := s.DB.QueryRowContext(ctx, s.readStatement(b), t, number).Scan(r.fields(b)...); err != nil {
		return Grant{}, nil, err
	}
	g, err = r.grant(ctx, s)
	return g, r.row.Secret, err
}

func (s *Store) readStatement(b Joined) string {
	clock := `NULL`
	if s.Now == nil && handle.Postgres(s.DB) {
		clock = `clock_timestamp()`
	}
	columns, join := ``, ``
	if b.Table != "" {
		columns, join = `, `+b.Columns, `JOIN `+b.Table+` v ON v.tenant_id = k.tenant_id`
	}
	return `SELECT k.api, k.network, k.budget, k.hash, k.secret, k.created, k.expires, k.revoked, k.last_used, ` + clock + columns + `
		   FROM keys k ` + join + `
		  WHERE k.tenant_id = ? AND k.number = ?`
}

// reading is the row of readStatement.
type reading struct {
	row                             keyRow
	expires, revoked, lastUsed, now sql.NullTime
}

// fields returns the destinations of the columns of readStatement.
func (r *reading) fields(b Joined) []any {
	k := &r.row
	list := []any{&k.API, &k.Network, &k.Budget, &k.Hash, &k.Secret, &k.Created, &r.expires, &r.revoked, &r.lastUsed, &r.now}
	return append(list, b.Dest...)
}

func (r *reading) grant(ctx context.Context, s *Store) (g Grant, err error) {
	r.row.Expires, r.row.Revoked, r.row.LastUsed = r.expires.Time, r.revoked.Time, r.lastUsed.Time
	if !r.now.Valid { // the clock is not the database's
		r.now.Time, err = handle.Clock(ctx, s.DB, s.Now)
	}
	return Grant{Key: r.row.key(), Now: r.now.Time.UTC()}, err
}

// decoy has the form of a sealed secret, and no box opens it.
var decoy = append([]byte{1}, make([]byte, 71)...)

// Secret returns the secret of the directory key with the id, to check a signature with. It is one statement on the
// tenant's rows, or none if the id is malformed. The error is an ErrKey unless it is a live directory key; then
// [auth.Signed.Refuse] does the rest of the work. Another error means that the database did not answer, or, with
// auth.ErrBox or auth.ErrSealed, that the box cannot open the secret.
func (s *Store) Secret(ctx context.Context, id string, box *auth.Box) (Grant, error) {
	g, sealed, err := s.readSealed(ctx, id)
	if errors.Is(err, ErrKey) {
		box.Open(id, decoy) // takes as long as for a live key
	}
	if err != nil {
		return Grant{}, err
	}
	if g.Secret, err = box.Open(id, sealed); err != nil {
		return Grant{}, fmt.Errorf("secret of key %s: %w", id, err)
	}
	return g, nil
}

// readSealed reads a live directory key and its sealed secret. The error is an ErrKey if there is none.
func (s *Store) readSealed(ctx context.Context, id string) (Grant, []byte, error) {
	t, number, ok := auth.ParseID(id)
	if !ok {
		return Grant{}, nil, errMalformed
	}
	g, sealed, err := s.read(ctx, t, number, Joined{})
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
