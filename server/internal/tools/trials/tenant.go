package main

import (
	"slices"
	"strings"
	"time"
)

// A tenant is a partner or a library network, and what a trial knows of it. There are two of each, which share references and
// ids but no names, so that a row of one never agrees with the model of the other.
type tenant struct {
	*harness
	name   string
	api    string   // schools or libraries
	flags  []string // name the tenant to a command
	keys   []*apiKey
	feeds  []feed // that were loaded
	pulls  []*pull
	copies []*pull // that are kept by incremental pulls
	lost   []*pull // of snapshots that a failover lost
	serial int     // of names and events
	own    ownWays
}

// ownWays is what partners and library networks do in ways of their own.
type ownWays interface {
	whole(*server) // pulls every list whole
	beginPull(s *server, k *apiKey, q query, size int) *pull
	someQuery(chance) query
	load(chance, loading)
	mayLoad(loading, time.Time) (loaded func())
	good(loading, time.Time) bool
	loads(feed) // comes before a load
	loadSome(chance, Step)
	chunk(chance) feed // continues what there is
	asked(*answer)     // notes an answer that is compared with nothing
	people() []int     // numbers that lectern forget takes
	forgotten(number int)
	fork() (back func())
}

// An apiKey reads a tenant. It is rotated in place, for its pulls go on with its successor.
type apiKey struct {
	network string   // a school network's reference
	texts   []string // the newest last; the others are in their grace
}

// nth is one of the texts of a key.
func (k *apiKey) nth(n int) string { return k.texts[n%len(k.texts)] }

// side is a tenant with its model.
type side[M model[M]] struct {
	*tenant
	worlds *worlds[M]
}

// fork lets a tenant go on apart, until the function that it returns takes back what has happened.
func (t *side[M]) fork() (back func()) {
	was, worlds := *t.tenant, t.worlds
	t.worlds, t.pulls, t.copies = worlds.clone(), nil, nil
	return func() {
		was.lost, was.serial = slices.Concat(t.lost, t.pulls, t.copies), t.serial
		*t.tenant, t.worlds = was, worlds
	}
}

func (t *tenant) next() int { t.serial++; return t.serial }

// tag is part of every name of a tenant.
func (t *tenant) tag() string { return " " + t.name }

// prefix is that of the API which reads a tenant.
func (t *tenant) prefix() string { return "/api-platform/" + t.api + "/v1" }

// other is the other tenant of the same kind.
func (t *tenant) other() *tenant {
	i := slices.IndexFunc(t.tenants, func(o *tenant) bool { return o != t && o.api == t.api })
	return t.tenants[i]
}

// command runs a command on a tenant, which must do well, and reads what it prints.
func (t *tenant) command(v any, command string, args ...string) {
	t.must(v, slices.Concat(strings.Fields(command), t.flags, args)...)
}

// all are the pulls of a tenant whose rows are known, copies excepted.
func (t *tenant) all() []*pull { return slices.Concat(t.pulls, t.lost) }

// everything pulls every list of all tenants from a server.
func (t *harness) everything(s *server) {
	for _, of := range t.tenants {
		of.own.whole(s)
	}
}

// of makes an act of what is done to one tenant, which it chooses.
func of[T any](all func(*harness) []T, do func(T, chance, Step)) func(*harness, chance, Step) {
	return func(t *harness, c chance, a Step) { do(pick(c, all(t)), c, a) }
}

func ofPartner(do func(*partnerSide, chance, Step)) func(*harness, chance, Step) {
	return of(func(t *harness) []*partnerSide { return t.partners }, do)
}

func ofLibrary(do func(*librarySide, chance, Step)) func(*harness, chance, Step) {
	return of(func(t *harness) []*librarySide { return t.libraries }, do)
}

func ofTenant(do func(*tenant, chance, Step)) func(*harness, chance, Step) {
	return of(func(t *harness) []*tenant { return t.tenants }, do)
}

// something is an ordinary act, beside others.
func (t *harness) something(c chance) {
	do := pick(c, []func(*harness, chance, Step){ofPartner((*partnerSide).directory), ofTenant((*tenant).pull), ofTenant((*tenant).goOn)})
	do(t, c, Step{})
}
