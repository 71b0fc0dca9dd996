package authdb_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/uptrace/bun"
)

func issue(tb testing.TB, s *authdb.Store, p authdb.IssueParams) (string, auth.Key) {
	tb.Helper()
	text, k, err := s.Issue(tb.Context(), s.DB, p)
	if err != nil {
		tb.Fatal(err)
	}
	return text, k
}

// checkLive checks whether a key is valid at the store's current time.
func checkLive(t *testing.T, s *authdb.Store, when, text string, api auth.API, want bool) {
	t.Helper()
	_, err := s.Check(t.Context(), text, api)
	if want && err != nil {
		t.Errorf("%s: Check(%s) = %v, want a grant", when, api, err)
	}
	if !want && !errors.Is(err, authdb.ErrKey) {
		t.Errorf("%s: Check(%s) = %v, want ErrKey", when, api, err)
	}
}

func TestIssue(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		partner := auth.Tenant(1)
		other := auth.Tenant(2)
		expires := start.Add(time.Hour)
		text, k := issue(t, s, authdb.IssueParams{Tenant: partner, API: auth.Schools, Network: 12, Expires: expires.Add(time.Nanosecond)})
		want := auth.Key{
			Tenant: partner, Number: 1, API: auth.Schools, Network: 12, Budget: 1,
			Created: start, Expires: expires, Hash: auth.Hash(text),
		}
		if k != want {
			t.Errorf("Issue = %+v, want %+v", k, want)
		}
		g, err := s.Check(t.Context(), text, auth.Schools)
		if err != nil || g.Key != want || g.Now != start {
			t.Errorf("Check = %+v, %v, want the key %+v", g, err, want)
		}
		_, second := issueDirectory(t, s, authdb.IssueParams{Tenant: partner})
		_, third := issueDirectory(t, s, authdb.IssueParams{Tenant: other})
		if second.ID() != "1-2" || third.ID() != "2-1" {
			t.Errorf("next ids = %s and %s, want 1-2 and 2-1: each tenant has its own numbers", second.ID(), third.ID())
		}
	})
}

func TestIssueErrors(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		for _, test := range []struct {
			name   string
			params authdb.IssueParams
			want   error // nil = any
		}{
			{"ErrExpiry", authdb.IssueParams{Tenant: id, API: auth.Libraries, Expires: start}, authdb.ErrExpiry},
			{"NoAPI", authdb.IssueParams{Tenant: id}, nil},
			{"SchoolsWithoutNetwork", authdb.IssueParams{Tenant: id, API: auth.Schools}, nil},
			{"LibrariesWithNetwork", authdb.IssueParams{Tenant: id, API: auth.Libraries, Network: 1}, nil},
			{"Directory", authdb.IssueParams{Tenant: id, API: auth.Directory}, nil}, // it signs, which needs a Box
			{"NegativeNetwork", authdb.IssueParams{Tenant: id, API: auth.Schools, Network: -1}, nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				text, _, err := s.Issue(t.Context(), s.DB, test.params)
				if err == nil || text != "" || test.want != nil && !errors.Is(err, test.want) {
					t.Errorf("Issue(%+v) = %q, %v, want %v", test.params, text, err, test.want)
				}
			})
		}
		if keys, err := s.List(t.Context()); err != nil || len(keys) != 0 {
			t.Errorf("List after errors = %+v, %v, want none", keys, err)
		}
	})
}

func TestCheckRefuses(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		partner, library := auth.Tenant(1), auth.Tenant(2)
		schools, _ := issue(t, s, authdb.IssueParams{Tenant: partner, API: auth.Schools, Network: 5})
		libraries, _ := issue(t, s, authdb.IssueParams{Tenant: library, API: auth.Libraries})
		secretOf := func(text string) string { return text[len(text)-43:] }
		checkLive(t, s, "its own API", schools, auth.Schools, true)
		checkLive(t, s, "its own API", libraries, auth.Libraries, true)
		for name, text := range map[string]string{
			"Empty":         "",
			"Malformed":     "no key",
			"OtherAPI":      libraries,
			"OtherSecret":   "1-1-" + secretOf(libraries),
			"OtherTenant":   "2-1-" + secretOf(schools),
			"UnknownNumber": "1-2-" + secretOf(schools),
			"UnknownTenant": "3-1-" + secretOf(schools),
			"LeadingZero":   "0" + schools,
			"Injected":      "1-1' OR '1'='1-" + secretOf(schools),
			"Truncated":     schools[:len(schools)-1],
		} {
			checkLive(t, s, name, text, auth.Schools, false)
		}
		checkLive(t, s, "directory", schools, auth.Directory, false)
		checkLive(t, s, "no API", schools, "", false)
	})
}

