package main

import (
	"fmt"
	"slices"
	"strings"
)

// turnKeys issues, rotates or revokes a key, which counts at once on every server, and for this key alone.
func (t *tenant) turnKeys(c chance, _ Step) error {
	if err := t.turnKey(c, pick(c, t.keys)); err != nil {
		return err
	}
	for _, o := range t.tenants {
		for _, k := range o.keys {
			for range k.texts {
				a := t.get(pick(c, t.servers), k, o.prefix()+"/users", map[string]string{"pageSize": "6"}) // as no pull asks
				if p, err := t.page(a); p == nil {
					return err
				}
				if err := o.own.asked(a); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (t *tenant) turnKey(c chance, k *apiKey) error {
	same := 0
	for _, o := range t.keys {
		if o.network == k.network {
			same++
		}
	}
	switch n := c.IntN(4); {
	case n == 0 || n == 1 && same == 1:
		return t.issue(k.network)
	case n == 1:
		return t.revoke(c, k)
	}
	return t.rotate(c, k)
}

// issue issues a key of a library network, or of a school network.
func (t *tenant) issue(network string) error {
	text, err := t.newKey(network)
	if err != nil {
		return err
	}
	t.keys = append(t.keys, &apiKey{network, []string{text}})
	return nil
}

// newKey has the product issue a key.
func (t *tenant) newKey(network string) (text string, err error) {
	var args []string
	if network != "" {
		args = []string{"--network", network}
	}
	var k struct{ APIKey string }
	err = t.command(&k, "key issue "+t.api, args...)
	return k.APIKey, err
}

// rotate has another key succeed one. Without a grace the old one ends at once.
func (t *tenant) rotate(c chance, k *apiKey) error {
	grace := pick(c, []string{"0s", "7d"})
	was := k.texts[len(k.texts)-1]
	var now struct{ APIKey string }
	if err := t.must(&now, "key", "rotate", keyID(was), "--grace", grace); err != nil {
		return err
	}
	k.texts = append(k.texts, now.APIKey)
	if grace != "0s" {
		return nil
	}
	k.texts = without(k.texts, was)
	return t.ends(c, was)
}

// revoke ends a key, with those whose grace lasts, and its pulls.
func (t *tenant) revoke(c chance, k *apiKey) error {
	for _, text := range k.texts {
		if err := t.must(nil, "key", "revoke", keyID(text)); err != nil {
			return err
		}
		if err := t.ends(c, text); err != nil {
			return err
		}
	}
	t.keys = without(t.keys, k)
	of := func(p *pull) bool { return p.key == k }
	t.pulls, t.copies, t.lost = slices.DeleteFunc(t.pulls, of), slices.DeleteFunc(t.copies, of), slices.DeleteFunc(t.lost, of)
	return nil
}

// keyID is what names a key: its text without the secret.
func keyID(key string) string { return strings.Join(strings.SplitN(key, "-", 3)[:2], "-") }

func (t *partnerSide) rotateDirectory(c chance, _ Step) error {
	var k struct{ AccessKeyID, Secret string }
	if err := t.must(&k, "key", "rotate", t.directoryKey.id, "--grace", pick(c, []string{"0s", "1h"})); err != nil {
		return err
	}
	t.directoryKey.id, t.directoryKey.secret = k.AccessKeyID, k.Secret
	return nil
}

// ends holds that no server knows a key any more.
func (t *harness) ends(c chance, key string) error {
	t.dead = append(t.dead, key)
	return t.unknown(c, key)
}

// unknown holds that no server knows a key.
func (t *harness) unknown(c chance, key string) error {
	for _, s := range t.servers {
		path := pick(c, []string{schoolsPrefix + "/users", schoolsPrefix + "/readings", librariesPrefix + "/users"})
		a := t.getAs(s, key, path)
		if a.status != 401 || string(a.body) != `{"statusCode":401,"error":"Unauthorized","message":"missing or invalid API key"}` {
			return differs("%s with a key that is none: %d %s, want 401", a.what, a.status, a.body)
		}
	}
	return nil
}

// strangers ask with keys that ended, of another API or tenant, or made up, and unsigned: nobody tells them anything.
func (t *partnerSide) strangers(c chance, _ Step) error {
	if err := t.unknown(c, pick(c, append([]string{"", "1-1-x", "9-9-" + fmt.Sprint(c.Uint64())}, t.dead...))); err != nil {
		return err
	}
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
			return differs("%s unsigned, or with another's secret: %d %s, want 401", a.what, a.status, a.body)
		}
	}
	if a = t.getAs(s, t.keys[0].nth(0), librariesPrefix+"/users"); a.status != 401 {
		return differs("%s with a key of the schools: %d %s, want 401", a.what, a.status, a.body)
	}
	return nil
}

// crossed sends the X-Snapshot of another tenant with a key of this one, which must be 400 (H12, H14).
func (t *tenant) crossed(c chance, _ Step) error {
	today := dayOf(t.clock.now())
	values := map[string]string{"startDate": addDays(today, -20), "endDate": today, "pageSize": "4"}
	s, path, o := pick(c, t.servers), t.prefix()+"/engagements", t.other()
	theirs := t.get(s, pick(c, o.keys), path, values)
	if said, err := t.allowed(theirs); !said {
		return err
	}
	if err := o.own.asked(theirs); err != nil {
		return err
	}
	for param, message := range map[string]string{"snapshot": "an earlier answer", "changedSince": "an earlier answer to this query"} {
		a := t.get(s, pick(c, t.keys), path, with(values, param, theirs.snapshot()))
		if said, err := t.allowed(a); !said {
			return err
		}
		if want := `["` + param + " must be the X-Snapshot of " + message + `"]`; a.status != 400 || !strings.Contains(string(a.body), want) {
			return differs("%s: %d %s, want 400 %s", a.what, a.status, a.body, want)
		}
	}
	return nil
}
