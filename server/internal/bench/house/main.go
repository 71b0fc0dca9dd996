// House prints how large the house is, as far as the sources of a repository tell it: see .ci/house.
//
//	go run ./house ROOT
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := sizes(flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// run runs a command in a folder and returns what it prints.
func run(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// folder is what is counted of one folder of code.
type folder struct {
	files, lines, names, members int
}

// function is the length of a function, and the number of its parameters.
type function struct {
	name          string
	lines, params int
}

// count is what is counted of all files.
type count struct {
	folders       map[string]*folder
	functions     []function
	lines, spoken int // lines that are no tests, and those of them that have a comment
}

// sizes prints what the sources tell by themselves.
func sizes(root string) error {
	list, err := run(root, "git", "ls-files", "*.go")
	if err != nil {
		return err
	}
	c := count{folders: map[string]*folder{}}
	for name := range strings.FieldsSeq(list) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if err := c.file(root, name); err != nil {
			return err
		}
	}
	files := 0
	for _, f := range c.folders {
		files += f.files
	}
	modules, err := run(root, "go", "list", "-m", "all")
	if err != nil {
		return err
	}
	parameters := slices.DeleteFunc(slices.Clone(c.functions), func(f function) bool { return f.params <= 4 })
	fmt.Printf("lines that are no tests  %6d\npackages                 %6d\nfiles                    %6d\n", c.lines, len(c.folders), files)
	fmt.Printf("comments                 %6.1f %%\n", 100*float64(c.spoken)/float64(c.lines))
	fmt.Printf("modules of an embedder   %6d\nmore than 4 parameters   %6d functions\n", strings.Count(modules, "\n"), len(parameters))
	slices.SortFunc(c.functions, func(a, b function) int { return cmp.Compare(b.lines, a.lines) })
	fmt.Println("the longest functions")
	for _, f := range c.functions[:10] {
		fmt.Printf("  %4d %s\n", f.lines, f.name)
	}
	fmt.Println("packages that others may import: files, exported names, and the methods of these")
	for _, dir := range slices.Sorted(func(yield func(string) bool) {
		for dir := range c.folders {
			if !strings.Contains(dir+"/", "internal/") && !strings.Contains(dir, "cmd/") && !strings.HasPrefix(dir, "examples") && !yield(dir) {
				return
			}
		}
	}) {
		f := c.folders[dir]
		fmt.Printf("  %-28s %3d %4d %4d\n", dir, f.files, f.names, f.members)
	}
	return nil
}

// file counts one file.
func (c *count) file(root, name string) error {
	src, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.ParseComments)
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	if c.folders[dir] == nil {
		c.folders[dir] = &folder{}
	}
	in := c.folders[dir]
	in.files++
	in.lines += strings.Count(string(src), "\n")
	c.lines += strings.Count(string(src), "\n")
	line := func(p token.Pos) int { return set.Position(p).Line }
	for _, g := range f.Comments {
		c.spoken += line(g.End()) - line(g.Pos()) + 1
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.functions = append(c.functions, function{dir + "." + d.Name.Name, line(d.End()) - line(d.Pos()) + 1, d.Type.Params.NumFields()})
			switch {
			case !d.Name.IsExported():
			case d.Recv == nil:
				in.names++
			default:
				in.members++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				in.names += exported(s)
			}
		}
	}
	return nil
}

// exported counts the names that a declaration exports.
func exported(s ast.Spec) (n int) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			return 1
		}
	case *ast.ValueSpec:
		for _, id := range s.Names {
			if id.IsExported() {
				n++
			}
		}
	}
	return n
}
