package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// whileServing starts a command that serves and calls f with its first lines of output, up to the one that `until` finds;
// then it interrupts the command, which must end with 0.
func whileServing(t *testing.T, args []string, until string, f func(lines string)) {
	t.Helper()
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
	go io.Copy(io.Discard, r) // what it logs from now on
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
		addr := regexp.MustCompile(`"addr":"([^"]+)"`).FindStringSubmatch(lines)
		base := "http://" + addr[1] + "/api-platform/schools/v1"
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

var curl = regexp.MustCompile(`curl -H 'X-Api-Key: ([^']+)' '([^']+)'`)

func TestDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	var keys []string
	for range 2 {
		whileServing(t, []string{"demo", "--addr", "127.0.0.1:0", "--schools-rate", "0"}, "Ctrl-C", func(lines string) {
			calls := curl.FindAllStringSubmatch(lines, -1)
			if len(calls) != 3 {
				t.Fatalf("demo printed %s, want three calls", lines)
			}
			for _, c := range calls {
				keys = append(keys, c[1])
				if status, body := fetch(t, c[2], c[1]); status != 200 || strings.Contains(body, `"rows":[]`) {
					t.Errorf("GET %s = %d %s, want rows", c[2], status, body)
				}
			}
			if status, _ := fetch(t, calls[0][2], keys[0]); (status == 200) != (keys[0] == calls[0][1]) {
				t.Errorf("the key of the first start = %d at the second, want it revoked", status)
			}
		})
	}
	if keys[0] == keys[3] {
		t.Error("the second start shows the first one's key")
	}
}
