package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// TestLogOfRequests tests that a line names the key, the client, its agent, and the reason if a request is refused. The
// line never contains the secret, and the response never contains the reason.
func TestLogOfRequests(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		var out bytes.Buffer
		log := slog.New(zerolog.NewSlogHandler(zerolog.New(&out)))
		f := newFixture(t, db, server.Config{Log: log, SecretKey: secretKey, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
		id, secret := f.issueDirectory(t, f.partner, time.Time{})
		expired, _ := f.issueDirectory(t, f.partner, f.clock.now.Add(time.Minute))
		northID, southID := idOf(t, f.north), idOf(t, f.south)
		if err := f.keys.Revoke(t.Context(), southID); err != nil {
			t.Fatal(err)
		}
		f.clock.now = f.clock.now.Add(time.Minute)
		signed := func(id, secret string, late time.Duration) string {
			date := f.clock.now.Add(-late).UTC().Format(http.TimeFormat)
			s := auth.Signed{Method: "GET", Target: partners + "/entities/north", Date: date}
			return date + "|" + auth.Sign(s, id, secret, auth.SHA256)
		}
		const noKey, noSignature = "no valid key: ", "no valid signature: "
		tests := []struct {
			rule, path, key, wantKey, reason string
			status                           int
		}{
			{"schools", prefix + "/users", f.north, northID, "", 200},
			{"no key", prefix + "/users", "", "", noKey + "there is none", 401},
			{"malformed", prefix + "/users", "secret\n", "", noKey + "it is malformed", 401},
			{"unknown", prefix + "/users", "9" + f.north, "9" + northID, noKey + "it is unknown", 401},
			{"revoked", prefix + "/users", f.south, southID, noKey + "it is revoked", 401},
			{"of another API", librariesPrefix + "/users", f.north, northID, noKey + "it is of another API", 401},
			{"directory", partners + "/entities/north", signed(id, secret, 0), id, "", 200},
			{"not signed", partners + "/entities/north", "|", "", noSignature + "there is no Authorization header", 401},
			{"a wrong clock", partners + "/entities/north", signed(id, secret, 62*time.Minute), id,
				noSignature + "the date is 1h2m0s behind the server's clock, and 15m0s is allowed", 401},
			{"a wrong secret", partners + "/entities/north", signed(id, secret+"x", 0), id,
				noSignature + "the signature is not that of the canonical string under the key's secret", 401},
			{"expired", partners + "/entities/north", signed(expired, secret, 0), expired, noKey + "it has expired", 401},
			{"unknown id", partners + "/entities/north", signed("99-9", secret, 0), "99-9", noKey + "it is unknown", 401},
		}
		for _, tt := range tests {
			out.Reset()
			r := httptest.NewRequest("GET", tt.path, nil) // from 192.0.2.1
			if date, authorization, ok := strings.Cut(tt.key, "|"); ok {
				r.Header.Set("Date", date)
				r.Header.Set("Authorization", authorization)
			} else {
				r.Header.Set("X-Api-Key", tt.key)
			}
			r.Header.Set("X-Forwarded-For", "203.0.113.9, 198.51.100.7, 192.0.2.44")
			r.Header.Set("User-Agent", "etl/1.0")
			w := httptest.NewRecorder()
			f.handler.ServeHTTP(w, r)
			var line struct{ Key, Client, Agent, Reason, Level string }
			if err := json.Unmarshal(out.Bytes(), &line); err != nil {
				t.Fatalf("%s: log %q: %v", tt.rule, out.String(), err)
			}
			if w.Code != tt.status || line.Key != tt.wantKey || line.Reason != tt.reason || line.Level != "info" {
				t.Errorf("%s: %d, logged %+v, want %d, key %q and %q", tt.rule, w.Code, line, tt.status, tt.wantKey, tt.reason)
			}
			if line.Client != "198.51.100.7" || line.Agent != "etl/1.0" {
				t.Errorf("%s: logged %+v, want the client 198.51.100.7 and its agent", tt.rule, line)
			}
			if tt.reason != "" && strings.Contains(w.Body.String(), strings.SplitN(tt.reason, ": ", 2)[1]) {
				t.Errorf("%s: the answer shows the reason: %s", tt.rule, w.Body)
			}
			for _, text := range []string{f.north, f.south, secret} {
				if strings.Contains(out.String(), text[len(text)-43:]) {
					t.Errorf("%s: the log has a secret: %s", tt.rule, out.String())
				}
			}
		}
	})
}

// idOf returns the id in the text of a key.
func idOf(t *testing.T, text string) string {
	t.Helper()
	tenant, number, ok := auth.ParseKey(text)
	if !ok {
		t.Fatalf("%q is not a key", text)
	}
	return auth.Key{Tenant: tenant, Number: number}.ID()
}
