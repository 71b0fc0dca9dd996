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

// asCommand is set in the environment of a child process that runs the command instead of the tests.
const asCommand = "LECTERN_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	longestRequest = 0
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Unsetenv("LECTERN_DB") // the tests would write to the database of the developer
	dbtest.Main(m, server.Schema()...)
}

// child returns a process that runs the command.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// envInt returns how often to try something: the value of an environment variable, or else few.
func envInt(t *testing.T, variable string, few int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(few)))
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}
