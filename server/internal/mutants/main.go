// Mutants asks whether the tests of the rule packages would see a mistake in them. It changes one thing at a time, runs the tests,
// and lists the changes that survive all of them, by file and line:
//
//	make mutants                       # all rule packages
//	make mutants ARGS="paging auth"    # some packages
//	make mutants ARGS="-only page.go:7 paging"
//
// What is changed: each comparison (its bound, and its opposite), == and !=, && and ||, the sign and the operator of arithmetic, ++ and
// --, each number by one up and down, true and false, and each condition that is none of these to its opposite. Texts are not, nor the
// capacity that make is asked for, a 0 that is returned before false or an error, and the terms of functions named Bytes, bytes or
// weight that return an int, their numbers and arithmetic, which say about how large something is.
//
// All changes but those of constants and of the lengths of arrays are compiled into one binary for each package of tests, which
// LECTERN_MUTANT switches on, so that a change costs a run of tests and no build; none of it touches the tree. It is tried by the tests
// in which it would make a difference where they pass it, the quickest first, and is killed where one fails, or takes ten times its
// processor time: then it does not end. What rapid draws is the same each time.
//
// A survivor that no test can kill, because it makes no difference, says so where it stands:
//
//	if n < m { // or:
//	//mutants:equal where both are the same, both branches are
//	if n < m {
//
// Such a line that explains no survivor is told too.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// rules are the packages whose mutants must not survive, each followed by the others whose tests are of its rules too.
var rules = []string{
	"libraries/metric,libraries/internal/facts", "schools,schools/internal/intake", "paging", "reading/decimal", "reading/calendar", "reading/packed",
	"libraries/stock", "libraries", "paging/round", "reading", "directory", "auth", "schools/report",
	"libraries/report",
}

func main() {
	root := flag.String("root", "../../..", "the `folder` of the module")
	parallel := flag.Int("parallel", 2, "how many run at once")
	only := flag.String("only", "", "the changes whose place matches the `pattern`, such as page.go:7")
	flag.Parse()
	if err := run(*root, *parallel, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(root string, parallel int, only string, chosen []string) error {
	places, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(chosen) == 0 {
		chosen = rules
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const row = "%-18s %7v %7v %7v %7v %9v %s\n"
	fmt.Printf(row, "package", "mutants", "killed", "endless", "equal", "survivors", "minutes of the processor")
	left := 0
	for _, name := range chosen {
		began := processor()
		own, err := os.MkdirTemp(dir, "")
		if err != nil {
			return err
		}
		r, err := judge(ctx, trial{root: root, dir: own, parallel: parallel, only: places, packages: strings.Split(withTests(name), ",")})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, line := range r.told {
			fmt.Println(line)
		}
		left += len(r.told)
		fmt.Printf(row, r.name, r.mutants, r.killed, r.endless, r.equal,
			r.mutants-r.killed-r.endless-r.equal, fmt.Sprintf("%.1f", (processor()-began).Minutes()))
	}
	if left > 0 {
		return fmt.Errorf("%d lines are to be tested, or explained", left)
	}
	return nil
}

// processor returns what all that was run has taken of it.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// withTests returns a package of the rules with those that test it too.
func withTests(name string) string {
	for _, r := range rules {
		if own, _, _ := strings.Cut(r, ","); own == name {
			return r
		}
	}
	return name
}
