package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
)

// A Plan is what is done in one trial, act by act. It can be kept in a file, and done again.
type Plan struct {
	Seed   uint64 `json:"seed"`
	Engine string `json:"engine"`         // sqlite or postgres
	Pair   bool   `json:"pair,omitempty"` // PostgreSQL with a standby
	Disk   bool   `json:"disk,omitempty"` // SQLite on a disk of its own
	Acts   []Act  `json:"acts"`
}

// An Act chooses by itself, from its own chance and what there is when it is its turn: so a plan still makes sense when
// other acts are taken out of it.
type Act struct {
	Do     string `json:"do"`
	Chance uint64 `json:"chance"`
	Fault  string `json:"fault,omitempty"`
}

// chance is what an act chooses by.
type chance struct{ *rand.Rand }

func newChance(seed uint64) chance { return chance{rand.New(rand.NewPCG(seed, 0x1ec7e12))} }

// one reports true once in n times.
func (c chance) one(n int) bool { return c.IntN(n) == 0 }

// pick returns one of a list, which is not empty.
func pick[T any](c chance, list []T) T { return list[c.IntN(len(list))] }

// A kind of acts: how often it stands in a plan, and the faults that it may meet.
type kind struct {
	name   string
	often  int
	do     func(*trial, chance, Act) error
	faults []string
	where  string // an engine, or "pair" or "disk"; empty: everywhere
}

// fits reports whether a kind of acts makes sense in a plan.
func (k kind) fits(p Plan) bool {
	return k.where == "" || k.where == p.Engine || k.where == "pair" && p.Pair || k.where == "disk" && p.Disk
}

var kinds = []kind{
	{"school load", 14, ofPartner((*partnerSide).loadSome), []string{"kill", "overtaken", "beside", "slow", "cut"}, ""},
	{"library load", 12, ofLibrary((*librarySide).loadSome), []string{"kill", "overtaken", "beside", "slow", "cut"}, ""},
	{"directory", 22, ofPartner((*partnerSide).directory), []string{"kill server", "cut", "lost"}, ""},
	{"pull", 36, ofTenant((*tenant).pull), []string{"slow", "lost"}, ""},
	{"pull directory", 8, ofPartner((*partnerSide).pullDirectory), nil, ""},
	{"go on", 14, ofTenant((*tenant).goOn), nil, ""},
	{"incremental", 12, ofTenant((*tenant).incremental), nil, ""},
	{"keys", 5, ofTenant((*tenant).turnKeys), nil, ""},
	{"directory key", 1, ofPartner((*partnerSide).rotateDirectory), nil, ""},
	{"strangers", 3, ofPartner((*partnerSide).strangers), nil, ""},
	{"crossed", 3, ofTenant((*tenant).crossed), nil, ""},
	{"clock", 4, (*trial).turnClock, nil, ""},
	{"turn", 1, (*trial).turn, nil, ""},
	{"clock back", 1, (*trial).clockBack, nil, ""},
	{"forget", 2, ofTenant((*tenant).forget), nil, ""},
	{"kill server", 2, (*trial).killServer, nil, ""},
	{"kill backend", 2, (*trial).killBackend, nil, postgres},
	{"crash database", 2, (*trial).crashDatabase, nil, postgres},
	{"promote", 1, (*trial).promote, nil, "pair"},
	{"lose", 1, (*trial).lose, nil, "pair"},
	{"hold", 1, ofPartner((*partnerSide).hold), nil, sqlite},
	{"freeze", 1, (*trial).freeze, nil, postgres},
	{"full disk", 1, ofPartner((*partnerSide).fullDisk), nil, "disk"},
	{"power", 1, (*trial).power, nil, "disk"},
	{"flip", 1, (*trial).flip, nil, ""},
	{"backup", 1, (*trial).backup, nil, sqlite},
	{"migrate", 1, (*trial).migrate, nil, ""},
	{"drop", 1, ofLibrary((*librarySide).drop), nil, ""},
	{"load all", 3, (*trial).loadAll, []string{"kill"}, ""},
	{"hang up", 2, ofPartner((*partnerSide).hangUp), nil, ""},
}

// rate is the limit of a plan's servers, requests a minute: none, or more than anybody asks.
func (p Plan) rate() int { return int(p.Seed%2) * 1_000_000 }

// newPlan makes a plan of a number of acts, of those named alone where any are. A third of the acts that can meet a fault do.
func newPlan(seed uint64, engine string, acts int, only []string) Plan {
	c := newChance(seed)
	p := Plan{Seed: seed, Engine: engine, Pair: engine == postgres && c.one(3), Disk: engine == sqlite && c.one(2)}
	kinds := slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return !k.fits(p) || len(only) > 0 && !slices.Contains(only, k.name) })
	total := 0
	for _, k := range kinds {
		total += k.often
	}
	for range acts {
		n := c.IntN(max(1, total))
		for _, k := range kinds {
			if n -= k.often; n < 0 {
				a := Act{Do: k.name, Chance: c.Uint64()}
				if len(k.faults) > 0 && c.one(3) {
					a.Fault = pick(c, k.faults)
				}
				p.Acts = append(p.Acts, a)
				break
			}
		}
	}
	return p
}

// readPlan reads a plan that was kept.
func readPlan(file string) (p Plan, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// keep writes a plan to a file.
func (p Plan) keep(file string) error {
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
