package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// tools is the folder of third-party programs, which belongs to the clients.
const tools = root + "/server/internal/tools/clients/tools"

// duckdb measures DuckDB. It reads the feed's files into tables, first without and then with a unique key for each.
func (n *network) duckdb(ctx context.Context) {
	for _, ids := range []string{"", "ids"} {
		file := filepath.Join(n.dir, "duck.db")
		removeDatabase(file)
		_, used := command(ctx, "node", tools+"/load.mjs", n.feed(), file, ids)
		what := map[string]string{"": "DuckDB of the same files", "ids": "DuckDB of the same files, with unique ids"}[ids]
		n.row(what, seconds.of(used.wall.Seconds()), none, none, seconds.of(used.cpu.Seconds()), mebibytes.of(float64(used.memory)))
	}
}

// inPostgres runs the domain's SQL file in PostgreSQL, on the rows of the feed. It returns the median time of each question in nanoseconds.
func (n *network) inPostgres(ctx context.Context) map[string]float64 {
	dir := n.feed() + "-csv"
	defer os.RemoveAll(dir)
	p := n.params()
	p.Format = "csv"
	must(n.write(ctx, dir, p))
	url := onServer(ctx, os.Getenv(serverVariable), "lectern_bench_sql")
	script := must(filepath.Abs(n.name + ".sql"))
	out, _ := command(ctx, "sh", "-c", `cd "$1" && psql -qXv ON_ERROR_STOP=1 -f "$2" "$3"`, "sh", dir, script, url)
	return timings(string(out))
}

var timing = regexp.MustCompile(`(?m)^(?:question: (.+)|Time: ([0-9.]+) ms.*)$`)

// timings reads what psql printed: the name of each question, and then its times in milliseconds.
func timings(out string) map[string]float64 {
	times, name := map[string][]float64{}, ""
	for _, m := range timing.FindAllStringSubmatch(out, -1) {
		if m[1] != "" {
			name = m[1]
		} else if ms, err := strconv.ParseFloat(m[2], 64); err == nil {
			times[name] = append(times[name], ms*1e6)
		}
	}
	medians := map[string]float64{}
	for name, list := range times {
		medians[name] = median(list)
	}
	return medians
}

// params returns the parameters of the generated feed.
func (n *network) params() generate.Params {
	return generate.Params{Users: n.users, Days: n.days, First: n.first, Seed: 1, Compress: "zst"}
}

// besideSQL formats a time of SQL and its ratio to the product's time.
func besideSQL(sql float64, product samples) string {
	if sql == 0 || len(product) == 0 {
		return none
	}
	return fmt.Sprintf("%s: %.1f times", milliseconds.of(sql), sql/product.now())
}
