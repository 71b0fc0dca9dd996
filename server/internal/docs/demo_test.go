package docs_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server/internal/directoryapi"
)

// demo is a running `lectern demo`, and the keys that it printed.
type demo struct {
	url                string
	schools, libraries string
	id, secret         string // of the directory
}

// binary builds the program once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lectern-docs-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "lectern")
	build := exec.Command("go", "build", "-o", path, "./server/cmd/lectern")
	build.Dir, build.Stderr = filepath.Join("..", "..", ".."), os.Stderr
	return path, build.Run()
})

func TestMain(m *testing.M) {
	mindCalendar()
	code := m.Run()
	if path, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// What the demo prints.
var (
	keys      = regexp.MustCompile(`(?m)^(Schools|Libraries) key .*: (\S+)$`)
	directory = regexp.MustCompile(`(?m)^Directory key .*: (\S+), secret (\S+)$`)
	page      = regexp.MustCompile(`(http://\S+)/docs\b`)
)

// startDemo runs the demo until the test ends, with these flags besides.
func startDemo(t *testing.T, flags ...string) *demo {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"demo", "--addr", "127.0.0.1:0", "--db", "sqlite:" + filepath.Join(t.TempDir(), "demo.db")}, flags...)...)
	cmd.Env = append(os.Environ(), "LECTERN_SECRET_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	var printed bytes.Buffer
	for scan := bufio.NewScanner(out); scan.Scan() && !strings.Contains(scan.Text(), "Ctrl-C"); {
		printed.WriteString(scan.Text() + "\n")
	}
	found, signed, root := keys.FindAllStringSubmatch(printed.String(), -1), directory.FindStringSubmatch(printed.String()), page.FindStringSubmatch(printed.String())
	if len(found) != 2 || signed == nil || root == nil {
		t.Fatalf("the demo printed %s, want keys and the page", &printed)
	}
	return &demo{url: root[1], schools: found[0][2], libraries: found[1][2], id: signed[1], secret: signed[2]}
}

// delete makes a signed call of the directory and returns its status.
func (d *demo) delete(t *testing.T, path string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodDelete, d.url+directoryapi.Prefix+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := auth.Signed{Method: r.Method, Target: directoryapi.Prefix + path, Date: time.Now().UTC().Format(http.TimeFormat)}
	r.Header.Set("Date", s.Date)
	r.Header.Set("Authorization", auth.Sign(s, d.id, d.secret, auth.SHA256))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}
