package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

// product is the folder of a measured binary and its databases.
type product struct{ dir string }

func (p product) binary() string { return filepath.Join(p.dir, "lectern") }

// build builds the binary of a source tree.
func (p product) build(ctx context.Context, source string) {
	check(os.MkdirAll(p.dir, 0o755))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", p.binary(), "./server/cmd/lectern")
	cmd.Dir, cmd.Stderr = source, os.Stderr
	check(cmd.Run())
}

// buildAt builds the binary of a commit.
func (p product) buildAt(ctx context.Context, commit string) {
	source := filepath.Join(p.dir, "source")
	command(ctx, "git", "clone", "-q", "--no-checkout", root, source)
	command(ctx, "git", "-C", source, "checkout", "-q", commit)
	p.build(ctx, source)
}

// usage is the time and memory that a command took.
type usage struct {
	wall, cpu time.Duration
	memory    int64 // the peak of resident memory, in bytes
}

// command runs a command and returns what it printed.
func command(ctx context.Context, name string, args ...string) ([]byte, usage) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	check(cmd.Start())
	memory := watch(cmd.Process.Pid)
	err := cmd.Wait()
	used := usage{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), memory()}
	if err != nil {
		check(fmt.Errorf("%s %v: %w: %s", filepath.Base(name), args, err, errs.String()))
	}
	return out.Bytes(), used
}

// watch polls the peak of the resident memory of a process until the function that it returns is called. The number that the
// system gives after the end of the process includes the process that started it.
func watch(pid int) func() int64 {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		for peak := int64(0); ; {
			peak = max(peak, resident(pid, "VmHWM:"))
			select {
			case <-time.After(20 * time.Millisecond):
			case <-done:
				most <- peak
				return
			}
		}
	}()
	return func() int64 { close(done); return <-most }
}

// resident returns the resident memory of a process in bytes: the current one for VmRSS:, the peak for VmHWM:.
func resident(pid int, which string) int64 {
	var kib int64
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, rest, ok := strings.Cut(string(data), which); ok {
		fmt.Sscan(rest, &kib)
	}
	return kib << 10
}

// serving is a running server.
type serving struct {
	cmd *exec.Cmd
	url string
	key string
}

// start starts a server of the database and waits until it listens. The first request is the caller's.
func (n *network) start(ctx context.Context) *serving {
	free := httptest.NewServer(nil) // it finds a free port
	addr, rate := free.Listener.Addr().String(), "100000000"
	free.Close()
	if n.beside != "" {
		rate = "0" // an earlier commit may not permit so many
	}
	s := &serving{url: "http://" + addr + n.prefix, key: n.key}
	args := []string{"serve", "--db", n.db, "--addr", addr, "--admin-addr=", "--schools-rate", rate, "--libraries-rate", rate, "--directory-rate", rate, "--log-level", "error"}
	s.cmd = exec.CommandContext(ctx, n.binary(), append(args, n.flags["serve"]...)...)
	s.cmd.Stderr = os.Stderr
	check(s.cmd.Start())
	for range 1000 {
		if conn, err := net.Dial("tcp", addr); err == nil {
			check(conn.Close())
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.stop()
	panic(failure{fmt.Errorf("the server at %s does not answer", addr)})
}

// stop stops the server, if it was started.
func (s *serving) stop() {
	if s == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

// client sends no Accept-Encoding, so that its time to decompress is not counted.
var client = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// call sends a GET, with an entity tag unless that is empty. It returns the time in nanoseconds, the body and its tag.
func (s *serving) call(path, tag string) (took float64, body []byte, etag string) {
	took, body, etag, err := s.try(path, tag)
	check(err)
	return took, body, etag
}

func (s *serving) try(path, tag string) (took float64, body []byte, etag string, err error) {
	req := must(http.NewRequest(http.MethodGet, s.url+path, nil))
	req.Header.Set("X-Api-Key", s.key)
	want := http.StatusOK
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
		want = http.StatusNotModified
	}
	start := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, "", err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	took = float64(time.Since(start))
	if err == nil && res.StatusCode != want {
		err = fmt.Errorf("GET %s: %s %.200s", path, res.Status, body)
	}
	return took, body, res.Header.Get("ETag"), err
}

// requests is how many requests measure the processor time of one. The least of counts measurements is taken: PostgreSQL cleans up too.
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

// spent returns the processor time of a process and its children, including ended ones. It returns 0 if pid is 0.
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

// stat returns the fields of a stat file in /proc, from the process's state on.
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

// postmaster returns the id of the process whose children serve a PostgreSQL database, or 0 for SQLite.
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
