package main

import (
	"fmt"
	"slices"
	"strings"
)

// changeKeys issues, rotates or revokes a key. It checks that this takes effect at once on every server, for this key only.
func (t *tenant) changeKeys(c chance, _ Step) {
	t.changeKey(c, pick(c, t.keys))
	for _, o := range t.tenants {
		for _, k := range o.keys {
			for range k.texts {
				a := t.get(pick(c, t.servers), k, o.prefix()+"/users", map[string]string{"pageSize": "6"}) // no pull has this size
				if t.page(a) == nil {
					return
				}
				o.own.asked(a)
			}
		}
	}
}

func (t *tenant) changeKey(c chance, k *apiKey) {
	same := 0
	for _, o := range t.keys {
		if o.network == k.network {
			same++
		}
	}
	switch n := c.IntN(4); {
	case n == 0 || n == 1 && same == 1:
		t.issue(k.network)
	case n == 1:
		t.revoke(c, k)
	default:
		t.rotate(c, k)
	}
}

// issue issues a key of a library network, or of a school network.
func (t *tenant) issue(network string) {
	var args []string
	if network != "" {
		args = []string{"--network", network}
	}
	var k struct{ APIKey string }
	t.command(&k, "key issue "+t.api, args...)
	t.keys = append(t.keys, &apiKey{network, []string{k.APIKey}})
}

// rotate replaces a key. Without a grace the old one ends at once.
func (t *tenant) rotate(c chance, k *apiKey) {
	grace := pick(c, []string{"0s", "7d"})
	was := k.texts[len(k.texts)-1]
	var now struct{ APIKey string }
	t.must(&now, "key", "rotate", keyID(was), "--grace", grace)
	k.texts = append(k.texts, now.APIKey)
	if grace == "0s" {
		k.texts = without(k.texts, was)
		t.ends(c, was)
	}
}

// revoke revokes a key with its earlier texts in their grace, and drops its pulls.
func (t *tenant) revoke(c chance, k *apiKey) {
	for _, text := range k.texts {
		t.must(nil, "key", "revoke", keyID(text))
		t.ends(c, text)
	}
	t.keys = without(t.keys, k)
	of := func(p *pull) bool { return p.key == k }
	t.pulls, t.copies, t.lost = slices.DeleteFunc(t.pulls, of), slices.DeleteFunc(t.copies, of), slices.DeleteFunc(t.lost, of)
}

// keyID returns the text of a key without the secret.
func keyID(key string) string { return strings.Join(strings.SplitN(key, "-", 3)[:2], "-") }

func (t *partnerSide) rotateDirectory(c chance, _ Step) {
	var k struct{ AccessKeyID, Secret string }
	t.must(&k, "key", "rotate", t.directoryKey.id, "--grace", pick(c, []string{"0s", "1h"}))
	t.directoryKey.id, t.directoryKey.secret = k.AccessKeyID, k.Secret
}

// ends notes that a key has ended, and checks that no server accepts it.
func (t *harness) ends(c chance, key string) {
	t.dead = append(t.dead, key)
	t.unknown(c, key)
}

// unknown checks that no server accepts a key.
func (t *harness) unknown(c chance, key string) {
	for _, s := range t.servers {
		path := pick(c, []string{schoolsPrefix + "/users", schoolsPrefix + "/readings", librariesPrefix + "/users"})
		a := t.getAs(s, key, path)
		if a.status != 401 || string(a.body) != `{"statusCode":401,"error":"Unauthorized","message":"missing or invalid API key"}` {
			fail("%s with a key that is none: %d %s, want 401", a.what, a.status, a.body)
		}
	}
}

// strangers sends requests with ended, foreign and invented keys, or without a signature, which must all be 401.
func (t *partnerSide) strangers(c chance, _ Step) {
	t.unknown(c, pick(c, append([]string{"", "1-1-x", "9-9-" + fmt.Sprint(c.Uint64())}, t.dead...)))
	s := pick(c, t.servers)
	a := t.ask(s, call{method: "GET", path: "/api/v2/partners/entities/n1"})
	was, others := t.directoryKey, t.partners[0].directoryKey
	if t == t.partners[0] {
		others = t.partners[1].directoryKey
	}
	t.directoryKey.secret = others.secret
	b := t.signed(s, "GET", "/entities?entity_type=network", nil)
	t.directoryKey = was
	for _, a := range []*answer{a, b} {
		if a.status != 401 || string(a.body) != `{"errors":{"detail":"Unauthorized"}}` {
			fail("%s unsigned, or with another's secret: %d %s, want 401", a.what, a.status, a.body)
		}
	}
	if a = t.getAs(s, t.keys[0].nth(0), librariesPrefix+"/users"); a.status != 401 {
		fail("%s with a key of the schools: %d %s, want 401", a.what, a.status, a.body)
	}
}

// crossed sends the X-Snapshot of another tenant with a key of this one, which must be 400 (H12, H14).
func (t *tenant) crossed(c chance, _ Step) {
	today := dayOf(t.clock.now())
	values := map[string]string{"startDate": addDays(today, -20), "endDate": today, "pageSize": "4"}
	s, path, o := pick(c, t.servers), t.prefix()+"/engagements", t.other()
	theirs := t.get(s, pick(c, o.keys), path, values)
	if !t.allowed(theirs) {
		return
	}
	o.own.asked(theirs)
	for param, message := range map[string]string{"snapshot": "an earlier answer", "changedSince": "an earlier answer to this query"} {
		a := t.get(s, pick(c, t.keys), path, with(values, param, theirs.snapshot()))
		if !t.allowed(a) {
			return
		}
		if want := `["` + param + " must be the X-Snapshot of " + message + `"]`; a.status != 400 || !strings.Contains(string(a.body), want) {
			fail("%s: %d %s, want 400 %s", a.what, a.status, a.body, want)
		}
	}
}
