// Command bench measures Lectern as its users meet it: the binary loads a generated network and answers over HTTP. Every
// figure stands beside a baseline of the same run: DuckDB reading the same files, hand-written SQL on the schools' raw
// segments or on daily rows of the libraries, or the binary of a former commit. It says which budgets are kept, and writes tables for
// each engine and size to a file. PostgreSQL is measured where LECTERN_TEST_POSTGRES names a server.
//
// Run it before and after a change that could cost time or memory, and before a release.
//
//	make bench                                            # schools of 1,000 users and a year, 100,000 readers and 120 days
//	make bench ARGS="-sizes 1000x365,10000x365 -libraries 1000000x120"
//	make bench ARGS="-sizes= -libraries 10000x120"        # library networks alone
//	make bench ARGS="-sizes= -libraries="                 # directory writes alone
//	make bench ARGS="-beside COMMIT -out FILE"            # two binaries in turns: what has become faster or slower since a commit
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// root is the repository, from the folder in which the command is run: its own, since it is a module of its own.
const root = "../../../.."

// options are the command's flags.
type options struct {
	sizes, libraries, out, beside string
	sql, writes                   bool
}

func main() {
	var o options
	flag.StringVar(&o.sizes, "sizes", "1000x365", "networks of schools to measure as USERSxDAYS, separated by commas; empty for none")
	flag.StringVar(&o.libraries, "libraries", "100000x120", "library networks to measure as READERSxDAYS, separated by commas; empty for none")
	flag.StringVar(&o.out, "out", root+"/BENCHMARKS.md", "file to write the tables to")
	flag.BoolVar(&o.sql, "sql", true, "measure what a first load and pages are compared with too: a second load, a check, DuckDB, and in PostgreSQL SQL on raw segments and on daily rows")
	flag.BoolVar(&o.writes, "writes", true, "measure writes of the directory too")
	flag.StringVar(&o.beside, "beside", "", "a former commit: its binary and this one's are measured in turns, and nothing else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "lectern-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	now, former := product{filepath.Join(dir, "now")}, product{filepath.Join(dir, "former")}
	for _, p := range []product{now, former} {
		if err := os.Mkdir(p.dir, 0o755); err != nil {
			return err
		}
	}
	if err := now.build(ctx, root); err != nil {
		return err
	}
	if o.beside != "" {
		err = former.buildAt(ctx, o.beside)
	} else {
		_, _, err = command(ctx, "npm", "install", "--prefix", tools, "--no-save", "--no-audit", "--no-fund")
	}
	if err != nil {
		return err
	}
	doc := newDocument(o)
	measure := func(sizes string, d *domain) error {
		return each(sizes, func(users, days int) error {
			n := network{product: now, domain: d, document: doc, users: users, days: days, rates: lifted}
			if o.beside != "" {
				return n.beside(ctx, former)
			}
			return n.measured(ctx, o.sql)
		})
	}
	if err := measure(o.sizes, &schools); err != nil {
		return err
	}
	if err := measure(o.libraries, &libraryNetworks); err != nil {
		return err
	}
	if o.writes {
		binaries := []product{now}
		if o.beside != "" {
			binaries = []product{former, now}
		}
		if err := doc.writes(ctx, binaries...); err != nil {
			return err
		}
	}
	doc.verdicts()
	return os.WriteFile(o.out, []byte(doc.String()), 0o644)
}

// each calls f for each of the sizes in a list.
func each(sizes string, f func(users, days int) error) error {
	if sizes == "" {
		return nil
	}
	for size := range strings.SplitSeq(sizes, ",") {
		var users, days int
		if _, err := fmt.Sscanf(size, "%dx%d", &users, &days); err != nil {
			return fmt.Errorf("size %s is not USERSxDAYS: %w", size, err)
		}
		if err := f(users, days); err != nil {
			return fmt.Errorf("%s: %w", size, err)
		}
	}
	return nil
}
