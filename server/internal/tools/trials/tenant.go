package main

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A tenant is a partner or a library network. There are two of each, which share references and ids but no names: a row of one never
// agrees with the model of the other.
type tenant struct {
	*harness
	name   string
	api    string   // schools or libraries
	flags  []string // name the tenant to a command
	keys   []*apiKey
	feeds  []feed // that were loaded
	pulls  []*pull
	copies []*pull // that incremental pulls update
	lost   []*pull // of snapshots that a failover lost
	serial int     // the last number used in names and ids
	own    kindOfTenant
}

// kindOfTenant has the methods in which partners and library networks differ.
type kindOfTenant interface {
	whole(*server) // pulls all of every list
	beginPull(s *server, k *apiKey, q query, size int) *pull
	someQuery(chance) query
	load(chance, loading)
	mayLoad(loading, time.Time) (loaded func())
	good(loading, time.Time) bool
	loads(feed) // is called before a load
	loadSome(chance, Step)
	chunk(chance) feed // returns a feed that continues the data
	asked(*answer)     // notes an answer that is compared with nothing
	people() []int     // numbers that lectern forget accepts
	forgotten(number int)
	fork() (back func())
}

// An apiKey reads a tenant. A rotation changes it in place, since its pulls go on with the new key.
type apiKey struct {
	network string   // a school network's reference
	texts   []string // the newest is last; the others are in their grace
}

func (k *apiKey) nth(n int) string { return k.texts[n%len(k.texts)] }

// side is a tenant with its model.
type side[M model[M]] struct {
	*tenant
	worlds *worlds[M]
}

// fork copies the model. The function that it returns undoes all changes since then, and moves the pulls since then to lost.
func (t *side[M]) fork() (back func()) {
	was, worlds := *t.tenant, t.worlds
	t.worlds, t.pulls, t.copies = worlds.clone(), nil, nil
	return func() {
		was.lost, was.serial = slices.Concat(t.lost, t.pulls, t.copies), t.serial
		*t.tenant, t.worlds = was, worlds
	}
}

func (t *tenant) next() int { t.serial++; return t.serial }

func (t *tenant) tag() string { return " " + t.name }

// prefix returns the prefix of the tenant's reading API.
func (t *tenant) prefix() string { return "/api-platform/" + t.api + "/v1" }

// other returns the other tenant of the same kind.
func (t *tenant) other() *tenant {
	i := slices.IndexFunc(t.tenants, func(o *tenant) bool { return o != t && o.api == t.api })
	return t.tenants[i]
}

// command runs a command on a tenant, which must succeed, and reads its JSON.
func (t *tenant) command(v any, command string, args ...string) {
	t.must(v, slices.Concat(strings.Fields(command), t.flags, args)...)
}

// all returns the pulls, except copies, whose expected rows are known.
func (t *tenant) all() []*pull { return slices.Concat(t.pulls, t.lost) }

// everything pulls every list of all tenants from a server.
func (t *harness) everything(s *server) {
	for _, of := range t.tenants {
		of.own.whole(s)
	}
}

// of turns a function of one tenant into a step, which chooses the tenant.
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

// something runs a step without a fault, in the middle of another step.
func (t *harness) something(c chance) {
	do := pick(c, []func(*harness, chance, Step){ofPartner((*partnerSide).directory), ofTenant((*tenant).pull), ofTenant((*tenant).goOn)})
	do(t, c, Step{})
}

// forget erases a person.
func (t *tenant) forget(c chance, _ Step) {
	people := t.own.people()
	if len(people) == 0 {
		return
	}
	n := pick(c, people)
	t.command(nil, "forget", strconv.Itoa(n))
	t.own.forgotten(n)
	for _, pull := range t.all() {
		pull.erased(n, true, "name", "email")
	}
}

// drop drops the next snapshot, which is not yet in effect.
func (t *librarySide) drop(_ chance, _ Step) {
	at := t.now()
	t.command(nil, "load libraries", "--drop")
	t.worlds.happens(func(l *library) { l.raise(at); l.next, l.nextHour = nil, time.Time{} })
}
