package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server"
)

// whileServing starts a command that serves, and calls f with its output up to the first line that contains until. Then
// it interrupts the command, which must exit with 0. The admin address gets a free port unless args set another, since
// the default port may be in use.
func whileServing(t *testing.T, args []string, until string, f func(lines string)) {
	t.Helper()
	if slices.Contains(args, "serve") {
		t.Setenv("LECTERN_ADMIN_ADDR", "127.0.0.1:0")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, args, w, w)
		w.Close()
	}()
	var lines bytes.Buffer
	scan := bufio.NewScanner(r)
	found := false
	for !found && scan.Scan() {
		lines.WriteString(scan.Text() + "\n")
		found = strings.Contains(scan.Text(), until)
	}
	go io.Copy(io.Discard, r) // discards the rest of the log
	if !found {
		t.Fatalf("lectern %q = %d, wrote %s", args, <-code, &lines)
	}
	f(lines.String())
	cancel()
	if got := <-code; got != exitOK {
		t.Errorf("lectern %q, interrupted = %d, want 0", args, got)
	}
}

// fetch returns the status and body of a GET with a key.
func fetch(t *testing.T, url, key string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestServe(t *testing.T) {
	loaded(t)
	key, _ := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	args := []string{"serve", "--addr", "127.0.0.1:0", "--schools-history", "2026-01-02", "--schools-rate", "3"}
	whileServing(t, args, `"message":"serving"`, func(lines string) {
		base := servedAt(t, lines) + "/api-platform/schools/v1"
		if status, body := fetch(t, base+"/users", key); status != 200 || !strings.Contains(body, `"profile":"student"`) {
			t.Errorf("GET /users = %d %s, want students", status, body)
		}
		if _, body := fetch(t, base+"/readings?startDate=2026-01-01", key); !strings.Contains(body, `"startDate":"2026-01-02"`) {
			t.Errorf("GET /readings = %.200s, want the history of --schools-history", body)
		}
		fetch(t, base+"/users", key)
		if status, _ := fetch(t, base+"/users", key); status != 429 {
			t.Errorf("the fourth request of a minute = %d, want 429", status)
		}
	})
	for _, k := range listed(t) {
		if k.LastUsed == nil {
			t.Errorf("key %s has no last use after it was used", k.ID)
		}
	}
}

// servingLine is in the line that a server logs when it listens.
const servingLine = `"message":"serving"`

// servedAt returns the base URL of a server from its log.
func servedAt(t *testing.T, lines string) string {
	t.Helper()
	addr := regexp.MustCompile(`"addr":"([^"]+)"`).FindStringSubmatch(lines)
	if addr == nil {
		t.Fatalf("serve wrote %s, want its address", lines)
	}
	return "http://" + addr[1]
}

var adminAddr = regexp.MustCompile(`"adminAddr":"([^"]+)"`)

func TestServeAdmin(t *testing.T) {
	t.Chdir(t.TempDir())
	whileServing(t, []string{"serve", "--addr", "127.0.0.1:0"}, servingLine, func(lines string) {
		addr := adminAddr.FindStringSubmatch(lines)
		if addr == nil {
			t.Fatalf("serve wrote %s, want its admin address", lines)
		}
		for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
			if status, body := fetch(t, "http://"+addr[1]+path, ""); status != 200 {
				t.Errorf("GET %s = %d %s, want 200", path, status, body)
			}
		}
	})
	whileServing(t, []string{"serve", "--addr", "127.0.0.1:0", "--admin-addr="}, servingLine, func(lines string) {
		if adminAddr.MatchString(lines) {
			t.Errorf("serve without an admin address wrote %s", lines)
		}
	})
	if help := ok(t, "serve", "--help"); !strings.Contains(help, "(default "+server.DefaultAdminAddr+")") {
		t.Errorf("help of serve = %s, want the default admin address %s", help, server.DefaultAdminAddr)
	}
}

func TestDemoAdmin(t *testing.T) {
	t.Chdir(t.TempDir())
	whileServing(t, []string{"demo", "--addr", "127.0.0.1:0"}, servingLine, func(lines string) {
		if adminAddr.MatchString(lines) {
			t.Errorf("demo wrote %s, want no admin address unless it is given", lines)
		}
	})
	whileServing(t, []string{"demo", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}, servingLine, func(lines string) {
		if !adminAddr.MatchString(lines) {
			t.Errorf("demo wrote %s, want the admin address that is given", lines)
		}
	})
}

func TestAdminAddressInUse(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	line := fails(t, exitError, "serve", "--addr", "127.0.0.1:0", "--admin-addr", taken.Addr().String())
	if !strings.Contains(line, "in use") || !strings.Contains(line, "--admin-addr") {
		t.Errorf("serve with a taken admin address says %q, want it to name the flag", line)
	}
}

// TestSecondServer tests that a second server on a SQLite file is refused with an error that names the process of the
// first. Other commands run beside the first. A killed server does not keep the next one from serving.
func TestSecondServer(t *testing.T) {
	loaded(t)
	first := child(t, "serve", "--addr", "127.0.0.1:0", "--admin-addr", "")
	stderr, err := first.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	served := false
	for scan := bufio.NewScanner(stderr); !served && scan.Scan(); {
		served = strings.Contains(scan.Text(), `"message":"serving"`)
	}
	if !served {
		t.Fatalf("the first server does not serve: %v", first.Wait())
	}
	url := "sqlite:lectern.db"
	key, _ := apiKey(t, ok(t, "key", "issue", "schools", "--partner", "ana", "--network", "rede-1"))
	for _, command := range []string{"serve", "demo"} {
		var out, said bytes.Buffer
		code := run(t.Context(), []string{"--db", url, command, "--addr", "127.0.0.1:0", "--admin-addr", ""}, &out, &said)
		if want := fmt.Sprintf("served already, by process %d", first.Process.Pid); code != exitError || !strings.Contains(said.String(), want) || out.Len() > 0 {
			t.Errorf("%s while a server runs = %d %s, wrote %s, want 1 and %q", command, code, &said, &out, want)
		}
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	whileServing(t, []string{"serve", "--addr", "127.0.0.1:0"}, `"message":"serving"`, func(lines string) {
		addr := regexp.MustCompile(`"addr":"([^"]+)"`).FindStringSubmatch(lines)
		if status, body := fetch(t, "http://"+addr[1]+"/api-platform/schools/v1/users", key); status != 200 {
			t.Errorf("GET /users after the first was killed = %d %s, want 200", status, body)
		}
	})
}