// TestReasons tests that the error gives the reason, for the log, and never contains the text of the key.
func TestReasons(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		partner := auth.Tenant(1)
		text, _ := issue(t, s, authdb.IssueParams{Tenant: partner, API: auth.Schools, Network: 5})
		expiring, _ := issue(t, s, authdb.IssueParams{Tenant: partner, API: auth.Schools, Network: 5, Expires: start.Add(time.Minute)})
		revoked, k := issue(t, s, authdb.IssueParams{Tenant: partner, API: auth.Schools, Network: 5})
		_, signing := issueDirectory(t, s, authdb.IssueParams{Tenant: partner})
		for _, k := range []auth.Key{k, signing} {
			if err := s.Revoke(t.Context(), k.ID()); err != nil {
				t.Fatal(err)
			}
		}
		c.now = start.Add(time.Minute)
		for _, test := range []struct {
			text string
			api  auth.API
			want string
		}{
			{"", auth.Schools, "there is none"},
			{text[1:], auth.Schools, "it is malformed"},
			{"9" + text, auth.Schools, "it is unknown"},
			{strings.Replace(expiring, "-2-", "-1-", 1), auth.Schools, "it is unknown"},
			{text, auth.Libraries, "it is of another API"},
			{expiring, auth.Schools, "it has expired"},
			{revoked, auth.Schools, "it is revoked"},
		} {
			if _, err := s.Check(t.Context(), test.text, test.api); err == nil || err.Error() != "no valid key: "+test.want {
				t.Errorf("Check(%q) = %v, want %s", test.text, err, test.want)
			}
		}
		for id, want := range map[string]string{
			"x": "it is malformed", "1-9": "it is unknown", "1-1": "it is of another API", signing.ID(): "it is revoked",
		} {
			if _, err := s.Secret(t.Context(), id, box(t)); err == nil || err.Error() != "no valid key: "+want {
				t.Errorf("Secret(%q) = %v, want %s", id, err, want)
			}
		}
	})
}

func TestExpiry(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		expires := start.Add(time.Hour)
		text, _ := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries, Expires: expires})
		forever, _ := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		c.set(expires.Add(-time.Microsecond))
		checkLive(t, s, "just before", text, auth.Libraries, true)
		c.set(expires)
		checkLive(t, s, "at the expiry", text, auth.Libraries, false)
		c.set(start.AddDate(100, 0, 0))
		checkLive(t, s, "a key without expiry", forever, auth.Libraries, true)
	})
}

func TestRevoke(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		text, k := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		spared, _ := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		c.set(start.Add(time.Minute))
		for range 2 { // the second time does nothing
			if err := s.Revoke(t.Context(), k.ID()); err != nil {
				t.Fatal(err)
			}
			checkLive(t, s, "revoked", text, auth.Libraries, false)
			c.set(start.Add(time.Hour))
		}
		checkLive(t, s, "another key", spared, auth.Libraries, true)
		keys, err := s.List(t.Context())
		if err != nil || len(keys) != 2 || !keys[0].Revoked.Equal(start.Add(time.Minute)) || !keys[1].Revoked.IsZero() {
			t.Errorf("List = %+v, %v, want the first revoked after a minute", keys, err)
		}
		for _, id := range []string{"1-3", "2-1", "", "1", "1-01", "1-1-", text} {
			if err := s.Revoke(t.Context(), id); !errors.Is(err, authdb.ErrNotFound) {
				t.Errorf("Revoke(%q) = %v, want ErrNotFound", id, err)
			}
		}
	})
}

