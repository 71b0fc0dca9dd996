package authdb_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// box is the box of the tests. otherBox has another key.
func box(tb testing.TB) *auth.Box      { return boxOf(tb, 1) }
func otherBox(tb testing.TB) *auth.Box { return boxOf(tb, 2) }

func boxOf(tb testing.TB, fill byte) *auth.Box {
	tb.Helper()
	b, err := auth.NewBox(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// seal issues a directory key with a box.
func seal(ctx context.Context, s *authdb.Store, p authdb.IssueParams, box *auth.Box) (string, auth.Key, error) {
	sealing := *s
	sealing.Box, p.API = box, auth.Directory
	return sealing.Issue(ctx, s.DB, p)
}

func issueDirectory(tb testing.TB, s *authdb.Store, p authdb.IssueParams) (string, auth.Key) {
	tb.Helper()
	secret, k, err := seal(tb.Context(), s, p, box(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return secret, k
}

// checkSecret checks the key's secret at the store's current time. An empty want means that the key is not valid.
func checkSecret(t *testing.T, s *authdb.Store, when, id, want string) {
	t.Helper()
	g, err := s.Secret(t.Context(), id, box(t))
	if want != "" && (err != nil || g.Secret != want) {
		t.Errorf("%s: Secret(%q) = %q, %v, want %q", when, id, g.Secret, err, want)
	}
	if want == "" && (!errors.Is(err, authdb.ErrKey) || g != authdb.Grant{}) {
		t.Errorf("%s: Secret(%q) = %+v, %v, want ErrKey", when, id, g, err)
	}
}

func TestIssueDirectory(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme := auth.Tenant(1)
		expires := start.Add(time.Hour)
		secret, k := issueDirectory(t, s, authdb.IssueParams{Tenant: acme, Expires: expires})
		want := auth.Key{Tenant: acme, Number: 1, API: auth.Directory, Budget: 1, Created: start, Expires: expires}
		if k != want {
			t.Errorf("Issue = %+v, want %+v", k, want)
		}
		if b, err := base64.RawURLEncoding.Strict().DecodeString(secret); len(secret) != 43 || len(b) != 32 || err != nil {
			t.Errorf("the secret is %q, want 43 characters of base64url", secret)
		}
		g, err := s.Secret(t.Context(), "1-1", box(t))
		if wantGrant := (authdb.Grant{Key: want, Secret: secret, Now: start}); err != nil || g != wantGrant {
			t.Errorf("Secret = %+v, %v, want %+v", g, err, wantGrant)
		}
		named, second := issueDirectory(t, s, authdb.IssueParams{Tenant: acme, API: auth.Directory})
		if named == secret || second.ID() != "1-2" || second.RateBudget() == k.RateBudget() {
			t.Errorf("second key = %+v, want 1-2 with its own secret and budget", second)
		}
	})
}

func TestIssueDirectoryErrors(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		for _, test := range []struct {
			name   string
			params authdb.IssueParams
			box    *auth.Box
			want   error // nil = any
		}{
			{"ErrExpiry", authdb.IssueParams{Tenant: id, Expires: start}, box(t), authdb.ErrExpiry},
			{"ErrBox", authdb.IssueParams{Tenant: id}, nil, auth.ErrBox},
			{"ZeroBox", authdb.IssueParams{Tenant: id}, &auth.Box{}, auth.ErrBox},
			{"Network", authdb.IssueParams{Tenant: id, Network: 1}, box(t), nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				secret, k, err := seal(t.Context(), s, test.params, test.box)
				if err == nil || secret != "" || k != (auth.Key{}) || test.want != nil && !errors.Is(err, test.want) {
					t.Errorf("Issue(%+v) = %q, %+v, %v, want %v", test.params, secret, k, err, test.want)
				}
			})
		}
		if keys, err := s.List(t.Context()); err != nil || len(keys) != 0 {
			t.Errorf("List after errors = %+v, %v, want none", keys, err)
		}
	})
}

// TestSecretIsSealed tests that the database stores neither a directory key's plain secret nor a hash of it.
func TestSecretIsSealed(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme := auth.Tenant(1)
		secret, k := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		var hash, sealed []byte
		read := func() {
			t.Helper()
			row := s.DB.QueryRowContext(t.Context(), `SELECT hash, secret FROM keys WHERE tenant_id = ? AND number = ?`, k.Tenant, k.Number)
			if err := row.Scan(&hash, &sealed); err != nil {
				t.Fatal(err)
			}
		}
		read()
		raw, err := base64.RawURLEncoding.DecodeString(secret)
		if err != nil || len(hash) != 0 || bytes.Contains(sealed, []byte(secret)) || bytes.Contains(sealed, raw) {
			t.Errorf("row of a key with the secret %q = %x and %x, want neither the plain secret nor a hash", secret, hash, sealed)
		}
		if got, err := box(t).Open(k.ID(), sealed); got != secret || err != nil {
			t.Errorf("Open = %q, %v, want %q", got, err, secret)
		}
		checkLive(t, s, "a directory key as an API key", k.ID()+"-"+secret, auth.Directory, false)

		_, k = issue(t, s, authdb.IssueParams{Tenant: acme, API: auth.Schools, Network: 5})
		read()
		if len(hash) != 32 || sealed != nil {
			t.Errorf("row of a schools key = %x and %x, want only a hash", hash, sealed)
		}
	})
}

