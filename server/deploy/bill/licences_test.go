package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/licenseclassifier/v2/assets"
)

var update = flag.Bool("update", false, "write licences.txt anew")

// allowed are the licences that may be linked: each lets the binary be passed on with its text.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"}

// TestLicences holds licences.txt to the modules that are linked for any system of a release, and to the texts of their licences.
func TestLicences(t *testing.T) {
	classifier, err := assets.DefaultClassifier()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for part, dir := range parts(t) {
		var found []string
		for _, file := range licenceFiles(t, dir) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range classifier.Match(text).Matches {
				if m.MatchType == "License" && !slices.Contains(found, m.Name) {
					found = append(found, m.Name)
				}
			}
		}
		slices.Sort(found)
		for _, licence := range found {
			if !slices.Contains(allowed, licence) {
				t.Errorf("%s is under %s, which is none of %v", part, licence, allowed)
			}
		}
		if len(found) == 0 {
			t.Errorf("%s has no licence that is known, in %s", part, dir)
		}
		lines = append(lines, part+"\t"+strings.Join(found, " AND ")+"\n")
	}
	slices.Sort(lines)
	text := strings.Join(lines, "")
	if *update {
		if err := os.WriteFile("licences.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != licences {
		t.Errorf("licences.txt is\n%s\nwant\n%s\nwrite it anew with -update", licences, text)
	}
}

// parts returns where each module that is linked is, and each thing that is embedded, by name and version.
func parts(t *testing.T) map[string]string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, system := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"} {
		goos, goarch, _ := strings.Cut(system, "/")
		list := exec.Command("go", "list", "-deps", "-f", `{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`, "./server/cmd/lectern")
		list.Dir, list.Env, list.Stderr = root, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"), os.Stderr
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if part, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				found[part] = dir
			}
		}
	}
	for _, e := range embedded {
		found[e.name+" "+e.version] = filepath.Join(root, e.folder)
	}
	return found
}

// licenceFiles returns the files that say how a folder may be used, but for a list of what is in it or tests it by others.
func licenceFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if !e.IsDir() && !strings.Contains(name, "3rd-party") && (strings.HasPrefix(name, "licen") || strings.HasPrefix(name, "copying") || strings.HasPrefix(name, "unlicense")) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// TestEmbedded holds the embedded parts to the folders that have a licence of their own, and their versions to what they say of
// themselves.
func TestEmbedded(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	out, err := exec.Command("git", "-C", root, "ls-files", "server/**/LICENSE").Output()
	if err != nil {
		t.Fatal(err)
	}
	var folders, want []string
	for line := range strings.Lines(string(out)) {
		if folder := filepath.Dir(strings.TrimSpace(line)); !strings.Contains(folder, "testdata") {
			folders = append(folders, folder)
		}
	}
	for _, e := range embedded {
		want = append(want, e.folder)
	}
	if slices.Sort(want); !slices.Equal(folders, want) {
		t.Errorf("with licences of their own are %v, and embedded %v", folders, want)
	}
	for file, want := range map[string]string{
		"server/internal/explore/page/uplot/uPlot.iife.min.js": fmt.Sprintf("(v%s)", embedded[0].version),
		"server/openapi/serve.go":                              fmt.Sprintf("%s %s, and of %s %s", "swagger-ui", embedded[2].version, embedded[1].name, embedded[1].version),
	} {
		if text, err := os.ReadFile(filepath.Join(root, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %q (%v)", file, want, err)
		}
	}
}
