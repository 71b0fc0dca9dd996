// Command bench measures Lectern as its users meet it: the binary loads a generated network and answers over HTTP. It compares
// it with DuckDB on the same files, hand-written SQL in PostgreSQL, and the binaries of earlier commits. It writes the
// measurements and a line for each budget to BENCHMARKS.md. PostgreSQL is measured if LECTERN_TEST_POSTGRES names a server.
//
// Run it before and after a change that could cost time or memory, and before a release, on an otherwise idle machine.
//
//	make bench ARGS="-sizes 10000x365 -beside 854a284"    # all budgets but those of 100,000 users and of the project
//	make bench ARGS="-sizes 10000x365,100000x365 -beside 854a284,c420a35 -parts sql,writes,peak,frozen,project"
//	make bench ARGS="-sizes= -libraries= -parts writes"   # one part
//	make bench ARGS="-sizes 1000x60 -libraries= -parts peak -hold 60 -out FILE"   # an hour at 80 % of the peak
//	make bench ARGS="-sizes 1000000x365 -piece 30 -libraries= -parts= -out FILE"  # with DURABLE=1, so that PostgreSQL is on the disk
package main

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// root is the repository, relative to the folder of this module.
const root = "../../../.."

// options are the command's flags.
type options struct {
	sizes, libraries, out, beside, parts string
	hold, piece                          int
}

// has reports whether to measure a part.
func (o options) has(part string) bool { return slices.Contains(split(o.parts), part) }

// split returns texts that are separated by commas.
func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

func main() {
	var o options
	flag.StringVar(&o.sizes, "sizes", "1000x365", "school networks to measure as USERSxDAYS, separated by commas; empty for none")
	flag.StringVar(&o.libraries, "libraries", "100000x120", "library networks to measure as READERSxDAYS, separated by commas; empty for none")
	flag.StringVar(&o.beside, "beside", "", "earlier commits to measure too, separated by commas; ratios are those to the first")
	flag.StringVar(&o.parts, "parts", "sql,writes,peak,frozen", "what else to measure: sql (with DuckDB), writes, peak, frozen, project (lines, make test)")
	flag.IntVar(&o.hold, "hold", 0, "minutes to hold 80 % of the peak for")
	flag.IntVar(&o.piece, "piece", 0, "days of each piece in which feeds of schools are written and loaded, for feeds that the disk has no room for")
	flag.StringVar(&o.out, "out", root+"/BENCHMARKS.md", "file to write the measurements to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// failure is an error that ends the measurements. It is a panic, which run recovers.
type failure struct{ error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func run(ctx context.Context, o options) (err error) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case failure:
			err = end.error
		default:
			panic(end)
		}
	}()
	dir := must(os.MkdirTemp("", "lectern-bench-"))
	defer os.RemoveAll(dir)
	binaries := build(ctx, dir, split(o.beside))
	if o.has("sql") {
		command(ctx, "npm", "install", "--prefix", tools, "--no-save", "--no-audit", "--no-fund")
	}
	check(os.Setenv("LECTERN_SECRET_KEY", base64.StdEncoding.EncodeToString(make([]byte, 32))))
	doc := newDocument(o)
	for _, of := range []struct {
		domain *domain
		sizes  string
	}{{&schools, o.sizes}, {&libraryNetworks, o.libraries}} {
		for _, size := range must(parseSizes(of.sizes)) {
			var all networks
			for _, b := range binaries {
				all = append(all, &network{product: b, domain: of.domain, document: doc, users: size.users, days: size.days})
			}
			all.measure(ctx)
		}
	}
	if o.has("writes") {
		doc.writes(ctx, binaries)
	}
	if o.has("project") {
		doc.project(ctx)
	}
	return os.WriteFile(o.out, []byte(doc.page()), 0o644)
}

// build builds the binaries of earlier commits, each into a folder of dir, and last that of this source tree.
func build(ctx context.Context, dir string, commits []string) (binaries []product) {
	for _, commit := range commits {
		p := product{filepath.Join(dir, commit)}
		p.buildAt(ctx, commit)
		binaries = append(binaries, p)
	}
	now := product{filepath.Join(dir, "now")}
	now.build(ctx, root)
	return append(binaries, now)
}

// size is the size of a network.
type size struct{ users, days int }

// parseSizes parses sizes that are separated by commas.
func parseSizes(text string) (sizes []size, err error) {
	for _, part := range split(text) {
		var s size
		if _, err := fmt.Sscanf(part, "%dx%d", &s.users, &s.days); err != nil {
			return nil, fmt.Errorf("size %s is not USERSxDAYS: %w", part, err)
		}
		sizes = append(sizes, s)
	}
	return sizes, nil
}
