package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// requests are those of which the mean cost of one is told, the least of so many counts.
const requests, counts = 3000, 3

// costs tells what a warm request takes of a processor, in the server and in the database, beside a handler that sends the same bytes
// and, of PostgreSQL, beside the look-up of a key and the count of a request alone, prepared and sent by pgbench: as fast as it can, and as
// often a second as the requests came, since a process that has waited takes more for the same.
func (n *network) costs(ctx context.Context, q question) error {
	s, err := n.start(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	_, body, err := s.body(q.path(0))
	if err != nil {
		return err
	}
	ready, err := serveBody(ctx, n.dir, body)
	if err != nil {
		return err
	}
	defer ready.stop()
	postmaster, err := postmaster(ctx, n.db)
	if err != nil {
		return err
	}
	ask := func(s *serving, path string) func() error {
		return func() error {
			for range requests {
				if _, _, err := s.body(path); err != nil {
					return err
				}
			}
			return nil
		}
	}
	start := time.Now()
	server, base, err := spent(postmaster, s.cmd.Process.Pid, ask(s, q.path(0)))
	if err != nil {
		return err
	}
	pace := int(counts * requests / time.Since(start).Seconds())
	made, _, err := spent(0, ready.cmd.Process.Pid, ask(ready, "/"))
	if err != nil {
		return err
	}
	n.heading("a warm request, of a processor", "server", "database")
	n.row(q.name, fmt.Sprintf("%s: %.1f times ready-made", ms(server), float64(server)/float64(made)), orNone(base))
	n.row("ready-made", ms(made), none)
	if postmaster == 0 {
		return nil
	}
	n.reached(warmDatabase, float64(base), q.name)
	for i, what := range []string{"as fast as it can", "as often a second"} {
		rate := []string{"-R", strconv.Itoa(pace)}
		_, least, err := spent(postmaster, 0, func() error { return n.pgbench(ctx, rate[:2*i]...) })
		if err != nil {
			return err
		}
		n.row("look-up and upsert by pgbench, "+what, none, fmt.Sprintf("%s: the request takes %.1f times it", ms(least), float64(base)/float64(least)))
	}
	return nil
}

func orNone(d time.Duration) string {
	if d == 0 {
		return none
	}
	return ms(d)
}

// pgbench looks a key up and counts a request as one would by hand, as often as a request is measured.
func (n *network) pgbench(ctx context.Context, flags ...string) error {
	tenant, rest, _ := strings.Cut(n.key, "-")
	number, _, _ := strings.Cut(rest, "-")
	script := filepath.Join(n.dir, "pgbench.sql")
	text := fmt.Sprintf(`\set tenant %s
\set number %s
SELECT k.*, v.* FROM keys k JOIN versions v ON v.tenant_id = k.tenant_id WHERE k.tenant_id = :tenant AND k.number = :number;
INSERT INTO rates AS r (tenant_id, budget, taken, count) VALUES (:tenant, 'pgbench', floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, 1)
    ON CONFLICT (tenant_id, budget) DO UPDATE SET taken = excluded.taken, count = r.count + 1 RETURNING taken, count;
`, tenant, number)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		return err
	}
	flags = append([]string{"-n", "-M", "prepared", "-t", strconv.Itoa(requests), "-f", script}, flags...)
	out, err := exec.CommandContext(ctx, "pgbench", append(flags, n.db)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pgbench: %w: %s", err, out)
	}
	return nil
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

// bodyVariable names the file whose bytes this program serves, instead of measuring.
const bodyVariable = "BENCH_BODY"

// serveBody starts a process that does nothing but send a body: as far from who asks as the product is.
func serveBody(ctx context.Context, dir string, body []byte) (*serving, error) {
	file := filepath.Join(dir, "body")
	if err := os.WriteFile(file, body, 0o644); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &serving{cmd: exec.CommandContext(ctx, self)}
	s.cmd.Env, s.cmd.Stderr = append(os.Environ(), bodyVariable+"="+file), os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	s.url, err = bufio.NewReader(out).ReadString('\n')
	s.url = strings.TrimSpace(s.url)
	return s, err
}

// sendBody serves a file's bytes, and says where, until the process is ended.
func sendBody(ctx context.Context, file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	fmt.Println(srv.URL)
	<-ctx.Done()
	return nil
}