func TestRevokeNetwork(t *testing.T) {
	everywhere(t, func(t *testing.T, s *authdb.Store, c *clock) {
		acme, other := auth.Tenant(1), auth.Tenant(2)
		first, _ := issue(t, s, authdb.IssueParams{Tenant: acme, API: auth.Schools, Network: 5})
		second, _ := issue(t, s, authdb.IssueParams{Tenant: acme, API: auth.Schools, Network: 5})
		sibling, _ := issue(t, s, authdb.IssueParams{Tenant: acme, API: auth.Schools, Network: 6})
		libraries, _ := issue(t, s, authdb.IssueParams{Tenant: acme, API: auth.Libraries})
		secret, directory := issueDirectory(t, s, authdb.IssueParams{Tenant: acme})
		foreign, _ := issue(t, s, authdb.IssueParams{Tenant: other, API: auth.Schools, Network: 5})

		stop := errors.New("stop")
		for _, result := range []error{stop, nil} { // rolled back, then committed
			err := s.DB.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
				if err := s.RevokeNetwork(ctx, tx, acme, 5); err != nil {
					return err
				}
				return result
			})
			if !errors.Is(err, result) {
				t.Fatal(err)
			}
			checkLive(t, s, "a key of the network", first, auth.Schools, result == stop)
			checkLive(t, s, "the other key of the network", second, auth.Schools, result == stop)
		}
		checkLive(t, s, "a sibling's key", sibling, auth.Schools, true)
		checkLive(t, s, "a key of no network", libraries, auth.Libraries, true)
		checkSecret(t, s, "the partner's key", directory.ID(), secret)
		checkLive(t, s, "another partner's key", foreign, auth.Schools, true)
		if err := s.RevokeNetwork(t.Context(), s.DB, acme, 0); err != nil {
			t.Error(err)
		}
		checkLive(t, s, "network 0, which does not exist", libraries, auth.Libraries, true)
		checkSecret(t, s, "network 0, which does not exist", directory.ID(), secret)
	})
}

// TestRevokeNetworkKeepsEarlierTimes tests that a key revoked before its network keeps its own time.
func TestRevokeNetworkKeepsEarlierTimes(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		_, k := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Schools, Network: 5})
		issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Schools, Network: 5})
		if err := s.Revoke(t.Context(), k.ID()); err != nil {
			t.Fatal(err)
		}
		c.set(start.Add(time.Hour))
		if err := s.RevokeNetwork(t.Context(), s.DB, id, 5); err != nil {
			t.Fatal(err)
		}
		keys, err := s.List(t.Context())
		if err != nil || !keys[0].Revoked.Equal(start) || !keys[1].Revoked.Equal(start.Add(time.Hour)) {
			t.Errorf("List = %+v, %v, want revoked at %v and an hour later", keys, err, start)
		}
	})
}

func TestRotate(t *testing.T) {
	everywhere(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		issueDirectory(t, s, authdb.IssueParams{Tenant: id}) // this key takes number 1
		expires := start.AddDate(1, 0, 0)
		oldText, old := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Schools, Network: 5, Expires: expires})
		c.set(start.Add(time.Minute))
		text, k, err := s.Rotate(t.Context(), s.DB, old.ID(), 7*24*time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := auth.Key{
			Tenant: id, Number: 3, API: auth.Schools, Network: 5, Budget: 2,
			Created: start.Add(time.Minute), Expires: expires, Hash: auth.Hash(text),
		}
		if k != want || text == oldText {
			t.Errorf("Rotate = %+v, want %+v", k, want)
		}
		if k.RateBudget() != old.RateBudget() {
			t.Errorf("budget of the successor = %v, want %v (G3)", k.RateBudget(), old.RateBudget())
		}
		end := start.Add(time.Minute + 7*24*time.Hour)
		c.set(end.Add(-time.Microsecond))
		checkLive(t, s, "old, just before the end of the grace", oldText, auth.Schools, true)
		c.set(end)
		checkLive(t, s, "old, at the end of the grace", oldText, auth.Schools, false)
		checkLive(t, s, "successor", text, auth.Schools, true)

		_, third, err := s.Rotate(t.Context(), s.DB, k.ID(), 0, nil)
		if err != nil || third.Budget != 2 {
			t.Errorf("Rotate of the successor = %+v, %v, want budget 2", third, err)
		}
		checkLive(t, s, "rotated without a grace", text, auth.Schools, false)
		c.set(end.Add(-time.Hour))
		checkLive(t, s, "rotated without a grace, when the clock was put back", text, auth.Schools, false)
	})
}

func TestRotateKeepsTheEarlierEnd(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		expires := start.Add(time.Hour)
		text, old := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries, Expires: expires})
		if _, _, err := s.Rotate(t.Context(), s.DB, old.ID(), 24*time.Hour, nil); err != nil {
			t.Fatal(err)
		}
		c.set(expires)
		checkLive(t, s, "a grace beyond the expiry", text, auth.Libraries, false)
	})
}

