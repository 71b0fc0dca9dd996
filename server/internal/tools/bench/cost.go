package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// requests are sent to measure the processor time of one, counts times: the least counts, since PostgreSQL cleans up too.
const requests, counts = 3000, 3

// cost measures the processor time of a warm request in the server and in PostgreSQL.
func (n *network) cost(ctx context.Context, q question) {
	s := n.start(ctx)
	defer s.stop()
	master := postmaster(ctx, n.db)
	server, base := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range counts {
		inServer, inBase := spent(s.cmd.Process.Pid), spent(master)
		for range requests {
			s.call(q.path(0), "")
		}
		server, base = min(server, spent(s.cmd.Process.Pid)-inServer), min(base, spent(master)-inBase)
	}
	beside := ""
	if master != 0 {
		beside = fmt.Sprintf(", PostgreSQL %s", milliseconds.with(float64(base/requests)))
		n.reached(warmDatabase, float64(base/requests), q.name)
	}
	n.line(fmt.Sprintf("\nProcessor time of a warm request (%s): server %s%s.", q.name, milliseconds.with(float64(server/requests)), beside))
}

// spent is the processor time of a process and its children, those that have ended too; none if pid is 0.
func spent(pid int) (sum time.Duration) {
	if pid == 0 {
		return 0
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		if s := stat(file); len(s) > 14 && s[1] == strconv.Itoa(pid) {
			sum += ticks(s[11:13])
		}
	}
	return sum + ticks(stat(fmt.Sprintf("/proc/%d/stat", pid))[11:15])
}

// stat returns the fields of a file stat in /proc, from the state on.
func stat(file string) []string {
	text, _ := os.ReadFile(file)
	_, rest, _ := bytes.Cut(text, []byte(") "))
	return strings.Fields(string(rest))
}

// ticks sums hundredths of a second.
func ticks(fields []string) (sum time.Duration) {
	for _, f := range fields {
		n, _ := strconv.Atoi(f)
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}

// postmaster returns the process whose children serve a database of PostgreSQL, or 0 for SQLite.
func postmaster(ctx context.Context, db string) int {
	if strings.HasPrefix(db, "sqlite:") {
		return 0
	}
	d := must(database.Open(ctx, db))
	defer d.Close()
	var backend int
	check(d.NewRaw("SELECT pg_backend_pid()").Scan(ctx, &backend))
	return must(strconv.Atoi(stat(fmt.Sprintf("/proc/%d/stat", backend))[1]))
}
