package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The smallest feeds that have a segment, and a loan.
var (
	segment = map[string]string{
		"entities.ndjson": `{"referenceId":"rede","entityType":"network","name":"Rede","degree":"F"}`,
		"accounts.ndjson": `{"referenceId":"ana","kind":"reader","name":"Ana","entityReferenceId":"rede","active":true}`,
		"books.ndjson":    `{"bookId":1,"title":"Iracema","length":100}`,
		"segments.ndjson": `{"segmentId":"s1","account":"ana","bookId":1,"startedAt":"2026-08-03T12:00:00Z","durationMs":60000,"from":0,"to":50,"wpm":90}`,
	}
	loan = map[string]string{
		"books.ndjson":   `{"bookId":1,"title":"Iracema"}`,
		"readers.ndjson": `{"userId":1,"name":"Ana","registeredAt":"2026-08-01","status":"active","updatedAt":"2026-08-01T12:00:00Z"}`,
		"loans.ndjson":   `{"loanId":1,"userId":1,"bookId":1,"borrowedAt":"2026-08-03T12:00:00Z","status":"active"}`,
	}
)

const august = "startDate=2026-08-01&endDate=2026-08-31"

// lectern is the binary with counters, and the database that it works on.
type lectern struct{ dir string }

// ways prints what one segment, one loan, one page and one summary pass.
func ways(root, dir string) error {
	l := lectern{dir}
	if _, err := run(root, nil, "go", "build", "-cover", "-coverpkg=github.com/lectern-dev/lectern/...", "-o", filepath.Join(dir, "lectern"), "./server/cmd/lectern"); err != nil {
		return err
	}
	for name, files := range map[string]map[string]string{"segment": segment, "loan": loan} {
		if err := writeFeed(filepath.Join(dir, name), files); err != nil {
			return err
		}
	}
	fmt.Println("the way of: functions, files, packages")
	keys, err := l.in()
	if err != nil {
		return err
	}
	return l.out(keys)
}

func writeFeed(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// in loads both feeds, and returns a key for what was loaded of each.
func (l lectern) in() (keys map[string]string, err error) {
	keys = map[string]string{}
	for _, step := range []struct {
		counted string
		args    []string
	}{
		{"", []string{"partner", "create", "p", "--name", "P"}},
		{"one segment in", []string{"load", "schools", "--partner", "p", filepath.Join(l.dir, "segment")}},
		{"schools", []string{"key", "issue", "schools", "--partner", "p", "--network", "rede"}},
		{"", []string{"library", "create", "n", "--name", "N"}},
		{"one loan in", []string{"load", "libraries", "--library", "n", filepath.Join(l.dir, "loan")}},
		{"libraries", []string{"key", "issue", "libraries", "--library", "n"}},
	} {
		out, counters, err := l.command(step.args...)
		switch {
		case err != nil:
		case step.args[0] == "key":
			keys[step.counted] = strings.Split(out, `"`)[3] // {"key":"…"
		case step.counted != "":
			err = l.print(step.counted, counters, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// out asks for a page and for a summary. What a server without requests runs through is not counted.
func (l lectern) out(keys map[string]string) error {
	start, err := l.serve("")
	if err != nil {
		return err
	}
	none, err := l.functions(start)
	if err != nil {
		return err
	}
	for _, call := range []struct{ name, path, key string }{
		{"one page of readings out", "/api-platform/schools/v1/readings?" + august, keys["schools"]},
		{"one summary out", "/api-platform/libraries/v1/summary?" + august, keys["libraries"]},
	} {
		counters, err := l.serve(call.path, "X-Api-Key", call.key)
		if err != nil {
			return err
		}
		if err := l.print(call.name, counters, none); err != nil {
			return err
		}
	}
	return nil
}

// env is the environment of the binary: its counters go to a folder of their own.
func (l lectern) env() (env []string, counters string, err error) {
	counters, err = os.MkdirTemp(l.dir, "counters")
	return []string{"GOCOVERDIR=" + counters, "LECTERN_DB=sqlite:" + filepath.Join(l.dir, "lectern.db")}, counters, err
}

// command runs a command of the binary.
func (l lectern) command(args ...string) (out, counters string, err error) {
	env, counters, err := l.env()
	if err != nil {
		return "", "", err
	}
	out, err = run(l.dir, env, filepath.Join(l.dir, "lectern"), args...)
	return out, counters, err
}

// serve runs the server for one request, or for none.
func (l lectern) serve(path string, header ...string) (counters string, err error) {
	env, counters, err := l.env()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(filepath.Join(l.dir, "lectern"), "serve", "--addr", address, "--admin-addr", admin)
	cmd.Dir, cmd.Env = l.dir, append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		return "", err
	}
	err = get("http://"+admin+"/readyz", nil)
	if err == nil && path != "" {
		err = get("http://"+address+path, header)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	return counters, err
}

const (
	address = "127.0.0.1:18080"
	admin   = "127.0.0.1:18081"
)

// get makes a request, again while nobody listens.
func get(url string, header []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if len(header) > 0 {
		req.Header.Set(header[0], header[1])
	}
	for {
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != http.StatusOK {
				return fmt.Errorf("%s: %s: %s", url, res.Status, body)
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// functions returns the functions that ran, each with its file in front.
func (l lectern) functions(counters string) (map[string]bool, error) {
	out, err := run(l.dir, nil, "go", "tool", "covdata", "func", "-i="+counters)
	if err != nil {
		return nil, err
	}
	ran := map[string]bool{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) == 3 && strings.Contains(f[0], ".go:") && f[2] != "0.0%" {
			ran[f[0]+" "+f[1]] = true
		}
	}
	return ran, nil
}

// print prints a way: what ran, but for what runs anyway.
func (l lectern) print(name, counters string, anyway map[string]bool) error {
	ran, err := l.functions(counters)
	if err != nil {
		return err
	}
	functions, files, packages := 0, map[string]bool{}, map[string]bool{}
	for f := range ran {
		if !anyway[f] {
			file, _, _ := strings.Cut(f, ":")
			functions++
			files[file], packages[filepath.Dir(file)] = true, true
		}
	}
	fmt.Printf("  %-26s %4d %4d %4d\n", name, functions, len(files), len(packages))
	return nil
}
