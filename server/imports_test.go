package server_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lectern-dev/lectern/"

// The tables below fix the direction of imports (architecture, "Layout"). Do not relax a line to make a build pass: the
// product's rules must stay usable without its server, databases and libraries.

// mayImport lists the packages outside server and what each may import besides the standard library. A package that is
// not listed fails the test: say here what it may import.
var mayImport = map[string][]string{
	"reading/calendar":         {},
	"reading/decimal":          {},
	"reading":                  {"reading/calendar", "reading/decimal", "reading/packed"},
	"reading/packed":           {},
	"reading/extsort":          {"reading/packed"},
	"paging":                   {},
	"paging/fold":              {goText},
	"paging/row":               {},
	"paging/incremental":       {"paging"},
	"paging/snapshot":          {"auth", "paging/row", "reading/extsort", goSync},
	"auth":                     {},
	"directory":                {"paging", "paging/row"},
	"schools":                  {"directory", "paging/row", "reading", "reading/calendar"},
	"schools/internal/facts":   {"auth", "directory", "paging/snapshot", "reading", "reading/calendar", "reading/packed", "schools"},
	"schools/intake":           {"directory", "paging/row", "paging/snapshot", "reading", "reading/calendar", "reading/packed", "reading/extsort", "schools", "schools/internal/facts"},
	"schools/report":           {"auth", "directory", "paging", "paging/fold", "paging/incremental", "paging/snapshot", "reading", "reading/calendar", "reading/packed", "schools", "schools/internal/facts", "schools/intake"},
	"libraries/metric":         {},
	"libraries/stock":          {"paging/row", "reading/calendar", "reading/decimal"},
	"libraries":                {"paging/fold", "paging/row", "reading/calendar", "reading/decimal"},
	"libraries/internal/facts": {"auth", "libraries", "libraries/metric", "paging/snapshot", "reading/calendar", "reading/packed"},
	"libraries/intake":         {"libraries", "libraries/internal/facts", "libraries/stock", "paging/row", "paging/snapshot", "reading/calendar", "reading/packed", "reading/extsort"},
	"libraries/report":         {"auth", "libraries", "libraries/internal/facts", "libraries/intake", "libraries/metric", "libraries/stock", "paging", "paging/fold", "paging/incremental", "paging/row", "paging/snapshot", "reading/calendar", "reading/packed", "reading/extsort"},

	"paging/handle":              {bunORM},
	"auth/authdb":                {"auth", "paging/handle", bunORM},
	"paging/snapshot/snapshotdb": {"auth", "paging/handle", "paging/snapshot", bunORM},
	"directory/directorydb":      {"auth", "auth/authdb", "directory", "paging", "paging/handle", "paging/row", "paging/snapshot", "paging/snapshot/snapshotdb", bunORM},
	"schools/schoolsdb":          {"auth", "directory", "directory/directorydb", "paging/handle", "paging/row", "paging/snapshot", "paging/snapshot/snapshotdb", "reading", "schools", "schools/internal/facts", "schools/intake", "schools/report", bunORM},
	"libraries/librariesdb":      {"auth", "auth/authdb", "libraries", "libraries/internal/facts", "libraries/intake", "libraries/report", "libraries/stock", "paging", "paging/handle", "paging/row", "paging/snapshot", "paging/snapshot/snapshotdb", "reading/calendar", "reading/packed", "reading/extsort", bunORM},
}

// The libraries in the table. Each entry also covers the packages below it.
const (
	bunORM = "github.com/uptrace/bun"
	goSync = "golang.org/x/sync"
	goText = "golang.org/x/text"
)

