package main

import (
	"bufio"
	"bytes"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// remove runs a removal that must succeed.
func remove(t *testing.T, args ...string) {
	t.Helper()
	if code, out, errs := lectern(t, append(args, "--yes")...); code != exitOK || !strings.HasPrefix(out, "removed ") {
		t.Fatalf("lectern %q = %d %s%s, want removed", args, code, out, errs)
	}
}

func TestRemoveRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	before := ok(t, "status")
	for line, want := range map[string]string{
		"partner remove ana":       "add --yes", // the tests have no terminal
		"partner remove bob --yes": `there is no partner "bob"`,
		"library remove ana --yes": `there is no library "ana"`,
	} {
		if got := fails(t, exitError, strings.Fields(line)...); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", line, got, want)
		}
	}
	if after := ok(t, "status"); after != before {
		t.Errorf("status = %s\nwant no change from %s", after, before)
	}
}

func TestConfirm(t *testing.T) {
	for typed, want := range map[string]bool{"ana\n": true, "ana\r\n": true, "ana": true, "Ana\n": false, "an": false, "": false, "y\n": false, " ana\n": false} {
		var asked bytes.Buffer
		err := confirm(strings.NewReader(typed), &asked, snapshotdb.Tenant{Kind: snapshotdb.Partner, Reference: "ana", Name: "Ana & Cia"})
		if (err == nil) != want || !strings.Contains(asked.String(), "Ana & Cia") {
			t.Errorf("confirm with the input %q and the prompt %q = %v, want success: %t", typed, &asked, err, want)
		}
	}
}

// TestRemoveWhileServing tests that a running server refuses a removed tenant's keys at once and serves the others.
func TestRemoveWhileServing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Chdir(t.TempDir())
		t.Setenv("LECTERN_DB", db.URL)
		generated(t, "schools", "feed", generate.Params{Users: 10, Days: 2})
		keys := map[string]string{}
		for _, ref := range []string{"ana", "bob"} {
			ok(t, "partner", "create", ref, "--name", ref)
			ok(t, "load", "schools", "--partner", ref, "feed")
			keys[ref], _ = apiKey(t, ok(t, "key", "issue", "schools", "--partner", ref, "--network", "rede-1"))
		}
		whileServing(t, []string{"serve", "--addr", "127.0.0.1:0"}, servingLine, func(lines string) {
			users := func(ref string) (int, string) {
				return fetch(t, servedAt(t, lines)+"/api-platform/schools/v1/users", keys[ref])
			}
			_, before := users("bob")
			for range 2 { // the second request is counted together with the check of its key
				if status, body := users("ana"); status != http.StatusOK {
					t.Fatalf("users before the removal = %d %s, want 200", status, body)
				}
			}
			remove(t, "partner", "remove", "ana")
			for range 2 {
				if status, body := users("ana"); status != http.StatusUnauthorized {
					t.Errorf("users after the removal = %d %s, want 401", status, body)
				}
			}
			if status, body := users("bob"); status != http.StatusOK || body != before {
				t.Errorf("users of the other partner = %d %s, want 200 and no change from %s", status, body, before)
			}
		})
		if db.Engine == database.Postgres {
			var rates int
			if err := db.NewRaw(`SELECT count(*) FROM rates WHERE tenant_id = 1`).Scan(t.Context(), &rates); err != nil || rates > 0 {
				t.Errorf("%d counts of requests are left, %v, want none", rates, err)
			}
		}
		if out := ok(t, "partner", "create", "ana", "--name", "Ana"); out != `{"tenant":3,"referenceId":"ana","name":"Ana"}`+"\n" {
			t.Errorf("partner create after the removal = %s", out)
		}
		if out := ok(t, "status", "--partner", "ana", "--json"); !strings.Contains(out, `"lastLoad":null`) || !strings.Contains(out, `"accounts":0,"books":0`) {
			t.Errorf("status of a partner that was created again = %s, want no data", out)
		}
	})
}

