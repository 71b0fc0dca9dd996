package docs_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/server/internal/api/directoryapi"
)

// demo is a running `lectern demo`, and the keys that it printed.
type demo struct {
	url                string
	schools, libraries string
	id, secret         string // of the directory
}

// running starts the demo of all tests when it is first needed. Its rate limits are above what the tests request together.
var running = sync.OnceValues(func() (*demo, error) {
	dir, err := os.MkdirTemp("", "lectern-docs-")
	if err != nil {
		return nil, err
	}
	atEnd = append(atEnd, func() error { return os.RemoveAll(dir) })
	path := filepath.Join(dir, "lectern")
	build := exec.Command("go", "build", "-o", path, "./server/cmd/lectern")
	build.Dir, build.Stderr = filepath.Join("..", "..", "..", ".."), os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return runDemo(exec.Command(path, "demo", "--addr", "127.0.0.1:0", "--db", "sqlite:"+filepath.Join(dir, "demo.db"), "--schools-rate", "1000", "--libraries-rate", "1000"))
})

// atEnd has the functions to call after the tests, in reverse order.
var atEnd []func() error

func TestMain(m *testing.M) {
	validateDates()
	code := m.Run()
	for _, end := range slices.Backward(atEnd) {
		if err := end(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// These match what the demo prints.
var (
	keys      = regexp.MustCompile(`(?m)^(Schools|Libraries) key .*: (\S+)$`)
	directory = regexp.MustCompile(`(?m)^Directory key .*: (\S+), secret (\S+)$`)
	page      = regexp.MustCompile(`(http://\S+)/docs\b`)
)

// startDemo returns the running demo, and starts it if necessary.
func startDemo(t *testing.T) *demo {
	t.Helper()
	d, err := running()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// runDemo starts the demo, which runs until the tests end, and returns when it serves.
func runDemo(cmd *exec.Cmd) (*demo, error) {
	cmd.Env = append(os.Environ(), "LECTERN_SECRET_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	atEnd = append(atEnd, func() error {
		cmd.Process.Signal(syscall.SIGTERM)
		return cmd.Wait()
	})
	var printed bytes.Buffer
	for scan := bufio.NewScanner(out); scan.Scan() && !strings.Contains(scan.Text(), "Ctrl-C"); {
		printed.WriteString(scan.Text() + "\n")
	}
	found, signed, root := keys.FindAllStringSubmatch(printed.String(), -1), directory.FindStringSubmatch(printed.String()), page.FindStringSubmatch(printed.String())
	if len(found) != 2 || signed == nil || root == nil {
		return nil, fmt.Errorf("the demo printed %s, want keys and the page", &printed)
	}
	return &demo{url: root[1], schools: found[0][2], libraries: found[1][2], id: signed[1], secret: signed[2]}, nil
}

// delete sends a signed DELETE to the directory and returns the status.
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
