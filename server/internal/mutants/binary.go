package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// binary has the tests of a package.
type binary struct {
	name, file, dir string
	flags           []string
	tests           []test // the quickest first
}

// test is one that go test can run alone. It meets the changes that make a difference where it passes them: no other can make it fail.
type test struct {
	name  string
	took  time.Duration // of the processor
	meets map[int]bool
}

// turn is a run of some tests.
type turn struct {
	tests []string
	took  time.Duration
}

// long is how much of the processor the tests of one turn take together.
const long = 200 * time.Millisecond

// turns returns the chosen tests, the quickest first: most changes are seen by any of them.
func (b *binary) turns(chosen func(test) bool) []turn {
	var list []turn
	for _, t := range b.tests {
		if !chosen(t) {
			continue
		}
		if n := len(list); n > 0 && list[n-1].took+t.took <= long {
			list[n-1].tests = append(list[n-1].tests, t.name)
			list[n-1].took += t.took
		} else {
			list = append(list, turn{[]string{t.name}, t.took})
		}
	}
	return list
}

// measure runs each test alone, without a change, and notes what it takes and what it meets.
func (b *binary) measure(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, b.file, "-test.list=^(Test|Fuzz|Example)").Output()
	if err != nil {
		return err
	}
	_, none, _ := b.try(ctx, turn{}, "LECTERN_MUTANT=0")
	for _, name := range strings.Fields(string(out)) {
		met := b.file + ".met"
		if err := os.WriteFile(met, nil, 0o600); err != nil {
			return err
		}
		f, took, out := b.try(ctx, turn{[]string{name}, time.Minute}, "LECTERN_MUTANTS_MET="+met)
		if f != survived {
			return fmt.Errorf("%s: %s", name, out)
		}
		text, err := os.ReadFile(met)
		if err != nil {
			return err
		}
		t := test{name: name, took: max(took-none, 0), meets: map[int]bool{}}
		for _, line := range strings.Fields(string(text)) {
			n, err := strconv.Atoi(line)
			if err != nil {
				return err
			}
			t.meets[n] = true
		}
		b.tests = append(b.tests, t)
	}
	slices.SortFunc(b.tests, func(t, u test) int { return cmp.Compare(t.took, u.took) })
	return nil
}

// run runs tests with a mutant.
func (b *binary) run(ctx context.Context, number int, t turn) fate {
	f, _, _ := b.try(ctx, t, fmt.Sprint("LECTERN_MUTANT=", number))
	return f
}

// try runs tests and returns what they took of the processor, and what they print. They may take ten times as long as before.
func (b *binary) try(ctx context.Context, t turn, env string) (fate, time.Duration, []byte) {
	seconds := 2 + int((10 * t.took).Seconds())
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // where nothing runs, and nothing ends
	defer cancel()
	limits := fmt.Sprintf(`ulimit -t %d && ulimit -v 8000000 && exec "$0" "$@"`, seconds)
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", limits, b.file,
		"-test.run=^(" + strings.Join(t.tests, "|") + ")$", fmt.Sprintf("-test.timeout=%ds", 60+20*seconds)}, b.flags...)...)
	cmd.Dir, cmd.Env = b.dir, append(os.Environ(), env)
	out, err := cmd.CombinedOutput()
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case err == nil:
		return survived, took, out
	case took >= time.Duration(seconds)*time.Second-100*time.Millisecond, ctx.Err() != nil, bytes.Contains(out, []byte("test timed out")):
		return endless, took, out
	}
	return killed, took, out
}
