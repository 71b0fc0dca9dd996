package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/licenseclassifier/v2/assets"
)

// allowed lists the licences that linked code may have. Each allows distribution of the binary with the licence text.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"}

// TestLicences tests that all code linked into a release for any system, or embedded, has an allowed licence text.
func TestLicences(t *testing.T) {
	classifier, err := assets.DefaultClassifier()
	if err != nil {
		t.Fatal(err)
	}
	for part, dir := range parts(t) {
		var found []string
		for _, file := range licenceFiles(t, dir) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range classifier.Match(text).Matches {
				if m.MatchType == "License" {
					found = append(found, m.Name)
				}
			}
		}
		forbidden := slices.ContainsFunc(found, func(name string) bool { return !slices.Contains(allowed, name) })
		if len(found) == 0 || forbidden {
			t.Errorf("%s, in %s, is under %v; allowed are %v", part, dir, found, allowed)
		}
	}
}

// parts returns the folders of all linked modules, by name and version, and the folders with their own licence.
func parts(t *testing.T) map[string]string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
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
	for line := range strings.Lines(run(t, root, nil, "git", "ls-files", "LICENSE", "server/**/LICENSE", ":!**/testdata/**")) {
		folder := filepath.Dir(strings.TrimSpace(line))
		found[folder] = filepath.Join(root, folder)
	}
	return found
}

// licenceFiles returns the licence files of a folder, without those that list the licences of third parties.
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
