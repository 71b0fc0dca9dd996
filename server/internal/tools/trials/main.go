// Command trials injects faults at random into the built binary, on SQLite and PostgreSQL, and compares every answer with a model of its
// own. TRIALS.md lists what is tested.
//
// make test runs a few short scenarios and make verify two minutes of them. Run it for an hour (make trials MINUTES=60) after a change
// to loads, snapshots, pulls, erasure or the drivers, and before a release.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// root is the repository, seen from the folder of this module.
const root = "../../../.."

// stepsOfScenario is how many steps a random scenario has.
const stepsOfScenario = 60

// options are the command's flags.
type options struct {
	seed             uint64
	load, minutes    int
	scenario, binary string
	engine, out      string
	verbose          bool
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "the first seed; each scenario has the next one")
	flag.IntVar(&o.minutes, "minutes", 10, "how long to go on")
	flag.IntVar(&o.load, "load", 0, "run a load test of so many minutes instead of scenarios")
	flag.StringVar(&o.scenario, "scenario", "", "run the scenario of this file once")
	flag.StringVar(&o.binary, "binary", "", "the binary to test (default: it is built)")
	flag.StringVar(&o.engine, "engine", "", "sqlite or postgres (default: both, in turns)")
	flag.StringVar(&o.out, "out", os.TempDir(), "folder for the scenarios that find a difference")
	flag.BoolVar(&o.verbose, "v", false, "print every step")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := do(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		os.Exit(1)
	}
}

// do builds the binary and runs the load test, one scenario or many.
func do(ctx context.Context, o options) error {
	dir, err := workFolder()
	if err != nil {
		return err
	}
	r := &runner{options: o, dir: dir}
	defer r.close()
	if o.binary == "" {
		o.binary = filepath.Join(dir, "lectern")
		if err := build(o.binary); err != nil {
			return err
		}
	}
	r.product = &product{path: o.binary}
	switch {
	case o.load > 0:
		return r.loadTest(ctx)
	case o.scenario != "":
		s, err := readScenario(o.scenario)
		if err != nil {
			return err
		}
		return r.run(ctx, s)
	}
	return r.scenarios(ctx)
}

// build builds the binary of this source tree.
func build(to string) error {
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", to, "./server/cmd/lectern")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	return cmd.Run()
}

// runner runs scenarios one after another.
type runner struct {
	options
	product *product
	dir     string
	pg      *cluster
	log     bytes.Buffer // of the last scenario
	counts  counts
}

func (r *runner) close() {
	if r.pg != nil {
		r.pg.stop()
	}
	os.RemoveAll(r.dir)
}

// scenarios runs the scenarios of seed after seed until the time is over.
func (r *runner) scenarios(ctx context.Context) error {
	began, differences := time.Now(), 0
	engines := []string{sqlite, postgres}
	if r.engine != "" {
		engines = []string{r.engine}
	}
	for seed := r.seed; time.Since(began) < time.Duration(r.minutes)*time.Minute; seed++ {
		s := newScenario(seed, engines[int(seed)%len(engines)], stepsOfScenario)
		err := r.run(ctx, s)
		if isDifference(err) {
			differences++
			err = r.report(ctx, s, err)
		}
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		n := &r.counts
		fmt.Printf("%v: %d scenarios to seed %d, %d steps, %d loads, %d writes, %d kills, %d answers, %d rows compared, %d differences\n", time.Since(began).Round(time.Second),
			seed-r.seed+1, seed, n.steps.Load(), n.loads.Load(), n.writes.Load(), n.kills.Load(), n.answers.Load(), n.rows.Load(), differences)
	}
	if differences > 0 {
		return fmt.Errorf("%d scenarios found a difference", differences)
	}
	return nil
}

// report shrinks a scenario that found a difference, writes it and its log to files, and prints what it found.
func (r *runner) report(ctx context.Context, s Scenario, found error) error {
	fmt.Printf("seed %d, %s: DIFFERENCE\n%v\n", s.Seed, s.Engine, found)
	if err := os.WriteFile(filepath.Join(r.out, fmt.Sprintf("scenario-%d.log", s.Seed)), r.log.Bytes(), 0o644); err != nil {
		return err
	}
	steps := len(s.Steps)
	s, found = r.shrunk(ctx, s, found)
	file := filepath.Join(r.out, fmt.Sprintf("scenario-%d.json", s.Seed))
	fmt.Printf("%d of its %d steps are in %s, to be run again with SCENARIO:\n%v\n", len(s.Steps), steps, file, found)
	return s.write(file)
}

// run runs one scenario. The error is a *difference if an answer was wrong.
func (r *runner) run(ctx context.Context, s Scenario) error {
	h, err := r.harness(s)
	if err != nil {
		return err
	}
	defer h.close()
	if s.Pair {
		defer h.store.pg.stop()
	}
	r.log.Reset()
	h.log = func(format string, args ...any) {
		fmt.Fprintf(&r.log, time.Now().Format("05.000 ")+format+"\n", args...)
		if r.verbose {
			fmt.Printf(format+"\n", args...)
		}
	}
	return h.run(ctx)
}

// loadTest tests one engine under load: PostgreSQL unless the flags name another.
func (r *runner) loadTest(ctx context.Context) error {
	h, err := r.harness(Scenario{Seed: r.seed, Engine: cmp.Or(r.engine, postgres)})
	if err != nil {
		return err
	}
	defer h.close()
	return h.pressed(ctx, r.load, r.out)
}

// harness prepares a scenario on its database server: one cluster for all scenarios, or a pair of its own.
func (r *runner) harness(s Scenario) (*harness, error) {
	if s.Engine == sqlite {
		return newHarness(r.product, s, &r.counts, nil)
	}
	pg, err := r.pg, error(nil)
	if s.Pair || pg == nil {
		if pg, err = startCluster(r.dir, s.Pair); err != nil {
			return nil, err
		}
	}
	if !s.Pair {
		r.pg = pg
	}
	return newHarness(r.product, s, &r.counts, pg)
}
