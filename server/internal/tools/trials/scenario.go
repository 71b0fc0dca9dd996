package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A Scenario is a list of steps and the database on which they run. newScenario derives one from a seed.
type Scenario struct {
	Seed   uint64
	Engine string // sqlite or postgres
	Pair   bool   // PostgreSQL with a standby
	Disk   bool   // SQLite on a disk of its own
	Steps  []Step
}

// A Step chooses at random what it does. The choice depends on its Chance and on the data that exists when it runs.
type Step struct {
	Do, Fault string
	Chance    uint64
}

// chance is the source of random choices of a step.
type chance struct{ *rand.Rand }

func newChance(seed uint64) chance { return chance{rand.New(rand.NewPCG(seed, 0x1ec7e12))} }

func (c chance) one(n int) bool { return c.IntN(n) == 0 }

// pick returns an element of a list that is not empty.
func pick[T any](c chance, list []T) T { return list[c.IntN(len(list))] }

// A stepKind is a kind of step: its weight in a random scenario, and the faults that may be injected into it.
type stepKind struct {
	name   string
	weight int
	do     func(*harness, chance, Step)
	faults []string
	where  string // an engine, or "pair" or "disk"; empty: everywhere
}

// fits reports whether a kind of step can run in a scenario.
func (k stepKind) fits(s Scenario) bool {
	return k.where == "" || k.where == s.Engine || k.where == "pair" && s.Pair || k.where == "disk" && s.Disk
}

var stepKinds = []stepKind{
	{"school load", 14, ofPartner((*partnerSide).loadSome), []string{"kill", "overtaken", "beside", "slow", "cut"}, ""},
	{"library load", 12, ofLibrary((*librarySide).loadSome), []string{"kill", "overtaken", "beside", "slow", "cut"}, ""},
	{"directory", 22, ofPartner((*partnerSide).directory), []string{"kill server", "cut", "lost"}, ""},
	{"pull", 36, ofTenant((*tenant).pull), []string{"slow", "lost"}, ""},
	{"pull directory", 8, ofPartner((*partnerSide).pullDirectory), nil, ""},
	{"go on", 14, ofTenant((*tenant).goOn), nil, ""},
	{"incremental", 12, ofTenant((*tenant).incremental), nil, ""},
	{"keys", 5, ofTenant((*tenant).changeKeys), nil, ""},
	{"directory key", 1, ofPartner((*partnerSide).rotateDirectory), nil, ""},
	{"strangers", 3, ofPartner((*partnerSide).strangers), nil, ""},
	{"crossed", 3, ofTenant((*tenant).crossed), nil, ""},
	{"clock", 4, (*harness).moveClock, nil, ""},
	{"next hour", 1, (*harness).nextHour, nil, ""},
	{"clock back", 1, (*harness).clockBack, nil, ""},
	{"forget", 2, ofTenant((*tenant).forget), nil, ""},
	{"kill server", 2, func(t *harness, c chance, _ Step) { t.restart(pick(c, t.servers), true) }, nil, ""},
	{"kill backend", 2, (*harness).killBackend, nil, postgres},
	{"crash database", 2, (*harness).crashDatabase, nil, postgres},
	{"promote", 1, (*harness).promote, nil, "pair"},
	{"lose", 1, (*harness).lose, nil, "pair"},
	{"lock", 1, ofPartner((*partnerSide).lock), nil, sqlite},
	{"freeze", 1, (*harness).freeze, nil, postgres},
	{"full disk", 1, ofPartner((*partnerSide).fullDisk), nil, "disk"},
	{"power", 1, (*harness).power, nil, "disk"},
	{"flip", 1, (*harness).flip, nil, ""},
	{"backup", 1, (*harness).backup, nil, sqlite},
	{"migrate", 1, func(t *harness, _ chance, _ Step) { t.must(nil, "migrate") }, nil, ""},
	{"drop", 1, ofLibrary((*librarySide).drop), nil, ""},
	{"load all", 3, (*harness).loadAll, []string{"kill"}, ""},
}

// rate returns the servers' limit of requests a minute: 0 for none, or a limit that is counted but never reached.
func (s Scenario) rate() int { return int(s.Seed%2) * 1_000_000 }

// newScenario returns a random scenario of some steps. A third of the steps that a fault can be injected into get one.
func newScenario(seed uint64, engine string, steps int) Scenario {
	c := newChance(seed)
	s := Scenario{Seed: seed, Engine: engine, Pair: engine == postgres && c.one(3), Disk: engine == sqlite && c.one(2)}
	var weighted []stepKind
	for _, k := range stepKinds {
		if k.fits(s) {
			weighted = append(weighted, slices.Repeat([]stepKind{k}, k.weight)...)
		}
	}
	for range steps {
		k := pick(c, weighted)
		step := Step{Do: k.name, Chance: c.Uint64()}
		if len(k.faults) > 0 && c.one(3) {
			step.Fault = pick(c, k.faults)
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}

// run runs the steps of a scenario, and then compares everything once more. The error is a *difference if an answer was wrong.
func (t *harness) run(ctx context.Context) error {
	now := "the beginning"
	err := caught(func() {
		t.begin()
		for i, step := range t.scenario.Steps {
			k := slices.IndexFunc(stepKinds, func(k stepKind) bool { return k.name == step.Do })
			if check(ctx.Err()); k < 0 || !stepKinds[k].fits(t.scenario) {
				continue
			}
			t.counts.steps.Add(1)
			now = fmt.Sprintf("step %d, %s %s", i, step.Do, step.Fault)
			t.log("%s at %v", now, t.clock.now().In(brasilia).Format(time.DateTime))
			stepKinds[k].do(t, newChance(step.Chance), step)
		}
		now = "the end"
		t.everything(t.servers[0])
		t.checkLost()
		if found := t.checked(); len(found) > 0 {
			fail("lectern check --deep finds %q", found)
		}
	})
	if d, is := errors.AsType[*difference](err); is {
		return &difference{now + ": " + d.text}
	} else if err != nil {
		return fmt.Errorf("%s: %w", now, err)
	}
	return nil
}
