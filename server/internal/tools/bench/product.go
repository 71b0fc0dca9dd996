package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// product is the folder of the binary that is measured, and of feeds and databases.
type product struct{ dir string }

func (p product) binary() string { return filepath.Join(p.dir, "lectern") }

// build builds the binary of a source tree.
func (p product) build(ctx context.Context, source string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", p.binary(), "./server/cmd/lectern")
	cmd.Dir, cmd.Stderr = source, os.Stderr
	return cmd.Run()
}

// buildAt builds the binary of a commit.
func (p product) buildAt(ctx context.Context, commit string) error {
	source := filepath.Join(p.dir, "source")
	for _, args := range [][]string{{"clone", "-q", "--no-checkout", root, source}, {"-C", source, "checkout", "-q", commit}} {
		if out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return p.build(ctx, source)
}

// usage is what a command took.
type usage struct {
	wall, cpu time.Duration
	memory    int64 // most bytes resident
}

// lectern runs a command of the binary and returns what it printed.
func (p product) lectern(ctx context.Context, args ...string) ([]byte, usage, error) {
	return command(ctx, p.binary(), args...)
}

// command runs a command and returns what it printed.
func command(ctx context.Context, name string, args ...string) ([]byte, usage, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, usage{}, err
	}
	memory := watch(cmd.Process.Pid)
	err := cmd.Wait()
	used := usage{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), memory()}
	if err != nil {
		return nil, used, fmt.Errorf("%s %v: %w: %s", filepath.Base(name), args, err, errs.String())
	}
	return out.Bytes(), used, nil
}

// watch looks at the most bytes that a process had resident until the function that it returns is called. What the
// system tells after the end counts the process that started it too.
func watch(pid int) func() int64 {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		var kib int64
		for {
			data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if _, rest, ok := strings.Cut(string(data), "VmHWM:"); ok {
				fmt.Sscan(rest, &kib)
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-done:
				most <- kib << 10
				return
			}
		}
	}()
	return func() int64 { close(done); return <-most }
}

// lifted is a rate that nobody reaches, but that is counted.
const lifted = "100000000"

// serving is a running server.
type serving struct {
	cmd *exec.Cmd
	url string
	key string
}

// start starts the binary with rates that nobody reaches and waits until it listens. It is asked nothing: the first call of the caller is
// the first request of the process.
func (n *network) start(ctx context.Context) (*serving, error) {
	free := httptest.NewServer(nil) // for a port that nobody has
	addr := free.Listener.Addr().String()
	free.Close()
	s := &serving{url: "http://" + addr + n.prefix, key: n.key}
	args := []string{"serve", "--db", n.db, "--addr", addr, "--admin-addr=", "--schools-rate", n.rates, "--libraries-rate", n.rates, "--log-level", "error"}
	s.cmd = exec.CommandContext(ctx, n.binary(), append(args, n.flags["serve"]...)...)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 500 {
		if conn, err := net.Dial("tcp", addr); err == nil {
			return s, conn.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("the server at %s does not answer", addr)
}

func (s *serving) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

// cpu is what the server has taken of a processor.
func (s *serving) cpu() time.Duration { return used(s.cmd.Process.Pid) }

// used is what a process has taken of a processor, in threads that have not ended; none is process 0.
func used(pid int) (took time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, thread := range threads {
		var ran time.Duration
		data, _ := os.ReadFile(thread)
		fmt.Sscan(string(data), &ran) // the first number is of nanoseconds
		took += ran
	}
	return took
}

// client sends no Accept-Encoding: what the client takes to unpack an answer is not the server's.
var client = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// body makes one call and returns its time and the answer.
func (s *serving) body(path string) (time.Duration, []byte, error) {
	took, body, _, err := s.call(path, "")
	return took, body, err
}

// call makes one call, which sends an entity tag back unless that is empty, and returns its time, the answer and its tag.
func (s *serving) call(path, tag string) (took time.Duration, body []byte, etag string, err error) {
	req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		return 0, nil, "", err
	}
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
	took = time.Since(start)
	if err == nil && res.StatusCode != want {
		err = fmt.Errorf("%s %.200s", res.Status, body)
	}
	if err != nil {
		return 0, nil, "", fmt.Errorf("GET %s: %w", path, err)
	}
	return took, body, res.Header.Get("ETag"), nil
}

// had is the time of a call that sends the tag of the answer back.
func (s *serving) had(path string) (time.Duration, error) {
	_, _, tag, err := s.call(path, "")
	if err != nil {
		return 0, err
	}
	took, _, _, err := s.call(path, tag)
	return took, err
}

// repeats is the number of calls of which the median stands.
const repeats = 31

// median returns the median time of calls.
func (s *serving) median(paths []string) (time.Duration, error) {
	var times []time.Duration
	for _, path := range paths {
		d, _, err := s.body(path)
		if err != nil {
			return 0, err
		}
		times = append(times, d)
	}
	return median(times), nil
}

// answer makes one call of a new process and reads the answer.
func (n *network) answer(ctx context.Context, path string, answer any) error {
	s, err := n.start(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	_, body, err := s.body(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, answer)
}
