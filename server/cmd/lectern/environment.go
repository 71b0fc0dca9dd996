package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/internal/nearest"
)

// The beginning of the variables, and what follows it in those of this project's own tests.
const variables, testVariables = "LECTERN_", "TEST_"

// warnOfVariables tells of every LECTERN_* variable that no command reads, since a mistyped one would be passed over in
// silence. One that another command reads is none: an environment is often shared.
func warnOfVariables(w io.Writer, model *kong.Application) {
	known := []string{server.SecretKeyVariable, clockVariable}
	for _, node := range append(model.Leaves(false), model.Node) {
		for _, f := range node.Flags {
			known = append(known, f.Envs...)
		}
	}
	for i := range known {
		known[i] = strings.TrimPrefix(known[i], variables)
	}
	for _, pair := range os.Environ() {
		full, _, _ := strings.Cut(pair, "=")
		name, ours := strings.CutPrefix(full, variables)
		if !ours || strings.HasPrefix(name, testVariables) || slices.Contains(known, name) {
			continue
		}
		hint := "the help of each command names its own"
		if near, ok := nearest.Name(name, known); ok {
			hint = "is " + variables + near + " meant?"
		}
		fmt.Fprintf(w, "lectern: warning: %s is no setting and is not read; %s\n", full, hint)
	}
}

// clockVariable starts the clock of a command at another time, for trials alone. It is in no help.
const clockVariable = "LECTERN_CLOCK"

// startClock returns a clock that runs on from the time in the environment, of which it warns, or nil where none is set.
func startClock(w io.Writer) (func() time.Time, error) {
	text := os.Getenv(clockVariable)
	if text == "" {
		return nil, nil
	}
	from, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %q is no time; write it as 2026-11-21T16:59:50-03:00, or unset it", clockVariable, text)
	}
	fmt.Fprintf(w, "lectern: warning: the clock of this command starts at %s (%s); for trials alone\n", text, clockVariable)
	start := time.Now()
	return func() time.Time { return from.Add(time.Since(start)) }, nil
}
