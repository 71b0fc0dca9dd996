package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/packages"
)

//go:embed switches.txt
var switches string

// trial is of one package, the first, by the tests of it and of the others.
type trial struct {
	root, dir string
	parallel  int
	packages  []string
}

// result is what has become of a package's mutants. What is told are survivors, and explanations of none.
type result struct {
	name                            string
	mutants, killed, endless, equal int
	told                            []string
}

// fate is what has become of a mutant.
type fate int

const (
	survived fate = iota
	killed
	endless
	unbuilt // it is none: the compiler refuses it
)

func judge(ctx context.Context, t trial) (result, error) {
	p, err := load(ctx, t)
	if err != nil {
		return result{}, err
	}
	overlay := map[string]string{}
	c := &changer{p: p}
	for i, f := range p.Syntax {
		name := p.CompiledGoFiles[i]
		c.change(f)
		var text bytes.Buffer
		if err := format.Node(&text, p.Fset, f); err != nil {
			return result{}, fmt.Errorf("%s: %w", name, err)
		}
		if overlay[name], err = t.write(filepath.Base(name), text.Bytes()); err != nil {
			return result{}, err
		}
	}
	added := filepath.Join(filepath.Dir(p.CompiledGoFiles[0]), "mutants_switches.go")
	if overlay[added], err = t.write("switches.go", []byte("package "+p.Name+"\n"+switches)); err != nil {
		return result{}, err
	}
	tests, err := t.build(ctx, overlay, "switched")
	if err != nil {
		return result{}, err
	}
	for i := range tests {
		if f, out := tests[i].run(ctx, 0); f != survived {
			return result{}, fmt.Errorf("the tests of %s fail without a change:\n%s", tests[i].name, out)
		}
	}
	fates := t.fates(ctx, c.mutants, tests)
	if err := context.Cause(ctx); err != nil {
		return result{}, err
	}
	return t.report(p, c.mutants, fates)
}

// load reads a package with its types.
func load(ctx context.Context, t trial) (*packages.Package, error) {
	config := &packages.Config{Context: ctx, Dir: t.root, Mode: packages.LoadSyntax | packages.NeedModule}
	list, err := packages.Load(config, "./"+t.packages[0])
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("it is %d packages", len(list))
	}
	if len(list[0].Errors) > 0 {
		return nil, fmt.Errorf("cannot be loaded: %v", list[0].Errors)
	}
	return list[0], nil
}

func (t trial) write(name string, text []byte) (string, error) {
	name = filepath.Join(t.dir, name)
	return name, os.WriteFile(name, text, 0o600)
}

// fates runs the tests with each mutant.
func (t trial) fates(ctx context.Context, mutants []mutant, tests []test) []fate {
	fates := make([]fate, len(mutants))
	next := make(chan int)
	var wg sync.WaitGroup
	for range t.parallel {
		wg.Go(func() {
			for i := range next {
				fates[i] = t.fate(ctx, i, mutants[i], tests)
			}
		})
	}
	for i := range mutants {
		next <- i
	}
	close(next)
	wg.Wait()
	return fates
}

func (t trial) fate(ctx context.Context, i int, m mutant, tests []test) fate {
	if ctx.Err() != nil {
		return unbuilt
	}
	if m.edit != nil {
		var err error
		if tests, err = t.alone(ctx, i, m.edit, tests); err != nil {
			return unbuilt
		}
	}
	for _, test := range tests {
		if f, _ := test.run(ctx, m.number); f != survived {
			return f
		}
	}
	return survived
}

// alone builds the tests with one file changed. They may take as long as those that are switched.
func (t trial) alone(ctx context.Context, i int, e *edit, limits []test) ([]test, error) {
	text, err := os.ReadFile(e.file)
	if err != nil {
		return nil, err
	}
	name, err := t.write(fmt.Sprintf("alone%d.go", i), slices.Concat(text[:e.start], []byte(e.text), text[e.end:]))
	if err != nil {
		return nil, err
	}
	tests, err := t.build(ctx, map[string]string{e.file: name}, fmt.Sprint("alone", i))
	for j := range tests {
		tests[j].seconds = limits[j].seconds
	}
	return tests, err
}

