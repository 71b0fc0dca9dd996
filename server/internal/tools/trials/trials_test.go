package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// newRunner is a runner with the binary of this source tree.
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

// TestTrials runs four short scenarios, and one in which a standby takes over that lacks the last writes.
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

// testDifference checks that answers that differ from the model fail a scenario: here the model is wrong.
func testDifference(t *testing.T, r *runner) {
	h, err := newHarness(r.product, Scenario{Seed: 1, Engine: sqlite}, &r.counts, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if err := h.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := h.partners[1].worlds.likely()
	for i := range p.segments {
		p.segments[i].ms += 6000
	}
	if err := h.partners[1].whole(h.servers[0]); !isDifference(err) {
		t.Errorf("with a minute more in the model: %v, want a difference", err)
	}
	l := h.libraries[1].worlds.likely()
	l.held.Events = nil
	if err := h.libraries[1].whole(h.servers[0]); !isDifference(err) {
		t.Errorf("without events in the model: %v, want a difference", err)
	}
}

// number is a model for the test of worlds.
type number struct{ n int }

//lint:ignore U1000 newWorlds asks for it
func (m *number) clone() *number { c := *m; return &c }

func TestWorlds(t *testing.T) {
	w := newWorlds(&number{1})
	double, add := &maybe[*number]{"double", func(m *number) *number { m.n *= 2; return m }}, &maybe[*number]{"add", func(m *number) *number { m.n += 3; return m }}
	is := func(n int) func(*number) error {
		return func(m *number) error {
			if m.n != n {
				return differs("%d, want %d", m.n, n)
			}
			return nil
		}
	}
	w.begin(double)
	w.begin(add)
	w.acknowledged(add) // doubled before, after, or not yet
	if err := w.observe("neither", is(3)); !isDifference(err) {
		t.Errorf("a number that cannot be: %v, want a difference", err)
	}
	if err := w.observe("after", is(8)); err != nil {
		t.Error(err)
	}
	if err := w.refused(double); !isDifference(err) {
		t.Errorf("what was seen is refused: %v, want a difference", err)
	}
}

func TestShare(t *testing.T) {
	// 0.05 and 0.05 minutes are 0.1, which the lower number gets.
	if got, want := share(map[int]int{7: 3000, 9: 3000}), map[int]int{7: 1, 9: 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("share = %v, want %v", got, want)
	}
}

func TestScenarioOfAFile(t *testing.T) {
	s := newScenario(3, postgres, 20)
	file := filepath.Join(t.TempDir(), "scenario.json")
	if err := s.write(file); err != nil {
		t.Fatal(err)
	}
	if got, err := readScenario(file); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("readScenario = %v, %v, want %v", got, err, s)
	}
}

// TestTimes compares what times say with a sorted list.
func TestTimes(t *testing.T) {
	c := newChance(1)
	var of times
	var list []time.Duration
	for i := range 10_000 {
		list = append(list, time.Duration(1+c.Int64N(1<<c.IntN(40))))
		of.add(list[i])
	}
	slices.Sort(list)
	for _, percent := range []int{0, 1, 50, 99} {
		want := list[len(list)*percent/100]
		if got := of.within(percent); got < want || got > want+want/50+1 {
			t.Errorf("%d of 100 within %v, want %v", percent, got, want)
		}
	}
}
