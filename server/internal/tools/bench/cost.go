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

// requests are those of which the mean cost of one is told, the least of so many counts.
const requests, counts = 3000, 3

// costs tells what a warm request takes of a processor, in the server and in the database.
func (n *network) costs(ctx context.Context, q question) error {
	s, err := n.start(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	postmaster, err := postmaster(ctx, n.db)
	if err != nil {
		return err
	}
	server, base, err := spent(postmaster, s.cmd.Process.Pid, func() error {
		for range requests {
			if _, _, err := s.body(q.path(0)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	n.heading("a warm request, of a processor", "server", "database")
	n.row(q.name, ms(server), orNone(base))
	if postmaster != 0 {
		n.reached(warmDatabase, float64(base), q.name)
	}
	return nil
}

func orNone(d time.Duration) string {
	if d == 0 {
		return none
	}
	return ms(d)
}

// spent is what one of the requests that f makes takes of a processor, in a server and in the processes of PostgreSQL: the least of
// three times, since those processes clean up too.
func spent(postmaster, server int, f func() error) (of, base time.Duration, err error) {
	of, base = math.MaxInt64, math.MaxInt64
	for range counts {
		before, under := used(server), family(postmaster)
		if err := f(); err != nil {
			return 0, 0, err
		}
		of, base = min(of, used(server)-before), min(base, family(postmaster)-under)
	}
	return of / requests, base / requests, nil
}

// family is what a process and its children, those that have ended too, have taken of a processor.
func family(pid int) (sum time.Duration) {
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

// stat is what Linux tells of a process, from its state on.
func stat(file string) []string {
	text, _ := os.ReadFile(file)
	_, rest, ok := bytes.Cut(text, []byte(") "))
	if !ok {
		return nil
	}
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

// postmaster is the process whose children serve a database of PostgreSQL, or 0 for another one's.
func postmaster(ctx context.Context, db string) (pid int, err error) {
	if strings.HasPrefix(db, "sqlite:") {
		return 0, nil
	}
	d, err := database.Open(ctx, db)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	var backend int
	if err := d.NewRaw("SELECT pg_backend_pid()").Scan(ctx, &backend); err != nil {
		return 0, err
	}
	return strconv.Atoi(stat(fmt.Sprintf("/proc/%d/stat", backend))[1])
}
