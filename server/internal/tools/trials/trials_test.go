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
	r := &runner{options: options{out: t.TempDir(), whole: true}, product: &product{path: binary}, dir: dir}
	t.Cleanup(r.close)
	return r
}

// TestTrials does four short plans, and one in which a standby takes over that lacks the last writes.
func TestTrials(t *testing.T) {
	r := newRunner(t)
	lose := Plan{Seed: 5, Engine: postgres, Pair: true}
	for i, do := range []string{"school load", "library load", "directory", "incremental", "pull", "lose", "go on", "incremental", "directory", "library load"} {
		lose.Acts = append(lose.Acts, Act{Do: do, Chance: uint64(i)})
	}
	plans := []Plan{lose}
	for seed := range uint64(4) {
		plans = append(plans, newPlan(1+seed, []string{sqlite, postgres}[seed%2], 30, nil))
	}
	for _, plan := range plans {
		err := r.try(t.Context(), plan)
		if isDifference(err) {
			err = r.again(t.Context(), plan, err)
		}
		if err != nil {
			t.Errorf("seed %d, %s: %v", plan.Seed, plan.Engine, err)
		}
	}
	f := &r.figures
	t.Logf("%d acts, %d kills, %d answers compared", f.acts.Load(), f.kills.Load(), f.answers.Load())
	if f.answers.Load() == 0 || f.kills.Load() == 0 {
		t.Error("nothing was tried")
	}
}

// A trial fails where an answer is not what it must be: here what must be is wrong.
func TestDifference(t *testing.T) {
	r := newRunner(t)
	trial, err := newTrial(r.product, Plan{Seed: 1, Engine: sqlite}, &r.figures, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer trial.close()
	if err := trial.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := trial.partners[1].worlds.likely()
	for i := range p.segments {
		p.segments[i].ms += 6000
	}
	if err := trial.partners[1].whole(trial.servers[0]); !isDifference(err) {
		t.Errorf("with a minute more in the model: %v, want a difference", err)
	}
	l := trial.libraries[1].worlds.likely()
	l.held.Events = nil
	if err := trial.libraries[1].whole(trial.servers[0]); !isDifference(err) {
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

// A plan that was kept is the plan.
func TestPlan(t *testing.T) {
	p := newPlan(3, postgres, 20, nil)
	file := filepath.Join(t.TempDir(), "plan.json")
	if err := p.keep(file); err != nil {
		t.Fatal(err)
	}
	if got, err := readPlan(file); err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("readPlan = %v, %v, want %v", got, err, p)
	}
}

// TestTimes compares what times say with a sorted list.
func TestTimes(t *testing.T) {
	c := newChance(1)
	var of, other times
	var list []time.Duration
	for i := range 10_000 {
		list = append(list, time.Duration(1+c.Int64N(1<<c.IntN(40))))
		[]*times{&of, &other}[i%2].add(list[i])
	}
	of.merge(&other)
	slices.Sort(list)
	for _, percent := range []int{0, 1, 50, 99} {
		want := list[len(list)*percent/100]
		if got := of.within(percent); got < want || got > want+want/50+1 {
			t.Errorf("%d of 100 within %v, want %v", percent, got, want)
		}
	}
}
