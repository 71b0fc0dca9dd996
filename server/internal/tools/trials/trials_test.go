package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
)

// newRunner returns a runner with the binary of this source tree.
func newRunner(t *testing.T) *runner {
	t.Helper()
	dir, err := workFolder()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "lectern")
	if err := build(binary); err != nil {
		t.Fatal(err)
	}
	r := &runner{options: options{out: t.TempDir()}, product: &product{path: binary}, dir: dir}
	t.Cleanup(r.close)
	return r
}

// TestTrials runs four short scenarios, and one in which a standby without the last writes takes over.
func TestTrials(t *testing.T) {
	r := newRunner(t)
	lose := Scenario{Seed: 5, Engine: postgres, Pair: true}
	for i, do := range []string{"school load", "library load", "directory", "incremental", "pull", "lose", "go on", "incremental", "directory", "library load"} {
		lose.Steps = append(lose.Steps, Step{Do: do, Chance: uint64(i)})
	}
	scenarios := []Scenario{lose}
	for seed := range uint64(4) {
		scenarios = append(scenarios, newScenario(1+seed, []string{sqlite, postgres}[seed%2], 30))
	}
	for _, s := range scenarios {
		if err := r.run(t.Context(), s); err != nil {
			t.Errorf("seed %d, %s: %v", s.Seed, s.Engine, err)
		}
	}
	n := &r.counts
	t.Logf("%d steps, %d kills, %d answers compared", n.steps.Load(), n.kills.Load(), n.answers.Load())
	if n.answers.Load() == 0 || n.kills.Load() == 0 {
		t.Error("nothing was tested")
	}
	t.Run("difference", func(t *testing.T) { testDifference(t, r) })
}

// testDifference checks that answers that differ from the model fail a scenario. Here the model is wrong.
func testDifference(t *testing.T, r *runner) {
	h := newHarness(r.product, Scenario{Seed: 1, Engine: sqlite}, &r.counts, nil)
	defer h.close()
	if err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := h.partners[1].worlds.likely()
	for i := range p.segments {
		p.segments[i].ms += 6000
	}
	if err := caught(func() { h.partners[1].whole(h.servers[0]) }); !isDifference(err) {
		t.Errorf("with a minute more in the model: %v, want a difference", err)
	}
	h.libraries[1].worlds.likely().current.Events = nil
	if err := caught(func() { h.libraries[1].whole(h.servers[0]) }); !isDifference(err) {
		t.Errorf("without events in the model: %v, want a difference", err)
	}
}

// number is a model for TestWorlds.
type number struct{ n int }

//lint:ignore U1000 newWorlds asks for it
func (m *number) clone() *number { c := *m; return &c }

func TestWorlds(t *testing.T) {
	w := newWorlds(&number{1})
	double, add := &maybe[*number]{what: "double", do: func(m *number) *number { m.n *= 2; return m }}, &maybe[*number]{what: "add", do: func(m *number) *number { m.n += 3; return m }}
	is := func(n int) func(*number) error {
		return func(m *number) error {
			if m.n != n {
				return fmt.Errorf("%d, want %d", m.n, n)
			}
			return nil
		}
	}
	w.begin(double)
	w.begin(add)
	w.acknowledged(add) // doubled before, after, or not yet
	if w.agree(is(3)) == nil {
		t.Error("agree accepts an impossible number")
	}
	if err := w.agree(is(8)); err != nil {
		t.Error(err)
	}
	if err := caught(func() { w.refused(double) }); !isDifference(err) {
		t.Errorf("refused of an observed change = %v, want a difference", err)
	}
}

func TestShare(t *testing.T) {
	// 0.05 and 0.05 minutes are 0.1 minutes, which the book with the lower id gets.
	if got, want := share(map[int]int{7: 3000, 9: 3000}), map[int]int{7: 1, 9: 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("share = %v, want %v", got, want)
	}
}
