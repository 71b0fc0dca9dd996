// Command bench measures Lectern as its users meet it: the binary loads a generated network and answers over HTTP. Every
// figure stands beside a baseline of the same run: a plain COPY of the same rows, and hand-written SQL on the raw
// segments. It prints a table for each engine and size, and writes them to a file with the machine and the date.
//
//	make bench                                    # 1,000 users, a year
//	make bench ARGS="-sizes 1000x365,10000x365"
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

// options are the command's flags.
type options struct {
	sizes    string
	engines  string
	out      string
	dir      string
	baseline bool
}

func main() {
	var o options
	flag.StringVar(&o.sizes, "sizes", "1000x365", "networks to measure as USERSxDAYS, separated by commas")
	flag.StringVar(&o.engines, "engines", "sqlite,postgres", "engines to measure; postgres needs LECTERN_TEST_POSTGRES")
	flag.StringVar(&o.out, "out", "BENCHMARKS.md", "file to write the tables to")
	flag.StringVar(&o.dir, "dir", "", "folder for feeds and databases, kept; empty is a temporary one")
	flag.BoolVar(&o.baseline, "sql", true, "measure SQL on the raw segments too (PostgreSQL)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	dir := o.dir
	if dir == "" {
		temp, err := os.MkdirTemp("", "lectern-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		dir = temp
	}
	binary, err := build(ctx, dir)
	if err != nil {
		return err
	}
	doc := newDocument(o)
	for _, size := range strings.Split(o.sizes, ",") {
		n := network{binary: binary, dir: dir}
		if _, err := fmt.Sscanf(size, "%dx%d", &n.users, &n.days); err != nil {
			return fmt.Errorf("-sizes %s: %w", size, err)
		}
		if err := n.generate(ctx); err != nil {
			return err
		}
		for _, engine := range strings.Split(o.engines, ",") {
			if err := n.measure(ctx, engine, o.baseline, doc); err != nil {
				return fmt.Errorf("%s, %d users: %w", engine, n.users, err)
			}
		}
	}
	return os.WriteFile(o.out, []byte(doc.String()), 0o644)
}
