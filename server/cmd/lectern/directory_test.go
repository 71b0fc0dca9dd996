package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// issued returns the key from the output of a command that issues a directory key.
func issued(t *testing.T, out string) issuedKey {
	t.Helper()
	if !regexp.MustCompile(`^\{"accessKeyId":"\d+-\d+","secret":"[A-Za-z0-9_-]{43}"\}\n$`).MatchString(out) {
		t.Fatalf(`key issued as %q, want {"accessKeyId":"…","secret":"…"} on a line`, out)
	}
	var k issuedKey
	if err := json.Unmarshal([]byte(out), &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// shellWords splits a line into words as the shell does, by running it.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// curlCall makes the call of a curl command line with -H, -X, --data-binary @FILE and a URL.
func curlCall(t *testing.T, words []string) (int, string) {
	t.Helper()
	method, url, body, h := "GET", "", "", http.Header{}
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-H":
			i++
			name, value, _ := strings.Cut(words[i], ": ")
			h.Set(name, value)
		case "-X":
			i++
			method = words[i]
		case "--data-binary":
			i++
			b, err := os.ReadFile(strings.TrimPrefix(words[i], "@"))
			if err != nil {
				t.Fatal(err)
			}
			body = string(b)
		default:
			url = words[i]
		}
	}
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = h
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

func TestDirectoryKeyAndSign(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	if _, err := os.Stat("lectern.db.key"); err == nil {
		t.Error("the key file exists before the first directory key")
	}
	k := issued(t, ok(t, "key", "issue", "directory", "--partner", "ana"))
	if info, err := os.Stat("lectern.db.key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key file = %v, %v, want mode 0600", info, err)
	}
	if l := listed(t)[k.AccessKeyID]; l.API != "directory" || l.Tenant != "ana" || l.State != "live" {
		t.Errorf("key list shows %+v, want a live directory key of ana", l)
	}
	network := `{"name":"Rede","entity_type":"network","degree":"F","reference_id":"rede/1 é","parent_reference_id":"ana"}`
	if err := os.WriteFile("o'body.json", []byte(network), 0o600); err != nil {
		t.Fatal(err)
	}
	whileServing(t, []string{"serve", "--addr", "127.0.0.1:0", "--debug-signatures"}, `"message":"serving"`, func(lines string) {
		base := servedAt(t, lines) + "/api/v2/partners"
		// signed makes a call with the output of lectern sign, as a user pastes it between curl and the URL.
		signed := func(k issuedKey, method, url string, file ...string) (int, string) {
			t.Helper()
			args := append([]string{"sign", method, url}, file...)
			line := ok(t, append(args, "--key-id", k.AccessKeyID, "--secret", k.Secret)...)
			if strings.Count(line, "\n") != 1 {
				t.Errorf("sign printed %q, want one line", line)
			}
			words := append(shellWords(t, strings.TrimSpace(line)), "-X", method, url)
			for _, f := range file {
				words = append(words, "--data-binary", "@"+f)
			}
			return curlCall(t, words)
		}
		if status, body := signed(k, "POST", base+"/entities", "o'body.json"); status != 201 {
			t.Errorf("create = %d %s, want 201", status, body)
		}
		one := base + "/entities/rede%2F1%20%C3%A9"
		if status, body := signed(k, "GET", one+"?x=1#top"); status != 200 || !strings.Contains(body, `"reference_id":"rede/1 é"`) {
			t.Errorf("show = %d %s, want 200", status, body)
		}
		if status, body := signed(issuedKey{AccessKeyID: k.AccessKeyID, Secret: "wrong"}, "GET", one); status != 401 || !strings.Contains(body, `"canonical":"GET,,,/api/v2/partners/entities/rede%2F1%20%C3%A9,`) {
			t.Errorf("a wrong secret, with --debug-signatures = %d %s, want 401 and the canonical string", status, body)
		}
		next := issued(t, ok(t, "key", "rotate", k.AccessKeyID, "--grace", "1h"))
		for _, key := range []issuedKey{k, next} {
			if status, _ := signed(key, "GET", one); status != 200 {
				t.Errorf("key %s after the rotation = %d, want 200 for both", key.AccessKeyID, status)
			}
		}
		if out, err := child(t, "key", "revoke", k.AccessKeyID).CombinedOutput(); err != nil { // in another process
			t.Fatalf("revoke: %v: %s", err, out)
		}
		if status, _ := signed(k, "GET", one); status != 401 {
			t.Errorf("the revoked key = %d, want 401", status)
		}
		if status, body := signed(next, "DELETE", one); status != 204 || body != "" {
			t.Errorf("delete = %d %s, want 204", status, body)
		}
	})

	if err := os.Remove("lectern.db.key"); err != nil {
		t.Fatal(err)
	}
	if line := fails(t, exitError, "serve", "--addr", "127.0.0.1:0"); !strings.Contains(line, "openssl rand -base64 32") {
		t.Errorf("serve without the key file says %q, want how to make a key", line)
	}
}

