package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// profiled is the main file of the binary that is measured: the product's own, which profiles itself where it is asked to.
//
//go:embed profiled.txt
var profiled []byte

// profileVariable names the file that a process writes its profile to; without it there is none.
const profileVariable = "BENCH_PROFILE"

// overlay writes what has the compiler take profiled for the product's main file.
func (p product) overlay(source string) (string, error) {
	main, err := filepath.Abs(filepath.Join(source, "server", "cmd", "lectern", "main.go"))
	if err != nil {
		return "", err
	}
	file, replaced := filepath.Join(p.dir, "overlay.json"), filepath.Join(p.dir, "main.go")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{main: replaced}})
	if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err == nil {
		err = os.WriteFile(replaced, profiled, 0o644)
	}
	return file, err
}

// processes is how many new ones are asked for a first page: one takes too little of a processor to say of what.
const processes = 40

// profiles shows the ten functions that take most of a processor: in a load, in first pages of new processes, and in a warm page.
func (n network) profiles(ctx context.Context, engine string, q question) error {
	var columns [][]string
	for _, f := range []func(of func()) error{
		func(of func()) (err error) {
			if n.db, err = n.newDatabase(ctx, engine); err == nil {
				of()
				_, _, err = n.command(ctx, "load", n.name, n.feed())
			}
			return err
		},
		func(of func()) error {
			if err := n.issue(ctx); err != nil {
				return err
			}
			for range processes {
				of()
				if err := n.profile(ctx, q, 0, 1); err != nil {
					return err
				}
			}
			return nil
		},
		func(of func()) error { of(); return n.profile(ctx, q, 1, requests) },
	} {
		top, err := n.top(ctx, f)
		if err != nil {
			return err
		}
		columns = append(columns, top)
	}
	n.heading("most of a processor", "load", "first page of a new process", "warm page")
	for i := range columns[0] {
		n.row(fmt.Sprint(i+1), columns[0][i], columns[1][i], columns[2][i])
	}
	return nil
}

// profile asks a new server some times, and has it write a profile of more.
func (n *network) profile(ctx context.Context, q question, before, more int) error {
	s, err := n.start(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	for i := range before + more {
		if i == before {
			if err := s.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
				return err
			}
		}
		if _, _, err := s.body(q.path(0)); err != nil {
			return err
		}
	}
	return nil
}

// top returns the ten functions of the profiles of f, which calls of before each, with their shares.
func (n *network) top(ctx context.Context, f func(of func()) error) (rows []string, err error) {
	var files []string
	defer os.Unsetenv(profileVariable)
	err = f(func() {
		files = append(files, filepath.Join(n.dir, fmt.Sprintf("profile%d", len(files))))
		os.Setenv(profileVariable, files[len(files)-1])
	})
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "go", append([]string{"tool", "pprof", "-top", "-nodecount=10", n.binary()}, files...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("pprof: %w", err)
	}
	_, table, _ := strings.Cut(string(out), "cum%\n")
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) >= 6 {
			rows = append(rows, f[1]+" "+path.Base(f[5]))
		}
	}
	for len(rows) < 10 {
		rows = append(rows, none)
	}
	return rows, nil
}
