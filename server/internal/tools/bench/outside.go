package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// tools is the folder of programs of others, which is that of the clients.
const tools = root + "/server/internal/tools/clients/tools"

// duckdb measures DuckDB, which reads the files of the feed into tables, without and with a unique key for each.
func (n *network) duckdb(ctx context.Context) error {
	for _, ids := range []string{"", "ids"} {
		file := filepath.Join(n.dir, "duck.db")
		if err := removeDatabase(file); err != nil {
			return err
		}
		_, used, err := command(ctx, "node", tools+"/load.mjs", n.feed(), file, ids)
		if err != nil {
			return err
		}
		what := "DuckDB of the same files"
		if ids != "" {
			what += ", with unique ids"
		}
		n.row(what, seconds(used.wall.Seconds()), none, none, seconds(used.cpu.Seconds()), mib(float64(used.memory)))
	}
	return nil
}

// inPostgres measures the questions of a file of SQL in PostgreSQL, on the rows of the feed. Of each it returns the median in
// nanoseconds.
func (n *network) inPostgres(ctx context.Context) (map[string]float64, error) {
	dir := n.feed() + "-csv"
	defer os.RemoveAll(dir)
	p := n.params()
	p.Format = "csv"
	if _, err := n.write(ctx, dir, p); err != nil {
		return nil, err
	}
	url, err := onServer(ctx, os.Getenv(serverVariable), "lectern_bench_sql")
	if err != nil {
		return nil, err
	}
	script, err := filepath.Abs(n.name + ".sql")
	if err != nil {
		return nil, err
	}
	out, _, err := command(ctx, "sh", "-c", `cd "$1" && psql -qXv ON_ERROR_STOP=1 -f "$2" "$3"`, "sh", dir, script, url)
	return timings(string(out)), err
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

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// params are those of the generated feed.
func (n *network) params() generate.Params {
	return generate.Params{Users: n.users, Days: n.days, First: n.first, Seed: 1, Compress: "zst"}
}

// besideSQL writes a time of SQL beside one of the product.
func besideSQL(sql, product float64) string {
	if sql == 0 || product == 0 {
		return none
	}
	return fmt.Sprintf("%s: %.1f times", ms(sql), sql/product)
}