func TestDirectoryErrorsSayWhatToDo(t *testing.T) {
	t.Chdir(t.TempDir())
	ok(t, "partner", "create", "ana", "--name", "Ana")
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"key", "issue", "directory", "--partner", "bob"}, "lectern partner create"},
		{[]string{"key", "issue", "directory", "--partner", "ana", "--expires", "2020-01-01"}, "later day"},
		{[]string{"sign", "GET", "http://h/a b", "--key-id", "1-1", "--secret", "s"}, "percent-encode"},
		{[]string{"sign", "GET", "h", "--key-id", "1-1", "--secret", "s"}, "http://HOST/PATH"},
		{[]string{"sign", "GET", "http://h", "--key-id", "1:1", "--secret", "s"}, "lectern key issue directory"},
		{[]string{"sign", "POST", "http://h", "missing.json", "--key-id", "1-1", "--secret", "s"}, "missing.json"},
	}
	for _, tt := range tests {
		if line := fails(t, exitError, tt.args...); !strings.Contains(line, tt.want) {
			t.Errorf("lectern %q says %q, want it to mention %q", tt.args, line, tt.want)
		}
	}
	for _, args := range [][]string{{"sign", "GET"}, {"sign", "GET", "http://h", "--key-id", "1-1"}, {"key", "issue", "directory"}, {"serve", "--directory-rate", "-1"}} {
		fails(t, exitUsage, args...)
	}
	t.Setenv("LECTERN_SECRET_KEY", "short")
	for _, args := range [][]string{{"key", "issue", "directory", "--partner", "ana"}, {"serve", "--addr", "127.0.0.1:0"}} {
		if line := fails(t, exitError, args...); !strings.Contains(line, "LECTERN_SECRET_KEY") || !strings.Contains(line, "openssl rand -base64 32") {
			t.Errorf("lectern %q with a bad key says %q", args, line)
		}
	}
}

func TestDirectoryKeyOnPostgres(t *testing.T) {
	t.Chdir(t.TempDir())
	db := dbtest.Postgres(t).URL
	ok(t, "partner", "create", "ana", "--name", "Ana", "--db", db)
	issue := []string{"key", "issue", "directory", "--partner", "ana", "--db", db}
	if line := fails(t, exitError, issue...); !strings.Contains(line, "openssl rand -base64 32") {
		t.Errorf("issue without LECTERN_SECRET_KEY says %q", line)
	}
	t.Setenv("LECTERN_SECRET_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	k := issued(t, ok(t, issue...))
	if line := fails(t, exitError, "key", "rotate", k.AccessKeyID+"9", "--db", db); !strings.Contains(line, "lectern key list") {
		t.Errorf("rotate of an unknown key says %q", line)
	}
	k = issued(t, ok(t, "key", "rotate", k.AccessKeyID, "--db", db))
	t.Setenv("LECTERN_SECRET_KEY", "")
	if line := fails(t, exitError, "key", "rotate", k.AccessKeyID, "--db", db); !strings.Contains(line, "openssl rand -base64 32") {
		t.Errorf("rotate without LECTERN_SECRET_KEY says %q", line)
	}
	if line := fails(t, exitError, "serve", "--addr", "127.0.0.1:0", "--db", db); !strings.Contains(line, "openssl rand -base64 32") {
		t.Errorf("serve without LECTERN_SECRET_KEY, with a directory key, says %q", line)
	}
}

var signedCurl = regexp.MustCompile(`(?m)^curl (-H 'Authorization: APIAuth.*)$`)

func TestDemoDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	var first []string
	for range 2 {
		whileServing(t, []string{"demo", "--addr", "127.0.0.1:0"}, "Ctrl-C", func(lines string) {
			call := signedCurl.FindStringSubmatch(lines)
			if call == nil {
				t.Fatalf("demo printed %s, want a signed call", lines)
			}
			words := shellWords(t, call[1])
			if status, body := curlCall(t, words); status != 200 || !strings.Contains(body, `"entity_type":"school"`) {
				t.Errorf("%s = %d %s, want schools", call[0], status, body)
			}
			if first != nil {
				first[len(first)-1] = words[len(words)-1] // the address of this start
				if status, _ := curlCall(t, first); status != 401 {
					t.Errorf("the key of the first start = %d at the second, want it revoked", status)
				}
			}
			first = words
		})
	}
}