func TestSecretRefuses(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme, library := auth.Tenant(1), auth.Tenant(2)
		secret, k := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		_, schools := issue(t, s, authdb.IssueParams{Tenant: acme, API: auth.Schools, Network: 5})
		_, libraries := issue(t, s, authdb.IssueParams{Tenant: library, API: auth.Libraries})
		checkSecret(t, s, "its id", k.ID(), secret)
		for name, id := range map[string]string{
			"Empty":         "",
			"Malformed":     "partner-key-01",
			"OnlyNumber":    "1",
			"LeadingZero":   "01-1",
			"SpaceBefore":   " 1-1",
			"Injected":      "1-1 OR 1=1",
			"WholeText":     "1-1-" + secret,
			"SchoolsKey":    schools.ID(),
			"LibrariesKey":  libraries.ID(),
			"UnknownNumber": "1-3",
			"OtherTenant":   "2-2",
			"UnknownTenant": "3-1",
			"TooBig":        "9223372036854775808-1",
		} {
			checkSecret(t, s, name, id, "")
		}
	})
}

func TestSecretExpires(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme := auth.Tenant(1)
		expires := start.Add(time.Hour)
		secret, k := issueDirectory(t, s, authdb.IssueParams{Tenant: acme, Expires: expires})
		forever, f := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		c.set(expires.Add(-time.Microsecond))
		checkSecret(t, s, "just before", k.ID(), secret)
		c.set(expires)
		checkSecret(t, s, "at the expiry", k.ID(), "")
		c.set(start.AddDate(100, 0, 0))
		checkSecret(t, s, "a key without expiry", f.ID(), forever)
		if err := s.Revoke(t.Context(), f.ID()); err != nil {
			t.Fatal(err)
		}
		checkSecret(t, s, "revoked", f.ID(), "")
	})
}

// TestSecretIsBound tests that a secret is sealed for its key and tenant: copied to another row, it does not open.
func TestSecretIsBound(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme, other := auth.Tenant(1), auth.Tenant(2)
		secret, k := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		_, foreign := issueDirectory(t, s, authdb.IssueParams{Tenant: other})
		_, sibling := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		set := func(sealed []byte, k auth.Key) {
			t.Helper()
			_, err := s.DB.ExecContext(t.Context(), `UPDATE keys SET secret = ? WHERE tenant_id = ? AND number = ?`, sealed, k.Tenant, k.Number)
			if err != nil {
				t.Fatal(err)
			}
		}
		sealedOf := func(k auth.Key) (sealed []byte) {
			t.Helper()
			err := s.DB.QueryRowContext(t.Context(), `SELECT secret FROM keys WHERE tenant_id = ? AND number = ?`, k.Tenant, k.Number).Scan(&sealed)
			if err != nil {
				t.Fatal(err)
			}
			return sealed
		}
		good := sealedOf(k)
		altered := bytes.Clone(good)
		altered[len(altered)-1] ^= 1
		for name, sealed := range map[string][]byte{
			"of another tenant": sealedOf(foreign), "of another key": sealedOf(sibling), "altered": altered, "truncated": good[:20],
		} {
			set(sealed, k)
			g, err := s.Secret(t.Context(), k.ID(), box(t))
			if !errors.Is(err, auth.ErrSealed) || errors.Is(err, authdb.ErrKey) || g.Secret != "" {
				t.Errorf("Secret with a sealed secret %s = %q, %v, want ErrSealed", name, g.Secret, err)
			}
		}
		set(good, k)
		checkSecret(t, s, "as it was", k.ID(), secret)
		for _, none := range [][]byte{nil, {}} {
			set(none, k)
			checkSecret(t, s, "no secret", k.ID(), "")
		}
	})
}

// TestSecretWithoutItsBox tests the errors of a missing or wrong box, which is the operator's fault. Only a valid key
// returns them.
func TestSecretWithoutItsBox(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme := auth.Tenant(1)
		_, k := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		_, dead := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		if err := s.Revoke(t.Context(), dead.ID()); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			box  *auth.Box
			id   string
			want error
		}{
			{otherBox(t), k.ID(), auth.ErrSealed},
			{nil, k.ID(), auth.ErrBox},
			{otherBox(t), dead.ID(), authdb.ErrKey},
			{nil, dead.ID(), authdb.ErrKey},
			{nil, "1-9", authdb.ErrKey},
			{nil, "x", authdb.ErrKey},
		} {
			if g, err := s.Secret(t.Context(), test.id, test.box); !errors.Is(err, test.want) || g.Secret != "" {
				t.Errorf("Secret(%q) with the box %v = %q, %v, want %v", test.id, test.box, g.Secret, err, test.want)
			}
		}
	})
}

