package deploy_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// binary builds the program once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lectern-deploy-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "lectern")
	build := exec.Command("go", "build", "-o", path, "./server/cmd/lectern")
	build.Dir, build.Stderr = filepath.Join("..", ".."), os.Stderr
	return path, build.Run()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

func lectern(t *testing.T) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// nowhere is a database that cannot be reached. A valid command line ends with 1 there, and a wrong one with 2.
const nowhere = "postgres://lectern@127.0.0.1:1/lectern"

// checkCommand checks that the binary accepts a command line and knows the environment variables.
func checkCommand(t *testing.T, binary string, args []string, env map[string]string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	for name, value := range env {
		if name != "TMPDIR" { // its folder does not exist here
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, "LECTERN_DB="+nowhere)
	cmd.Dir = t.TempDir()
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !bytes.Contains(out, []byte(nowhere)) || bytes.Contains(out, []byte("warning")) {
		t.Errorf("lectern %q with %v says %s and ends with %d, want that it reaches no database", args, env, out, code)
	}
}

// run runs a command and returns what it printed.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// replaced replaces pairs of an old and a new string in a text, which must contain each old one.
func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("there is no %q in\n%s", pairs[i], text)
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}
