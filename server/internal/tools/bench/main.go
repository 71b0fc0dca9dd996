// Command bench measures Lectern as its users meet it: the binary loads a generated network and answers over HTTP. The measurements are
// written to BENCHMARKS.md beside those of the same run for DuckDB, which reads the same files, for hand-written SQL in PostgreSQL, or
// for the binary of an earlier commit, with the budgets that are kept. PostgreSQL is measured if LECTERN_TEST_POSTGRES names a server.
//
// Run it before and after a change that could cost time or memory, and before a release.
//
//	make bench                                            # 1,000 users and a year, 100,000 readers and 120 days
//	make bench ARGS="-sizes 1000x365,10000x365 -libraries 1000000x120"
//	make bench ARGS="-sizes= -libraries="                 # directory writes only
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

// root is the repository, seen from the folder of this module.
const root = "../../../.."

// options are the command's flags.
type options struct {
	sizes, libraries, out, beside string
	sql, writes                   bool
}

func main() {
	var o options
	flag.StringVar(&o.sizes, "sizes", "1000x365", "school networks to measure as USERSxDAYS, separated by commas; empty for none")
	flag.StringVar(&o.libraries, "libraries", "100000x120", "library networks to measure as READERSxDAYS, separated by commas; empty for none")
	flag.StringVar(&o.out, "out", root+"/BENCHMARKS.md", "file to write the measurements to")
	flag.BoolVar(&o.sql, "sql", true, "measure DuckDB, and SQL in PostgreSQL, too")
	flag.BoolVar(&o.writes, "writes", true, "measure writes of the directory too")
	flag.StringVar(&o.beside, "beside", "", "an earlier commit: measure its binary and this one in turns, and nothing else")
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
	binaries, err := build(ctx, dir, o.beside)
	if err != nil {
		return err
	}
	if o.sql = o.sql && o.beside == ""; o.sql {
		if _, _, err := command(ctx, "npm", "install", "--prefix", tools, "--no-save", "--no-audit", "--no-fund"); err != nil {
			return err
		}
	}
	doc, rate := newDocument(o), "100000000" // counted, but never reached
	if o.beside != "" {
		rate = "0" // an earlier commit may not permit so many
	}
	for _, of := range []struct {
		domain *domain
		sizes  string
	}{{&schools, o.sizes}, {&libraryNetworks, o.libraries}} {
		err := each(of.sizes, func(users, days int) error {
			var t turns
			for _, b := range binaries {
				t = append(t, &network{product: b, domain: of.domain, document: doc, users: users, days: days, rate: rate})
			}
			return t.measure(ctx, o.sql)
		})
		if err != nil {
			return err
		}
	}
	if o.writes {
		if err := doc.writes(ctx, binaries); err != nil {
			return err
		}
	}
	doc.verdicts()
	return os.WriteFile(o.out, []byte(doc.String()), 0o644)
}

// build builds the binary of this source tree into a folder, and before it that of an earlier commit, if any.
func build(ctx context.Context, dir, beside string) (binaries []product, err error) {
	if beside != "" {
		former := product{filepath.Join(dir, "former")}
		if err := former.buildAt(ctx, beside); err != nil {
			return nil, err
		}
		binaries = append(binaries, former)
	}
	now := product{filepath.Join(dir, "now")}
	return append(binaries, now), now.build(ctx, root)
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