func TestRotateExpires(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		params := authdb.IssueParams{Tenant: id, API: auth.Libraries, Expires: start.Add(time.Hour)}
		for _, expires := range []time.Time{{}, start.Add(time.Minute), start.AddDate(1, 0, 0)} {
			_, old := issue(t, s, params)
			_, k, err := s.Rotate(t.Context(), s.DB, old.ID(), time.Hour, &expires)
			if err != nil || !k.Expires.Equal(expires) {
				t.Errorf("Rotate(%v) returned a key that expires at %v, %v, want the given time", expires, k.Expires, err)
			}
		}
		_, old := issue(t, s, params)
		if _, _, err := s.Rotate(t.Context(), s.DB, old.ID(), time.Hour, &start); !errors.Is(err, authdb.ErrExpiry) {
			t.Errorf("Rotate(now) = %v, want ErrExpiry", err)
		}
	})
}

// TestRotatedTwice tests that a rotated key is not rotated again: the new key would silently end with its grace.
func TestRotatedTwice(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		_, old := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		_, second, err := s.Rotate(t.Context(), s.DB, old.ID(), time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, _, err := s.Rotate(t.Context(), s.DB, old.ID(), time.Hour, nil); !errors.Is(err, authdb.ErrRotated) || text != "" {
			t.Errorf("Rotate of a rotated key = %q, %v, want ErrRotated", text, err)
		}
		if _, third, err := s.Rotate(t.Context(), s.DB, second.ID(), time.Hour, nil); err != nil || !third.Expires.IsZero() {
			t.Errorf("Rotate of the successor = %+v, %v, want a key that never expires", third, err)
		}
	})
}

func TestRotateErrors(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		_, revoked := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		_, expired := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries, Expires: start.Add(time.Hour)})
		_, live := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		if err := s.Revoke(t.Context(), revoked.ID()); err != nil {
			t.Fatal(err)
		}
		c.set(start.Add(time.Hour))
		for id, want := range map[string]error{
			revoked.ID(): authdb.ErrDead, expired.ID(): authdb.ErrDead,
			"1-9": authdb.ErrNotFound, "9-1": authdb.ErrNotFound, "x": authdb.ErrNotFound,
		} {
			if text, _, err := s.Rotate(t.Context(), s.DB, id, time.Hour, nil); !errors.Is(err, want) || text != "" {
				t.Errorf("Rotate(%q) = %q, %v, want %v", id, text, err, want)
			}
		}
		if _, _, err := s.Rotate(t.Context(), s.DB, live.ID(), -time.Second, nil); err == nil {
			t.Error("Rotate with a negative grace = nil, want an error")
		}
		if keys, err := s.List(t.Context()); err != nil || len(keys) != 3 {
			t.Errorf("List = %d keys, %v, want the 3 issued ones", len(keys), err)
		}
	})
}

func TestList(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		for _, id := range []auth.Tenant{2, 1, 2, 1} {
			issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		}
		for range 8 {
			issue(t, s, authdb.IssueParams{Tenant: 1, API: auth.Libraries}) // numbers sort as numbers
		}
		keys, err := s.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, k := range keys {
			ids = append(ids, k.ID())
			if k.Hash != ([32]byte{}) {
				t.Errorf("List shows the hash of %s", k.ID())
			}
		}
		if want := strings.Fields("1-1 1-2 1-3 1-4 1-5 1-6 1-7 1-8 1-9 1-10 2-1 2-2"); !slices.Equal(ids, want) {
			t.Errorf("List = %q, want %q", ids, want)
		}
	})
}

// TestClockOfTheDatabase tests a store without a clock of its own, which on PostgreSQL uses the database's: a live key
// is valid, and a revoked one is not.
func TestClockOfTheDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		migrate(t, db)
		s := &authdb.Store{DB: db.DB}
		id := auth.Tenant(1)
		text, k := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries, Expires: time.Now().Add(time.Hour)})
		g, err := s.Check(t.Context(), text, auth.Libraries)
		if err != nil || g.Now.Before(k.Created) || g.Now.Location() != time.UTC {
			t.Errorf("Check = %+v, %v, want a time from %v on, in UTC", g, err, k.Created)
		}
		if err := s.Revoke(t.Context(), k.ID()); err != nil {
			t.Fatal(err)
		}
		checkLive(t, s, "revoked", text, auth.Libraries, false)
	})
}

func TestCheckWithoutDatabase(t *testing.T) {
	each(t, func(t *testing.T, s *authdb.Store, c *clock) {
		id := auth.Tenant(1)
		text, _ := issue(t, s, authdb.IssueParams{Tenant: id, API: auth.Libraries})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Check(ctx, text, auth.Libraries)
		if err == nil || errors.Is(err, authdb.ErrKey) || strings.Contains(err.Error(), text) {
			t.Errorf("Check = %v, want an error other than ErrKey, without the key in it", err)
		}
	})
}
