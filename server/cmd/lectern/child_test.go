package main

import (
	"cmp"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// asCommand is set in the environment of a child that is the command instead of the tests.
const asCommand = "LECTERN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	longestRequest = 0
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Unsetenv("LECTERN_DB") // of whoever runs the tests, which would write to it
	dbtest.Main(m, server.Schema()...)
}

// child prepares the command as a process of its own.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// trials is how often something is tried: as often as a variable of the environment says, else a few times.
func trials(t *testing.T, variable string, few int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(few)))
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}
