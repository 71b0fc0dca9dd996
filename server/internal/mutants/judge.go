package main

import (
	"bytes"
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

	"golang.org/x/tools/go/packages"
)

//go:embed switches.txt
var switches string

// trial is of one package, the first, by the tests of it and of the others. Of its changes those are made whose place only matches.
type trial struct {
	root, dir string
	parallel  int
	only      *regexp.Regexp
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
	binaries, err := t.build(ctx, overlay, "switched")
	if err != nil {
		return result{}, err
	}
	for _, b := range binaries {
		if err := b.measure(ctx); err != nil {
			return result{}, fmt.Errorf("the tests of %s without a change: %w", b.name, err)
		}
	}
	mutants := slices.DeleteFunc(c.mutants, func(m mutant) bool { return !t.only.MatchString(place(m.at.Filename, m.at.Line)) })
	fates := t.fates(ctx, mutants, binaries)
	if err := context.Cause(ctx); err != nil {
		return result{}, err
	}
	return t.report(p, mutants, fates)
}

// place names a line.
func place(file string, line int) string { return fmt.Sprintf("%s:%d", filepath.Base(file), line) }

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
func (t trial) fates(ctx context.Context, mutants []mutant, binaries []*binary) []fate {
	fates := make([]fate, len(mutants))
	next := make(chan int)
	var wg sync.WaitGroup
	for range t.parallel {
		wg.Go(func() {
			for i := range next {
				fates[i] = t.fate(ctx, i, mutants[i], binaries)
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

func (t trial) fate(ctx context.Context, i int, m mutant, binaries []*binary) fate {
	for _, b := range binaries {
		if ctx.Err() != nil {
			return unbuilt
		}
		turns := b.turns(func(t test) bool { return m.edit != nil || t.meets[m.number] })
		if m.edit != nil {
			var err error
			if b, err = t.alone(ctx, i, m.edit, b); err != nil {
				return unbuilt
			}
			defer os.Remove(b.file)
		}
		for _, turn := range turns {
			if f := b.run(ctx, m.number, turn); f != survived {
				return f
			}
		}
	}
	return survived
}

// alone builds the tests of a package with one file changed.
func (t trial) alone(ctx context.Context, i int, e *edit, b *binary) (*binary, error) {
	text, err := os.ReadFile(e.file)
	if err != nil {
		return nil, err
	}
	name, err := t.write(fmt.Sprintf("alone%d.go", i), slices.Concat(text[:e.start], []byte(e.text), text[e.end:]))
	if err != nil {
		return nil, err
	}
	t.packages = []string{b.name}
	list, err := t.build(ctx, map[string]string{e.file: name}, fmt.Sprint("alone", i))
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// build compiles the tests of each package with the files of an overlay.
func (t trial) build(ctx context.Context, overlay map[string]string, as string) ([]*binary, error) {
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	file, err := t.write(as+".json", text)
	if err != nil {
		return nil, err
	}
	var list []*binary
	for i, name := range t.packages {
		dir, err := filepath.Abs(filepath.Join(t.root, name))
		if err != nil {
			return nil, err
		}
		to := filepath.Join(t.dir, fmt.Sprintf("%s-%d.test", as, i))
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-gcflags=-dwarf=false", "-ldflags=-w", "-overlay", file, "-o", to, ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go test -c of %s: %w\n%s", name, err, out)
		}
		if _, err := os.Stat(to); errors.Is(err, os.ErrNotExist) {
			continue // it has no tests
		}
		list = append(list, &binary{name: name, file: to, dir: dir, flags: flags(ctx, to)})
	}
	return list, nil
}

// flags are those for a binary: what rapid draws it draws each time, what it has found it keeps to itself, and does not make smaller.
func flags(ctx context.Context, file string) []string {
	list := []string{"-test.failfast", "-test.short"}
	if help, _ := exec.CommandContext(ctx, file, "-h").CombinedOutput(); bytes.Contains(help, []byte("rapid.nofailfile")) {
		list = append(list, "-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=1ms")
	}
	return list
}

var explanation = regexp.MustCompile(`//mutants:equal \S`)

// report counts the mutants, and tells what survived without an explanation, and what is explained without a survivor.
func (t trial) report(p *packages.Package, mutants []mutant, fates []fate) (result, error) {
	r := result{name: t.packages[0]}
	explained, err := t.explanations(p.CompiledGoFiles)
	if err != nil {
		return result{}, err
	}
	used := map[string]bool{}
	for i, m := range mutants {
		r.count(fates[i])
		if fates[i] != survived {
			continue
		}
		if why, ok := explained[place(m.at.Filename, m.at.Line)]; ok {
			used[why] = true
			r.equal++
			continue
		}
		r.told = append(r.told, fmt.Sprintf("%s/%s:%d: %s", r.name, place(m.at.Filename, m.at.Line), m.at.Column, m))
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
func (t trial) explanations(files []string) (map[string]string, error) {
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
			if of := place(name, of); t.only.MatchString(of) {
				found[of] = place(name, i+1)
			}
		}
	}
	return found, nil
}
