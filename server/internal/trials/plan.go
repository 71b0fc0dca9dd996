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

// weights say how often an act stands in a plan, and the faults that it may meet.
type weight struct {
	do     string
	often  int
	faults []string
}

var weights = []weight{
	{"school load", 14, []string{"kill", "overtaken", "beside", "slow", "cut"}},
	{"library load", 12, []string{"kill", "overtaken", "beside", "slow", "cut"}},
	{"directory", 22, []string{"kill server", "cut", "lost"}},
	{"pull schools", 20, []string{"slow", "lost"}},
	{"pull libraries", 16, []string{"slow", "lost"}},
	{"pull directory", 6, nil},
	{"go on", 12, nil},
	{"round", 10, nil},
	{"keys", 5, nil},
	{"strangers", 3, nil},
	{"clock", 4, nil},
	{"turn", 1, nil},
	{"clock back", 1, nil},
	{"forget", 2, nil},
	{"kill server", 2, nil},
	{"kill backend", 2, nil},
	{"crash database", 2, nil},
	{"promote", 1, nil},
	{"lose", 1, nil},
	{"hold", 1, nil},
	{"freeze", 1, nil},
	{"full disk", 1, nil},
	{"power", 1, nil},
	{"flip", 1, nil},
	{"backup", 1, nil},
	{"export", 1, nil},
	{"migrate", 1, nil},
	{"drop", 1, nil},
	{"flood", 1, nil},
}

// newPlan makes a plan of a number of acts, of those named alone where any are. A third of the acts that can meet a fault do.
func newPlan(seed uint64, engine string, acts int, only []string) Plan {
	c := newChance(seed)
	p := Plan{Seed: seed, Engine: engine, Pair: engine == postgres && c.one(3), Disk: engine == sqlite && c.one(2)}
	total, weights := 0, weights
	if len(only) > 0 {
		weights = slices.DeleteFunc(slices.Clone(weights), func(w weight) bool { return !slices.Contains(only, w.do) })
	}
	for _, w := range weights {
		total += w.often
	}
	for range acts {
		n := c.IntN(max(1, total))
		for _, w := range weights {
			if n -= w.often; n < 0 {
				a := Act{Do: w.do, Chance: c.Uint64()}
				if len(w.faults) > 0 && c.one(3) {
					a.Fault = pick(c, w.faults)
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
