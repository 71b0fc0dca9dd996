package main

import (
	"fmt"
	"slices"
)

// keys issues, rotates and revokes keys, each of which counts at once on every server.
func (t *trial) keys(c chance, _ Act) error {
	i := c.IntN(len(t.schools.networks))
	k := t.schools.networks[i]
	switch c.IntN(4) {
	case 0:
		return t.issueSchools(k.network)
	case 1:
		return t.rotateDirectory(c)
	case 2:
		if t.count(k.network) < 2 {
			return t.issueSchools(k.network)
		}
		if err := t.must(nil, "key", "revoke", k.id); err != nil {
			return err
		}
		t.schools.networks = append(t.schools.networks[:i:i], t.schools.networks[i+1:]...)
		t.dead = append(t.dead, k.key)
		t.leave(k.key)
		return t.refused(c, k.key)
	}
	return t.rotateSchools(c, i)
}

func (t *trial) count(network string) (n int) {
	for _, k := range t.schools.networks {
		if k.network == network {
			n++
		}
	}
	return n
}

// leave ends the pulls of a key.
func (t *trial) leave(key string) {
	of := func(p *pull) bool { return p.key.key == key }
	t.schools.pulls, t.copies, t.lost = slices.DeleteFunc(t.schools.pulls, of), slices.DeleteFunc(t.copies, of), slices.DeleteFunc(t.lost, of)
}

// rotateSchools has another key succeed one, whose pulls it goes on with. Without a grace the old one ends at once.
func (t *trial) rotateSchools(c chance, i int) error {
	was := t.schools.networks[i]
	grace := pick(c, []string{"0s", "7d"})
	var k struct{ APIKey string }
	if err := t.must(&k, "key", "rotate", was.id, "--grace", grace); err != nil {
		return err
	}
	now := networkKey{was.network, keyID(k.APIKey), k.APIKey}
	t.schools.networks[i] = now
	for _, p := range slices.Concat(t.pulls(schoolsPrefix), t.copies) {
		if p.key.key == was.key {
			p.key = now
		}
	}
	if grace != "0s" {
		return nil
	}
	t.dead = append(t.dead, was.key)
	return t.refused(c, was.key)
}

func (t *trial) rotateDirectory(c chance) error {
	var k struct{ AccessKeyID, Secret string }
	if err := t.must(&k, "key", "rotate", t.directoryKey.id, "--grace", pick(c, []string{"0s", "1h"})); err != nil {
		return err
	}
	t.directoryKey.id, t.directoryKey.secret = k.AccessKeyID, k.Secret
	return nil
}

// refused holds that no server knows a key any more.
func (t *trial) refused(c chance, key string) error {
	for _, s := range t.servers {
		path := pick(c, []string{schoolsPrefix + "/users", schoolsPrefix + "/readings", librariesPrefix + "/users"})
		a := t.get(s, key, path, nil)
		if a.status != 401 || string(a.body) != `{"statusCode":401,"error":"Unauthorized","message":"missing or invalid API key"}` {
			return differs("%s with a key that ended: %d %s, want 401", a.what, a.status, a.body)
		}
	}
	return nil
}

// strangers ask with keys that ended, of another API, or made up, and unsigned: nobody tells them anything.
func (t *trial) strangers(c chance, _ Act) error {
	key := pick(c, append([]string{"", "1-1-x", "9-9-" + fmt.Sprint(c.Uint64())}, t.dead...))
	if err := t.refused(c, key); err != nil {
		return err
	}
	a := t.ask(pick(c, t.servers), call{method: "GET", path: "/api/v2/partners/entities/n1"})
	if a.status != 401 || string(a.body) != `{"errors":{"detail":"Unauthorized"}}` {
		return differs("%s unsigned: %d %s, want 401", a.what, a.status, a.body)
	}
	if a = t.get(pick(c, t.servers), t.schools.networks[0].key, librariesPrefix+"/users", nil); a.status != 401 {
		return differs("%s with a key of the schools: %d %s, want 401", a.what, a.status, a.body)
	}
	return nil
}
