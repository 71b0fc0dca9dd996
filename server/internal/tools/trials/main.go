// Command trials has the product break itself, again and again, and compares every answer with a model of its own: see TRIALS.md.
//
// make test runs a few short plans and make verify two minutes of them. Run it for an hour (make trials MINUTES=60) after a change
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
	"strings"
	"syscall"
	"time"
)

// root is the repository, from the folder in which the command is run: its own, since it is a module of its own.
const root = "../../../.."

// options are the command's flags.
type options struct {
	seed              uint64
	load, minutes     int
	acts              int
	plan, binary      string
	engine, out, only string
	whole, sure       bool
	verbose           bool
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "the first seed; each plan has the next one")
	flag.IntVar(&o.minutes, "minutes", 10, "how long to go on")
	flag.IntVar(&o.load, "load", 0, "in the place of plans, a load test of so many minutes")
	flag.IntVar(&o.acts, "acts", 60, "acts of a plan")
	flag.StringVar(&o.plan, "plan", "", "a file with a plan, which is done once and not made smaller")
	flag.StringVar(&o.binary, "binary", "", "the binary to try (default: it is built)")
	flag.StringVar(&o.engine, "engine", "", "sqlite or postgres alone (default: in turns)")
	flag.StringVar(&o.out, "out", os.TempDir(), "folder for the plans that found something")
	flag.StringVar(&o.only, "only", "", "acts, separated by commas, of which alone the plans consist")
	flag.BoolVar(&o.whole, "whole", false, "make no plan smaller")
	flag.BoolVar(&o.sure, "sure", false, "do a plan that found a difference again, and let it count only if it finds one again: for CI, where a machine that stands still must fail nothing")
	flag.BoolVar(&o.verbose, "v", false, "tell each act")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := do(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		os.Exit(1)
	}
}

// do tries plan after plan.
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
	if o.load > 0 {
		return r.loadTest(ctx)
	}
	if o.plan != "" {
		plan, err := readPlan(o.plan)
		if err != nil {
			return err
		}
		return r.try(ctx, plan)
	}
	return r.plansOf(ctx)
}

// build makes the binary of this source tree.
func build(to string) error {
	cmd := exec.Command("go", "build", "-o", to, "./server/cmd/lectern")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	return cmd.Run()
}

// runner tries plans, one after another.
type runner struct {
	options
	product     *product
	dir         string
	pg          *cluster
	said        bytes.Buffer // what the last plan did
	figures     figures
	plans       int
	differences int
}

func (r *runner) close() {
	if r.pg != nil {
		r.pg.stop()
	}
	os.RemoveAll(r.dir)
}

// plansOf tries the plans of seed after seed, until the time is over.
func (r *runner) plansOf(ctx context.Context) error {
	began := time.Now()
	engines := []string{sqlite, postgres}
	if r.engine != "" {
		engines = []string{r.engine}
	}
	for seed := r.seed; time.Since(began) < time.Duration(r.minutes)*time.Minute && ctx.Err() == nil; seed++ {
		plan := newPlan(seed, engines[int(seed)%len(engines)], r.acts, strings.FieldsFunc(r.only, func(c rune) bool { return c == ',' }))
		err := r.try(ctx, plan)
		if r.sure && isDifference(err) {
			err = r.again(ctx, plan, err)
		}
		if isDifference(err) {
			r.differences++
			err = r.tell(ctx, plan, err)
		}
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		r.plans++
		f := &r.figures
		fmt.Printf("%v: %d plans to seed %d, %d acts, %d loads, %d writes, %d kills, %d answers, %d rows compared, %d differences\n", time.Since(began).Round(time.Second),
			r.plans, seed, f.acts.Load(), f.loads.Load(), f.writes.Load(), f.kills.Load(), f.answers.Load(), f.rows.Load(), r.differences)
	}
	if r.differences > 0 {
		return fmt.Errorf("%d plans found a difference", r.differences)
	}
	return nil
}

// again does a plan that found a difference a second time.
func (r *runner) again(ctx context.Context, plan Plan, found error) error {
	fmt.Printf("seed %d, %s: DIFFERENCE; the plan is done again\n%v\n", plan.Seed, plan.Engine, found)
	return r.try(ctx, plan)
}

// tell makes a plan that found a difference smaller, keeps it beside what it did, and says what it found.
func (r *runner) tell(ctx context.Context, plan Plan, found error) error {
	fmt.Printf("seed %d, %s: DIFFERENCE\n%v\n", plan.Seed, plan.Engine, found)
	if err := os.WriteFile(filepath.Join(r.out, fmt.Sprintf("plan-%d.log", plan.Seed)), r.said.Bytes(), 0o644); err != nil {
		return err
	}
	whole := len(plan.Acts)
	if !r.whole {
		plan, found = r.shrunk(ctx, plan, found)
	}
	file := filepath.Join(r.out, fmt.Sprintf("plan-%d.json", plan.Seed))
	fmt.Printf("%d of its %d acts are in %s, to be done again with PLAN:\n%v\n", len(plan.Acts), whole, file, found)
	return plan.keep(file)
}

// try does one plan.
func (r *runner) try(ctx context.Context, plan Plan) error {
	pg, err := r.cluster(plan)
	if err != nil {
		return err
	}
	if plan.Pair {
		defer pg.stop()
	}
	t, err := newTrial(r.product, plan, &r.figures, pg)
	if err != nil {
		return err
	}
	defer t.close()
	r.said.Reset()
	t.log = func(format string, args ...any) {
		fmt.Fprintf(&r.said, time.Now().Format("05.000 ")+format+"\n", args...)
		if r.verbose {
			fmt.Printf(format+"\n", args...)
		}
	}
	return t.run(ctx)
}

// loadTest presses one engine: PostgreSQL, unless another is named.
func (r *runner) loadTest(ctx context.Context) error {
	plan := Plan{Seed: r.seed, Engine: cmp.Or(r.engine, postgres)}
	pg, err := r.cluster(plan)
	if err != nil {
		return err
	}
	t, err := newTrial(r.product, plan, &r.figures, pg)
	if err != nil {
		return err
	}
	defer t.close()
	return t.pressed(ctx, r.load, r.out)
}

// cluster is the database server of a plan: one for all, or a pair of its own.
func (r *runner) cluster(plan Plan) (*cluster, error) {
	if plan.Engine == sqlite {
		return nil, nil
	}
	if plan.Pair {
		return startCluster(r.dir, true)
	}
	var err error
	if r.pg == nil {
		r.pg, err = startCluster(r.dir, false)
	}
	return r.pg, err
}
