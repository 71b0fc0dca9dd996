// Command trials injects faults at random into the built binary, on SQLite and PostgreSQL. It compares every answer with a model that
// is independent of the product. TRIALS.md lists what is tested.
//
// make test runs a few short scenarios and make verify two minutes of them. Run it for an hour (make trials MINUTES=60) after a change
// to loads, snapshots, pulls, erasure or the drivers, and before a release.
package main

import (
	"bytes"
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

// options are the command's flags.
type options struct {
	seed           uint64
	minutes, steps int
	binary, out    string
	verbose        bool
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "the first seed; each scenario has the next one, and odd seeds have PostgreSQL")
	flag.IntVar(&o.minutes, "minutes", 10, "how long to go on; with 0 one scenario runs")
	flag.IntVar(&o.steps, "steps", 60, "steps of a scenario")
	flag.StringVar(&o.binary, "binary", "", "the binary to test (default: it is built)")
	flag.StringVar(&o.out, "out", os.TempDir(), "folder for the logs of scenarios that find a difference")
	flag.BoolVar(&o.verbose, "v", false, "print every step")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := do(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		os.Exit(1)
	}
}

// do builds the binary and runs scenarios.
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
	return r.scenarios(ctx)
}

// build builds the binary of this source tree.
func build(to string) error {
	cmd := exec.Command("go", "build", "-o", to, "./server/cmd/lectern")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	return cmd.Run()
}

// runner runs scenarios one after another.
type runner struct {
	options
	product *product
	dir     string
	pg      *cluster     // that scenarios without a standby share
	log     bytes.Buffer // of the last scenario
	counts  counts
}

func (r *runner) close() {
	if r.pg != nil {
		r.pg.stop()
	}
	os.RemoveAll(r.dir)
}

// scenarios runs a scenario for each seed in turn until the time is over.
func (r *runner) scenarios(ctx context.Context) error {
	began, differences := time.Now(), 0
	for seed := r.seed; seed == r.seed || time.Since(began) < time.Duration(r.minutes)*time.Minute; seed++ {
		s := newScenario(seed, []string{sqlite, postgres}[seed%2], r.steps)
		err := r.run(ctx, s)
		if ctx.Err() != nil {
			break
		}
		if isDifference(err) {
			differences++
			file := filepath.Join(r.out, fmt.Sprintf("scenario-%d.log", seed))
			fmt.Printf("seed %d, %s: DIFFERENCE, %s has the log; run it again with SEED=%d MINUTES=0\n%v\n", seed, s.Engine, file, seed, err)
			err = os.WriteFile(file, r.log.Bytes(), 0o644)
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

// run runs one scenario. The error is a *difference if an answer was wrong.
func (r *runner) run(ctx context.Context, s Scenario) (err error) {
	r.log.Reset()
	return caught(func() {
		pg := r.pg
		if s.Engine == postgres && (s.Pair || pg == nil) {
			if pg = startCluster(r.dir, s.Pair); s.Pair {
				defer pg.stop()
			} else {
				r.pg = pg
			}
		}
		h := newHarness(r.product, s, &r.counts, pg)
		defer h.close()
		h.log = func(format string, args ...any) {
			fmt.Fprintf(&r.log, time.Now().Format("05.000 ")+format+"\n", args...)
			if r.verbose {
				fmt.Printf(format+"\n", args...)
			}
		}
		check(h.run(ctx))
	})
}