// TestRotateDirectory tests that a rotated directory key has two live secrets until its grace ends.
func TestRotateDirectory(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		s.Box = box(t)
		acme := auth.Tenant(1)
		expires := start.AddDate(1, 0, 0)
		oldSecret, old := issueDirectory(t, s, authdb.IssueParams{Tenant: acme, Expires: expires})
		c.set(start.Add(time.Minute))
		secret, k, err := s.Rotate(t.Context(), s.DB, old.ID(), time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := auth.Key{
			Tenant: acme, Number: 2, API: auth.Directory, Budget: 1, Created: start.Add(time.Minute), Expires: expires,
		}
		if k != want || len(secret) != 43 || secret == oldSecret || k.RateBudget() != old.RateBudget() {
			t.Errorf("Rotate = %q, %+v, want another secret than %q and %+v", secret, k, oldSecret, want)
		}
		checkSecret(t, s, "successor", k.ID(), secret)
		end := start.Add(time.Hour + time.Minute)
		c.set(end.Add(-time.Microsecond))
		checkSecret(t, s, "old, just before the end of the grace", old.ID(), oldSecret)
		c.set(end)
		checkSecret(t, s, "old, at the end of the grace", old.ID(), "")
		checkSecret(t, s, "successor, later", k.ID(), secret)

		third, k3, err := s.Rotate(t.Context(), s.DB, k.ID(), 0, &time.Time{})
		if err != nil || !k3.Expires.IsZero() || k3.Budget != 1 {
			t.Errorf("Rotate = %+v, %v, want no expiry and budget 1", k3, err)
		}
		checkSecret(t, s, "rotated without a grace", k.ID(), "")
		checkSecret(t, s, "third", k3.ID(), third)
	})
}

func TestRotateDirectoryErrors(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme := auth.Tenant(1)
		secret, k := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		if text, _, err := s.Rotate(t.Context(), s.DB, k.ID(), 0, nil); !errors.Is(err, auth.ErrBox) || text != "" {
			t.Errorf("Rotate without a box = %q, %v, want ErrBox", text, err)
		}
		checkSecret(t, s, "not rotated", k.ID(), secret)
		text, _ := issue(t, s, authdb.IssueParams{Tenant: acme, API: auth.Schools, Network: 5})
		if _, _, err := s.Rotate(t.Context(), s.DB, "1-2", time.Hour, nil); err != nil {
			t.Errorf("Rotate of a schools key without a box = %v, want nil", err)
		}
		checkLive(t, s, "schools key in its grace", text, auth.Schools, true)

		s.Box = box(t)
		if err := s.Revoke(t.Context(), k.ID()); err != nil {
			t.Fatal(err)
		}
		if text, _, err := s.Rotate(t.Context(), s.DB, k.ID(), 0, nil); !errors.Is(err, authdb.ErrDead) || text != "" {
			t.Errorf("Rotate of a revoked key = %q, %v, want ErrDead", text, err)
		}
	})
}

// TestListDirectory tests that List shows that a key belongs to the directory API, without its sealed secret.
func TestListDirectory(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		_, k := issueDirectory(t, s, authdb.IssueParams{Tenant: auth.Tenant(1)})
		uses := &authdb.Uses{DB: s.DB}
		uses.Used(k, start.Add(90*time.Second))
		if err := uses.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		k.LastUsed = start.Add(time.Minute)
		keys, err := s.List(t.Context())
		if err != nil || len(keys) != 1 || keys[0] != k {
			t.Errorf("List = %+v, %v, want %+v", keys, err, k)
		}
	})
}

// TestSecretOnReplicas tests that every replica knows the secret of an issued key, until the key is revoked.
func TestSecretOnReplicas(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		migrate(t, db)
		other, err := database.Open(t.Context(), db.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		one, two := &authdb.Store{DB: db.DB}, &authdb.Store{DB: other.DB}
		secret, k := issueDirectory(t, one, authdb.IssueParams{Tenant: 1})
		checkSecret(t, two, "on the other replica", k.ID(), secret)
		if err := one.Revoke(t.Context(), k.ID()); err != nil {
			t.Fatal(err)
		}
		checkSecret(t, two, "revoked on the other replica", k.ID(), "")
	})
}

// TestSecretWithoutDatabase tests that a database that does not answer is not a refusal of the key.
func TestSecretWithoutDatabase(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		_, k := issueDirectory(t, s, authdb.IssueParams{Tenant: auth.Tenant(1)})
		if err := s.DB.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := s.Secret(t.Context(), k.ID(), box(t))
		if err == nil || errors.Is(err, authdb.ErrKey) || errors.Is(err, sql.ErrNoRows) || !strings.Contains(err.Error(), "key 1-1") {
			t.Errorf("Secret = %v, want the error of the database, with the key's id", err)
		}
	})
}
