package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// listed returns the keys as key list shows them, by id.
func listed(t *testing.T) map[string]listedKey {
	t.Helper()
	keys := make(map[string]listedKey)
	for line := range strings.Lines(ok(t, "key", "list", "--json")) {
		var k listedKey
		if err := json.Unmarshal([]byte(line), &k); err != nil {
			t.Fatalf("key list line %q: %v", line, err)
		}
		keys[k.ID] = k
	}
	return keys
}

func TestKeyLife(t *testing.T) {
	loaded(t)
	if out := ok(t, "key", "list", "--json"); out != "" {
		t.Errorf("list of no keys = %q, want nothing", out)
	}
	first, id := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	_, dated := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1", "--expires", "2099-12-31"))
	keys := listed(t)
	k := keys[id]
	if k.API != "schools" || k.Tenant != "ana" || k.Network == nil || *k.Network != "rede-1" || k.State != "live" ||
		k.Created.IsZero() || k.Expires != nil || k.LastUsed != nil {
		t.Errorf("issued key = %+v, want a live schools key of ana's rede-1", k)
	}
	// The last day is a day of Brasilia, to its end.
	if e := keys[dated].Expires; e == nil || !e.Equal(time.Date(2100, 1, 1, 3, 0, 0, 0, time.UTC)) {
		t.Errorf("--expires 2099-12-31 = %v, want 2100-01-01T03:00:00Z", e)
	}

	second, successor := apiKey(t, ok(t, "key", "rotate", id, "--grace", "12h"))
	keys = listed(t)
	if e := keys[id].Expires; e == nil || keys[id].State != "live" || e.Sub(keys[successor].Created).Round(time.Minute) != 12*time.Hour {
		t.Errorf("rotated key = %+v, want 12 hours of grace", keys[id])
	}
	if second == first || keys[successor].State != "live" || keys[successor].Expires != nil {
		t.Errorf("successor = %+v, want a live key", keys[successor])
	}
	_, third := apiKey(t, ok(t, "key", "rotate", successor, "--grace", "0", "--expires", "2099-12-31"))
	keys = listed(t)
	if keys[successor].State != "expired" || keys[third].Expires == nil {
		t.Errorf("after a grace of 0: %+v and %+v, want an expired key and one with an expiry", keys[successor], keys[third])
	}
	if line := fails(t, exitError, "key", "rotate", successor); !strings.Contains(line, "issue a new one") {
		t.Errorf("rotating a dead key says %q", line)
	}

	for range 2 { // revoking again is no error
		if out := ok(t, "key", "revoke", third); out != "revoked "+third+"\n" {
			t.Errorf("revoke = %q", out)
		}
	}
	if got := listed(t)[third].State; got != "revoked" {
		t.Errorf("state after revoke = %q, want revoked", got)
	}
}

func TestKeyListTable(t *testing.T) {
	loaded(t)
	text, id := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	out := ok(t, "key", "list")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 {
		t.Fatalf("table = %q, want a head and a line", out)
	}
	if got, want := strings.Join(strings.Fields(lines[0]), " "), "ID API TENANT NETWORK CREATED EXPIRES LAST USE STATE"; got != want {
		t.Errorf("head = %q, want %q", got, want)
	}
	cells := strings.Fields(lines[1])
	created := cells[4]
	if want := []string{id, "schools", "ana", "rede-1", created, "-", "-", "live"}; !slices.Equal(cells, want) {
		t.Errorf("line = %q, want %q", cells, want)
	}
	if strings.Contains(out, text[len(id)+1:]) {
		t.Error("the list shows a secret")
	}
}