// test is a binary of tests.
type test struct {
	name, binary, dir string
	flags             []string
	seconds           int // of the processor that it may take; 0 where that is not known yet
}

// build compiles the tests of each package with the files of an overlay.
func (t trial) build(ctx context.Context, overlay map[string]string, as string) ([]test, error) {
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	file, err := t.write(as+".json", text)
	if err != nil {
		return nil, err
	}
	var tests []test
	for i, name := range t.packages {
		dir, err := filepath.Abs(filepath.Join(t.root, name))
		if err != nil {
			return nil, err
		}
		binary := filepath.Join(t.dir, fmt.Sprintf("%s-%d.test", as, i))
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", file, "-o", binary, ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go test -c of %s: %w\n%s", name, err, out)
		}
		if _, err := os.Stat(binary); errors.Is(err, os.ErrNotExist) {
			continue // it has no tests
		}
		tests = append(tests, test{name: name, binary: binary, dir: dir, flags: flags(ctx, binary)})
	}
	return tests, nil
}

// flags are those for a binary: what rapid has found it keeps to itself, and does not make smaller.
func flags(ctx context.Context, binary string) []string {
	list := []string{"-test.failfast", "-test.short"}
	if help, _ := exec.CommandContext(ctx, binary, "-h").CombinedOutput(); bytes.Contains(help, []byte("rapid.nofailfile")) {
		list = append(list, "-rapid.nofailfile", "-rapid.shrinktime=1ms")
	}
	return list
}

// run runs the tests with a mutant. Without one it measures how long they may take.
func (t *test) run(ctx context.Context, number int) (fate, []byte) {
	seconds := cmp.Or(t.seconds, 600)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // where nothing runs, and nothing ends
	defer cancel()
	limits := fmt.Sprintf(`ulimit -t %d -v 4000000; exec "$0" "$@"`, seconds)
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", limits, t.binary, fmt.Sprintf("-test.timeout=%ds", 60+20*seconds)}, t.flags...)...)
	cmd.Dir, cmd.Env = t.dir, append(os.Environ(), fmt.Sprint("LECTERN_MUTANT=", number))
	out, err := cmd.CombinedOutput()
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if t.seconds == 0 {
		t.seconds = 2 + int((10 * took).Seconds())
	}
	switch {
	case err == nil:
		return survived, out
	case took >= time.Duration(seconds)*time.Second-100*time.Millisecond, ctx.Err() != nil, bytes.Contains(out, []byte("test timed out")):
		return endless, out
	}
	return killed, out
}

var explanation = regexp.MustCompile(`//mutants:equal \S`)

// report counts the mutants, and tells what survived without an explanation, and what is explained without a survivor.
func (t trial) report(p *packages.Package, mutants []mutant, fates []fate) (result, error) {
	r := result{name: t.packages[0]}
	explained, err := explanations(p.CompiledGoFiles)
	if err != nil {
		return result{}, err
	}
	used := map[string]bool{}
	for i, m := range mutants {
		r.count(fates[i])
		if fates[i] != survived {
			continue
		}
		place := fmt.Sprintf("%s:%d", m.at.Filename, m.at.Line)
		if why, ok := explained[place]; ok {
			used[why] = true
			r.equal++
			continue
		}
		r.told = append(r.told, fmt.Sprintf("%s/%s:%d:%d: %s", r.name, filepath.Base(m.at.Filename), m.at.Line, m.at.Column, m))
	}
	for _, why := range explained {
		if !used[why] {
			r.told = append(r.told, fmt.Sprintf("%s: %s explains nothing that survives", r.name, why))
			used[why] = true
		}
	}
	slices.Sort(r.told)
	return r, nil
}

func (r *result) count(f fate) {
	if f != unbuilt {
		r.mutants++
	}
	switch f {
	case killed:
		r.killed++
	case endless:
		r.endless++
	}
}

// explanations returns where each line that is explained is explained.
func explanations(files []string) (map[string]string, error) {
	found := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if !explanation.MatchString(line) {
				continue
			}
			of := i + 1
			if strings.HasPrefix(strings.TrimSpace(line), "//") {
				of++ // the line below it
			}
			found[fmt.Sprintf("%s:%d", name, of)] = fmt.Sprintf("%s:%d", filepath.Base(name), i+1)
		}
	}
	return found, nil
}