// onlyUnder lists libraries, with all packages below them, and the only folders that may import them.
var onlyUnder = map[string][]string{
	// drivers, and packages that make a bun.DB from one
	"github.com/jackc/pgx/v5":                      {"server/database"},
	"modernc.org/sqlite":                           {"server/database"},
	"database/sql/driver":                          {"server/database"},
	"github.com/uptrace/bun/dialect/pgdialect":     {"server/database"},
	"github.com/uptrace/bun/dialect/sqlitedialect": {"server/database"},
	"github.com/uptrace/bun/migrate":               {"server/database"},
	"github.com/julienschmidt/httprouter":          {"server"},
	"github.com/rs/zerolog":                        {"server"},
	"github.com/maypok86/otter/v2":                 {"server/internal/api/cache"},
	"github.com/klauspost/compress":                {"server"},
	"github.com/prometheus/client_golang":          {"server/internal/operate/metrics"},
	"github.com/go-json-experiment/json":           {"server"},
	"github.com/alecthomas/kong":                   {"server/cmd"},
	module + "server":                              {"server", "examples"},
	module + "server/cmd":                          {},
	module + "server/database/dbtest":              {}, // only tests
	"testing":                                      {"server/database/dbtest"},
}

// never lists what packages with the given prefix must not import, directly or through others.
var never = map[string][]string{
	"auth/authdb":                {module + "paging/snapshot"},
	"paging/snapshot/snapshotdb": {module + "auth/authdb"},

	"server/internal/api/web":        {bunORM, module + "schools", module + "directory", module + "libraries"},
	"server/internal/api/wire":       {bunORM, module + "schools", module + "directory", module + "libraries"},
	"server/internal/api/schoolsapi": {bunORM, module + "server/database", module + "libraries"},

	"server/internal/api/directoryapi": {bunORM, module + "server/database", module + "schools", module + "libraries"},
	"server/internal/api/librariesapi": {bunORM, module + "server/database", module + "schools", module + "directory"},
	"server/internal/api/analytics":    {bunORM, module + "server/database", module + "schools", module + "directory"},
}

func TestImports(t *testing.T) {
	packages := list(t)
	for pkg, p := range packages {
		for _, imported := range p.imports {
			if why := refused(pkg, imported); why != "" {
				t.Errorf("%s imports %s: %s", pkg, imported, why)
			}
		}
		for _, forbidden := range never[pkg] {
			for _, dep := range p.deps {
				if under(dep, forbidden) {
					t.Errorf("%s depends on %s, which is forbidden", pkg, dep)
				}
			}
		}
	}
	for pkg := range mayImport {
		if _, ok := packages[pkg]; !ok {
			t.Errorf("%s is in the table but does not exist", pkg)
		}
	}
}

// refused returns the reason why a package may not import another, or "".
func refused(pkg, imported string) string {
	for library, folders := range onlyUnder {
		if under(imported, library) && !slices.ContainsFunc(folders, func(f string) bool { return under(pkg, f) }) &&
			!under(module+pkg, library) {
			return "only packages under " + strings.Join(folders, ", ") + " may"
		}
	}
	if imported == module+"server" && under(pkg, "server") && !under(pkg, "server/cmd") {
		return "it imports the packages below it; only the commands may import it"
	}
	if under(pkg, "server") || standard(imported) {
		return ""
	}
	if under(pkg, "examples") { // examples use only our packages, so that readers need not learn another library
		if strings.HasPrefix(imported, module) {
			return ""
		}
		return "an example may import only packages of Lectern and the standard library"
	}
	may, ok := mayImport[pkg]
	if !ok {
		return "the package is not in the table"
	}
	for _, m := range may {
		if imported == module+m || !standard(m) && under(imported, m) {
			return ""
		}
	}
	return "not in the package's line of the table"
}

// under reports whether a path is a folder or is below it.
func under(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// standard reports whether an import is of the standard library: the first element of all others has a dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

type pkgImports struct{ imports, deps []string }

// list returns the packages of the module by their path within it.
func list(t *testing.T) map[string]pkgImports {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{join .Imports " "}}|{{join .Deps " "}}`, "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	packages := make(map[string]pkgImports)
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "|")
		packages[strings.TrimPrefix(f[0], module)] = pkgImports{strings.Fields(f[1]), strings.Fields(f[2])}
	}
	return packages
}