// TestKilledRemove kills removals with SIGKILL. A partner that is half removed cannot be used, is reported as such, and
// is removed by another run. The other partner does not change.
func TestKilledRemove(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		t.Chdir(t.TempDir())
		t.Setenv("LECTERN_DB", db.URL)
		generated(t, "schools", "feed", generate.Params{Users: 10, Days: 2})
		for _, ref := range []string{"ana", "bob"} {
			ok(t, "partner", "create", ref, "--name", ref)
			ok(t, "load", "schools", "--partner", ref, "feed")
		}
		_, err := db.ExecContext(t.Context(), `
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			INSERT INTO reference_owners (tenant_id, reference_id, since, user_id) SELECT t.tenant_id, 'many', n.i, 1 FROM n, tenants t`)
		if err != nil {
			t.Fatal(err)
		}
		before, r, killed := ok(t, "status", "--partner", "bob", "--json"), rand.New(rand.NewPCG(1, 2)), 1
		for i := range 4 {
			if i > 0 {
				if killRemoval(t, time.Duration(r.Int64N(int64(20*time.Millisecond)))) {
					killed++
				}
				continue
			}
			killHalfRemoved(t)
			if out := ok(t, "status"); !strings.Contains(out, "half removed: run lectern partner remove ana again") {
				t.Errorf("status = %s, want it half removed", out)
			}
			for _, line := range []string{"load schools --partner ana feed", "key issue schools --partner ana --network rede-1", "degrees --partner ana " + degreesFile(t)} {
				if says := fails(t, exitError, strings.Fields(line)...); !strings.Contains(says, "half removed") {
					t.Errorf("%s says %s, want that it is half removed", line, says)
				}
			}
			if _, out, _ := lectern(t, "check", "--deep"); !strings.Contains(out, "WRONG: partner ana: it is half removed; run lectern partner remove ana again") {
				t.Errorf("check --deep = %s, want it half removed", out)
			}
		}
		if status, _, _ := lectern(t, "status", "--partner", "ana"); status == exitOK {
			remove(t, "partner", "remove", "ana")
		}
		fails(t, exitError, "status", "--partner", "ana")
		var left, others int
		err = db.NewRaw(`SELECT (SELECT count(*) FROM reference_owners WHERE tenant_id = 1), (SELECT count(*) FROM reference_owners WHERE tenant_id = 2)`).
			Scan(t.Context(), &left, &others)
		if after := ok(t, "status", "--partner", "bob", "--json"); err != nil || left != 0 || others != 20000 || after != before {
			t.Errorf("after %d kills %d rows are left, %d of the other partner, %v; its status = %s, want %s", killed, left, others, err, after, before)
		}
	})
}

// degreesFile writes a vocabulary to a file and returns its name.
func degreesFile(t *testing.T) string {
	t.Helper()
	if err := os.WriteFile("degrees.csv", []byte("code,stage,grade\na,MEDIO,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "degrees.csv"
}

// killHalfRemoved kills a removal of ana as soon as status reports it as half done. The removal cannot finish before
// that, because its output blocks on a full pipe.
func killHalfRemoved(t *testing.T) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := in.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil { // the write ends when the pipe is full
		t.Fatal(err)
	}
	if _, err := in.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("fill a pipe = %v", err)
	}
	cmd := child(t, "partner", "remove", "ana", "--yes")
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	for !strings.Contains(ok(t, "status"), "half removed") && t.Context().Err() == nil {
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// killRemoval removes ana in another process, and kills that some time after its first line, when the keys have ended.
// It reports whether the kill came before the end.
func killRemoval(t *testing.T, after time.Duration) bool {
	t.Helper()
	cmd := child(t, "partner", "remove", "ana", "--yes")
	says, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(says).ReadString('\n')
	moment := time.AfterFunc(after, func() { cmd.Process.Signal(syscall.SIGKILL) })
	defer moment.Stop()
	cmd.Wait()
	status, is := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return is && status.Signaled()
}
