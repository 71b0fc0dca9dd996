package examples_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// pages are the pages of the project with the blocks of each, in order: section and language. The tests run the blocks. A block that
// is not listed here fails them.
var pages = []struct {
	file   string
	size   int // at most, in bytes
	blocks []string
}{
	{"README.md", 12_000, []string{"Quick start/sh", "Quick start/sh", "Go packages/go", "Go packages/go"}},
	{"examples/README.md", 15_000, []string{
		"The schools API/sh", "Incremental pulls/sh", "Python/python", "Power Query/powerquery", "Power Query/powerquery", "Spreadsheets/sh",
		"Writing the directory/sh", "Writing the directory/sh",
	}},
	{"server/README.md", 15_000, []string{
		"Install/sh", "systemd/sh", "Container/sh", "Backup and restore/sh", "Backup and restore/sh", "Backup and restore/sh", "Upgrade/sh",
		"Move to another machine/sh", "Move to another machine/sh", "Erase a person/sh", "Check/sh", "Check/text",
	}},
	{"server/feed/README.md", 15_000, []string{"Loading/text"}},
	{"server/database/README.md", 15_000, []string{"Citus/sh"}},
	{"CONTRIBUTING.md", 15_000, []string{"Test/sh"}},
	{"TRIALS.md", 6_000, []string{"Run/sh"}},
	{"CHANGELOG.md", 15_000, nil},
}

// readme is all pages.
type readme struct {
	texts  map[string]string   // by page
	blocks map[string][]string // by section and language
}

// readReadme reads the pages and fails the test if a page has other blocks than are listed.
func readReadme(t *testing.T) readme {
	t.Helper()
	r := readme{make(map[string]string), make(map[string][]string)}
	for _, page := range pages {
		b, err := os.ReadFile(filepath.Join("..", page.file))
		if err != nil {
			t.Fatal(err)
		}
		r.texts[page.file] = string(b)
		if found := r.readBlocks(page.file); !slices.Equal(found, page.blocks) {
			t.Fatalf("%s has the blocks\n%q\nand there are tests for\n%q", page.file, found, page.blocks)
		}
	}
	return r
}

// readBlocks reads the blocks of a page, and returns their sections and languages.
func (r readme) readBlocks(file string) (found []string) {
	section, name, block := "", "", ""
	for line := range strings.Lines(r.texts[file]) {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && name == "":
			name, block = section+"/"+strings.TrimSpace(fence), ""
			found = append(found, name)
		case isFence:
			r.blocks[name] = append(r.blocks[name], block)
			name = ""
		case name != "":
			block += line
		case strings.HasPrefix(line, "#"):
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
	}
	return found
}

// block returns the n-th block of a section and language.
func (r readme) block(name string, n int) string { return r.blocks[name][n] }

// shell is where blocks of shell are run.
type shell struct {
	dir string
	env []string
}

// run runs a script to its end, which every error is, and returns its output.
func (s shell) run(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), s.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with what it leaves in the background
	files := [2]*os.File{}                                // no pipes: what is left in the background would hold them open
	for i := range files {
		f, err := os.Create(filepath.Join(t.TempDir(), "output"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	err := cmd.Wait()
	var texts [2]string
	for i, f := range files {
		b, readErr := os.ReadFile(f.Name())
		if readErr != nil {
			t.Fatal(readErr)
		}
		texts[i] = string(b)
	}
	if err != nil {
		t.Fatalf("%v of\n%s\nstdout: %s\nstderr: %s", err, script, texts[0], texts[1])
	}
	return texts[0]
}

// curlFails makes curl of a shell fail where the status is an error.
func curlFails(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".curlrc"), []byte("fail\nsilent\nshow-error\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "CURL_HOME=" + dir
}

// replaced replaces what a reader of the README would, each of which must be there.
func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("there is no %q to replace in\n%s", pairs[i], text)
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// inPath is the PATH with folders before it.
func inPath(dirs ...string) string {
	return "PATH=" + strings.Join(append(dirs, os.Getenv("PATH")), string(os.PathListSeparator))
}

// until runs a command that goes on until it is interrupted, calls f with its output up to the line that has a text, and
// interrupts it. It returns how the command ended.
func until(t *testing.T, cmd *exec.Cmd, text string, f func(lines string)) error {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // go run has a child
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		w.Close()
	}()
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	var lines strings.Builder
	scan := bufio.NewScanner(r)
	for scan.Scan() {
		lines.WriteString(scan.Text() + "\n")
		if strings.Contains(scan.Text(), text) {
			go io.Copy(io.Discard, r)
			f(lines.String())
			syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
			return <-ended
		}
	}
	t.Fatalf("%q wrote %s, and never %q", cmd.Args, &lines, text)
	return nil
}

// TestReadmeDemo runs the demo as the README says, and against it whatever calls it.
func TestReadmeDemo(t *testing.T) {
	r := readReadme(t)
	dir := t.TempDir()
	env := []string{
		"LECTERN_DB=sqlite:" + filepath.Join(dir, "demo.db"), "LECTERN_ADDR=127.0.0.1:0", "LECTERN_SCHOOLS_RATE=0",
		"LECTERN_CLOCK=2026-11-10T12:00:00-03:00", // the README asks for October
	}
	demo := exec.CommandContext(t.Context(), "sh", "-c", r.block("Quick start/sh", 0))
	demo.Dir, demo.Env = "..", append(os.Environ(), env...)
	_ = until(t, demo, "Ctrl-C", func(lines string) { // go run ends with 1 when it is interrupted
		base := strings.TrimSuffix(regexp.MustCompile(`http://\S+/docs\b`).FindString(lines), "/docs")
		key := regexp.MustCompile(`Schools key.*: (\S+)`).FindStringSubmatch(lines)[1]
		here := func(text string) string { return replaced(t, text, "http://127.0.0.1:8080", base) }
		s := shell{dir, append(env, inPath(bin), curlFails(t))}
		t.Run("curl", func(t *testing.T) {
			out := s.run(t, here(replaced(t, r.block("Quick start/sh", 1), "1-1-…", key)+r.block("The schools API/sh", 0)+r.block("Incremental pulls/sh", 0)+r.block("Spreadsheets/sh", 0)))
			if !strings.Contains(out, `"profile":"student"`) || !strings.Contains(out, `"pageSize":1000,"totalRows":0}`) || !strings.Contains(out, `"startDate":"2026-10-01"`) || !strings.Contains(out, `"rows":[{"userId"`) {
				t.Errorf("the calls answer %.2000s", out)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "leituras.xlsx")); err != nil || !bytes.HasPrefix(b, []byte("PK")) {
				t.Errorf("the workbook is %.200q, %v", b, err)
			}
		})
		t.Run("directory", func(t *testing.T) {
			s.run(t, "lectern partner create acme --name Acme")
			var k struct{ AccessKeyID, Secret string }
			if err := json.Unmarshal([]byte(s.run(t, "lectern key issue directory --partner acme")), &k); err != nil {
				t.Fatal(err)
			}
			begin := replaced(t, r.block("Writing the directory/sh", 0), "LECTERN_KEY_ID=1-1 LECTERN_SECRET=…", "LECTERN_KEY_ID="+k.AccessKeyID+" LECTERN_SECRET="+k.Secret)
			out := s.run(t, here(begin)+r.block("Writing the directory/sh", 1))
			for _, want := range []string{`"access_token"`, `"name":"Escola Um"`, `"city":null`, `"name":"Rui"`} {
				if !strings.Contains(out, want) {
					t.Errorf("the calls never answer %s: %s", want, out)
				}
			}
		})
		t.Run("python", func(t *testing.T) {
			program := filepath.Join(dir, "report.py")
			if err := os.WriteFile(program, []byte(here(r.block("Python/python", 0))), 0o600); err != nil {
				t.Fatal(err)
			}
			out := s.run(t, "python3 "+program+" "+key)
			if !strings.HasPrefix(out, "userId,title,percent,readingMinutes,finished\r\n") || strings.Count(out, "\n") < 100 {
				t.Errorf("the report has %d lines and begins with %.200q, want a header and rows", strings.Count(out, "\n"), out)
			}
		})
		t.Run("power query", func(t *testing.T) { checkPowerQuery(t, r.block("Power Query/powerquery", 0), base, key) })
		t.Run("power query of a workbook", func(t *testing.T) { checkWorkbookQuery(t, r.block("Power Query/powerquery", 1), base, key) })
	})
}

// finder returns what finds the group of a pattern in a query, whose brackets must pair.
func finder(t *testing.T, text string) func(pattern string) string {
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(text, pair[:1]) != strings.Count(text, pair[1:]) {
			t.Errorf("%s do not pair", pair)
		}
	}
	return func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("the query has no %s", pattern)
		}
		return m[1]
	}
}

// checkWorkbookQuery sends the request of a query, and holds that the workbook has the sheet that it names.
func checkWorkbookQuery(t *testing.T, text, base, key string) {
	find := finder(t, text)
	b := get(t, base+"/"+find(`RelativePath = "([^"]*)"`)+"?pageSize="+find(`pageSize = "(\d+)"`), key, find(`Accept = "([^"]*)"`))
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("xl/workbook.xml")
	if err != nil {
		t.Fatal(err)
	}
	book, err := io.ReadAll(f)
	if err != nil || !bytes.Contains(book, []byte(`<sheet name="`+find(`Item = "(\w+)", Kind = "Sheet"`)+`"`)) {
		t.Errorf("the workbook is %s, %v", book, err)
	}
}

// checkPowerQuery sends the request of a query, and holds that the query names the columns of the answer.
func checkPowerQuery(t *testing.T, text, base, key string) {
	find := finder(t, text)
	query := url.Values{}
	for _, m := range regexp.MustCompile(`(\w+) = (?:"([^"]*)"|Number\.ToText\((\w+)\))`).FindAllStringSubmatch(find(`Query = \[(.*)\]`), -1) {
		query.Set(m[1], m[2]+map[string]string{"page": "1", "Size": "1000"}[m[3]])
	}
	if len(query) != 4 {
		t.Errorf("the query asks for %v", query)
	}
	var answer struct {
		Meta struct{ Page struct{ TotalRows int } }
		Data struct{ Rows []map[string]json.RawMessage }
	}
	if err := json.Unmarshal(get(t, base+"/"+find(`RelativePath = "([^"]*)"`)+"?"+query.Encode(), key, "application/json"), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Meta.Page.TotalRows == 0 || len(answer.Data.Rows) == 0 {
		t.Fatal("the answer has no rows")
	}
	var book map[string]json.RawMessage
	if err := json.Unmarshal(answer.Data.Rows[0]["book"], &book); err != nil {
		t.Fatal(err)
	}
	for columns, row := range map[string]map[string]json.RawMessage{
		find(`List\.Combine\(Pages\), \{(.*?)\}`): answer.Data.Rows[0], find(`Rows, "book", \{(.*?)\}`): book,
	} {
		names := strings.Split(strings.ReplaceAll(columns, `"`, ""), ", ")
		if slices.Sort(names); !slices.Equal(names, slices.Sorted(maps.Keys(row))) {
			t.Errorf("the query names the columns %q, and a row has %q", names, slices.Sorted(maps.Keys(row)))
		}
	}
}

// standIns take the place of what would change the machine: they know the flags that the README uses, and no others.
var standIns = map[string]string{
	"useradd": `[ "$1 $2 $3 $5" = "--system --user-group --home-dir --shell" ] && [ $# = 7 ] && echo "$7" > "$MACHINE/user"`,
	"runuser": `[ "$1 $3" = "-u --" ] && [ "$2" = "$(cat "$MACHINE/user")" ] && shift 3 && exec "$@"`,
	"install": `[ "$1" = -m ] && exec env PATH=/usr/bin:/bin install "$@"
[ "$1" = -d ] && shift
if [ "$1" = -o ]; then [ "$2 $3 $4" = "$(cat "$MACHINE/user") -g $2" ] && shift 4; fi
[ "$1" = -m ] && mkdir -p "$3" && chmod "$2" "$3"`,
	"systemctl": `echo "$@" >> "$MACHINE/systemctl"`,
}

// machine is a folder that the README's commands take for the whole of a machine.
type machine struct {
	*testing.T
	dir, tools string
	calls      string // of systemctl, so far
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{T: t, dir: t.TempDir(), tools: t.TempDir()}
	for name, text := range standIns {
		if err := os.WriteFile(filepath.Join(m.tools, name), []byte("#!/bin/sh -e\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"usr/local/bin", "var/lib", "srv", "root", "etc/systemd/system"} {
		if err := os.MkdirAll(filepath.Join(m.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

var (
	ofMachine = regexp.MustCompile(`/(usr/local/bin|var/lib/lectern|srv/feeds|etc/lectern|etc/systemd|backup|root)\b`)
	asLectern = regexp.MustCompile(`(?m)^as_lectern\(\) .*\n`)
)

// on is a text whose paths are the machine's.
func (m *machine) on(text string) string { return ofMachine.ReplaceAllString(text, m.dir+"$0") }

// run runs commands on the machine, in a folder.
func (m *machine) run(dir, commands string) string {
	m.Helper()
	s := shell{dir, []string{"MACHINE=" + m.dir, inPath(m.tools, filepath.Join(m.dir, "usr/local/bin"))}}
	return s.run(m.T, m.on(commands))
}

// called holds what systemctl was called with since the last time.
func (m *machine) called(want ...string) {
	m.Helper()
	b, err := os.ReadFile(filepath.Join(m.dir, "systemctl"))
	got, ok := strings.CutPrefix(string(b), m.calls)
	if m.calls = string(b); err != nil || !ok || got != strings.Join(want, "\n")+"\n" {
		m.Errorf("systemctl is called with %q, %v, want %q", got, err, want)
	}
}

const (
	enabled = "enable --now lectern.service lectern-load.timer"
	stopped = "stop lectern.service lectern-load*"
	started = "start lectern.service lectern-load.timer"
)

// TestReadmeProduction sets up a machine as the README says, in a folder of its own, and runs what systemd would. It backs the
// machine up, restores it, puts a new binary in place, and moves all to another machine.
func TestReadmeProduction(t *testing.T) {
	r := readReadme(t)
	m := newMachine(t)
	setup, restore, upgrade := r.block("Install/sh", 0), r.block("Backup and restore/sh", 1), r.block("Upgrade/sh", 0)
	commands := setup + r.block("systemd/sh", 0) + r.block("Backup and restore/sh", 0)
	if line := regexp.MustCompile(`(?m)^lectern .*`).FindString(commands + restore + upgrade); line != "" {
		t.Errorf("%q makes files that are not the service's own", line)
	}
	out := m.run("..", commands)
	if strings.Count(out, `{"apiKey":"`) != 2 || !strings.Contains(out, "Bibliotecas do Norte") && !strings.Contains(out, "norte") || !strings.Contains(out, `"keepToo"`) {
		t.Errorf("the set-up prints %s, want two keys, the status and a backup", out)
	}
	m.called("daemon-reload", enabled)
	if copies, _ := filepath.Glob(filepath.Join(m.dir, "backup/lectern-*.db")); len(copies) != 1 {
		t.Errorf("the backups are %q, want one", copies)
	}
	checkUnits(t, m)

	as := asLectern.FindString(setup)
	out = m.run("..", as+r.block("Erase a person/sh", 0)+r.block("Check/sh", 0))
	if strings.Count(out, `"repeated":false`) != 2 || strings.Count(out, `"repeated":true`) != 2 || strings.Count(out, "library norte ") != 1 {
		t.Errorf("forget and check print %s, want two people forgotten and repeated, and one deep check", out)
	}
	m.run("..", as+"as_lectern lectern partner create later --name Later\n")
	if out := m.run("..", as+restore); !strings.Contains(out, "acme") || strings.Contains(out, "later") {
		t.Errorf("the status of what was restored is %s, want it as it was copied", out)
	}
	m.called(stopped, started)

	if out := m.run(release(t, m), as+upgrade); !strings.Contains(out, "lectern-linux-amd64: OK") {
		t.Errorf("the upgrade says %s, want that the sum is right", out)
	}
	m.called("restart lectern.service")
	if b, err := os.ReadFile(filepath.Join(m.dir, "usr/local/bin/lectern")); err != nil || !bytes.HasSuffix(b, []byte(newer)) {
		t.Errorf("the binary in place has %d bytes, %v, and is not the new one", len(b), err)
	}
	moved(t, m, r)
}

// newer is what tells a new binary from the one that it is made of.
const newer = "a new release"

// release returns the folder of a release.
func release(t *testing.T, m *machine) string {
	t.Helper()
	dir := t.TempDir()
	b, err := os.ReadFile(filepath.Join(m.dir, "usr/local/bin/lectern"))
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, newer...)
	sums := fmt.Sprintf("%x  lectern-linux-amd64\n%064d  lectern-linux-arm64\n", sha256.Sum256(b), 0)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "lectern-linux-amd64"), b, 0o644), os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums), 0o644)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// moved moves a machine to another one, whose server starts with all that the first one had.
func moved(t *testing.T, m *machine, r readme) {
	t.Helper()
	m.run("..", replaced(t, r.block("Move to another machine/sh", 0), "cd / ", "cd "+m.dir+" "))
	m.called(strings.Replace(enabled, "enable", "disable", 1), "stop lectern-load*")
	other := newMachine(t)
	archive, err := os.ReadFile(filepath.Join(m.dir, "root/lectern.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other.dir, "root/lectern.tar.gz"), archive, 0o600); err != nil {
		t.Fatal(err)
	}
	other.run("..", replaced(t, r.block("Move to another machine/sh", 1), "tar -C / ", "tar -C "+other.dir+" "))
	other.called("daemon-reload", enabled)
	for _, name := range []string{"env", "load"} { // which name places on the first machine's folder
		file := filepath.Join(other.dir, "etc/lectern", name)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, bytes.ReplaceAll(b, []byte(m.dir), []byte(other.dir)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(other.dir, "srv/feeds"), os.DirFS(filepath.Join(m.dir, "srv/feeds"))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(m.dir); err != nil {
		t.Fatal(err)
	}
	checkUnits(t, other)
}

// readUnit returns the settings of a unit of the machine: those of a key on a line each.
func (m *machine) readUnit(name string) map[string]string {
	m.Helper()
	b, err := os.ReadFile(filepath.Join(m.dir, "etc/systemd/system", name))
	if err != nil {
		m.Fatal(err)
	}
	unit := make(map[string]string)
	for line := range strings.Lines(m.on(string(b))) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			unit[key] += value + "\n"
		}
	}
	return unit
}

// checkUnits runs what the units run, in their environment.
func checkUnits(t *testing.T, m *machine) {
	t.Helper()
	start := func(unit string, more ...string) *exec.Cmd {
		u := m.readUnit(unit)
		if u["User"] != "lectern\n" {
			t.Errorf("%s is of user %q", unit, u["User"])
		}
		script := "set -a\n"
		for file := range strings.Lines(u["EnvironmentFile"]) { // values with spaces are not quoted there
			b, err := os.ReadFile(strings.TrimSpace(file))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				script += name + "='" + value + "'\n"
			}
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script+"exec "+u["ExecStart"])
		cmd.Dir, cmd.Env = strings.TrimSpace(u["WorkingDirectory"]), append(os.Environ(), more...)
		return cmd
	}
	service := start("lectern.service", "LECTERN_ADDR=127.0.0.1:0", "LECTERN_ADMIN_ADDR=127.0.0.1:0")
	if err := until(t, service, `"serving"`, func(string) {}); err != nil {
		t.Errorf("the service, interrupted, ends with %v", err)
	}
	// A libraries load is for the full hour, which comes in a second here.
	next := time.Now().Add(24 * time.Hour).Truncate(time.Hour).Add(-time.Second).UTC().Format(time.RFC3339)
	if out, err := start("lectern-load.service", "LECTERN_CLOCK="+next).CombinedOutput(); err != nil {
		t.Errorf("the hourly load = %s %v", out, err)
	}
}

// dockers takes the place of docker: it runs in place of a container what the container would, with a database and feeds here.
const dockers = `[ "$1" = compose ] && [ -s compose.yaml ] && [ "$(wc -l < .env)" = 2 ]
case "$2 $3 $4" in
"up --build --detach")
	[ "$5" = server ] && grep -q "^  $5:" compose.yaml ;;
"run --rm lectern")
	shift 4 && lectern "$@" ;;
"run --rm load")
	lectern $(sed -n "/^  $4:/,/command:/s/.*command: \\[\\(.*\\)\\]/\\1/p" compose.yaml | sed "s,/feeds,$FEEDS,; s/,//g") ;;
*)
	exit 1 ;;
esac`

// TestReadmeContainer runs the commands of the containers, on a copy of their folder.
func TestReadmeContainer(t *testing.T) {
	r := readReadme(t)
	dir, tools := t.TempDir(), t.TempDir()
	deploy := filepath.Join(dir, "server", "deploy")
	if err := os.CopyFS(deploy, os.DirFS("../server/deploy")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tools, "docker"), []byte("#!/bin/sh -e\n"+dockers+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	feeds := filepath.Join(dir, "feeds")
	s := shell{dir, []string{"FEEDS=" + feeds, "LECTERN_DB=sqlite:" + filepath.Join(dir, "lectern.db"), inPath(tools, bin)}}
	s.run(t, "lectern demo --feeds "+feeds+" && mv "+feeds+"/schools/demo "+feeds+"/schools/acme && rm -r "+feeds+"/libraries")
	out := s.run(t, r.block("Container/sh", 0))
	if !strings.Contains(out, `"referenceId":"acme"`) || !strings.Contains(out, `{"kind":"partner","reference":"acme","rows":4`) || !strings.Contains(out, `"apiKey":"`) {
		t.Errorf("the commands print %s, want a partner, a load and a key", out)
	}
	info, err := os.Stat(filepath.Join(deploy, ".env"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf(".env is %v, %v, want that only its owner can read it", info, err)
	}
}

// TestReadmeDump dumps and restores a PostgreSQL database.
func TestReadmeDump(t *testing.T) {
	r := readReadme(t)
	db := dbtest.Postgres(t)
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := shell{t.TempDir(), []string{"LECTERN_DB=" + db.URL, inPath(bin), "PGHOST=" + u.Hostname(), "PGPORT=" + u.Port(), "PGUSER=" + u.User.Username()}}
	s.run(t, "dropdb --if-exists restored")
	t.Cleanup(func() {
		exec.Command("dropdb", "--host", u.Hostname(), "--port", u.Port(), "--username", u.User.Username(), "restored").Run()
	})
	s.run(t, "lectern partner create acme --name Acme")
	s.run(t, r.block("Backup and restore/sh", 2))
	u.Path = "/restored"
	if out := s.run(t, "lectern status --json --db '"+u.String()+"'"); !strings.Contains(out, `"reference":"acme"`) {
		t.Errorf("the status of the restored database is %s, want its partner", out)
	}
}

// TestReadmeCitus distributes a database over a stand-in of Citus; what asks for servers of their own is printed in the place of run.
func TestReadmeCitus(t *testing.T) {
	r := readReadme(t)
	db := dbtest.Citus(t)
	s := shell{t.TempDir(), []string{"LECTERN_DB=" + db.URL, inPath(bin)}}
	const stubs = `psql() { echo "psql: $2"; }; systemctl() { :; }; as_lectern() { "$@" || [ "$2" = check ]; }` + "\n" // the tests' server is set for speed, which check calls wrong
	out := s.run(t, stubs+"lectern partner create acme --name Acme\n"+r.block("Citus/sh", 0))
	for _, want := range []string{"psql: CREATE EXTENSION citus", "psql: SELECT citus_set_coordinator_host(", "\nthe tables are distributed by tenant into 32 shards\n", "cluster distributed by tenant into 32 shards ok"} {
		if !strings.Contains(out, want) && !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("it prints %s, want %s", out, want)
		}
	}
}

// preludes are what the README's pieces of Go stand in, by their first line.
var preludes = map[string]string{
	`import "github.com/lectern-dev/lectern/reading"`: `start := time.Now()`,
	`lectern, err := server.New(ctx, server.Config{URL: "sqlite:lectern.db"})`: `ctx, mux, addr := context.Background(), http.NewServeMux(), ""
	logged := func(h http.Handler) http.Handler { return h }`,
}

// TestReadmeGo compiles the pieces of Go.
func TestReadmeGo(t *testing.T) {
	r := readReadme(t)
	dir := t.TempDir()
	for i, text := range r.blocks["Go packages/go"] {
		first, rest, _ := strings.Cut(text, "\n")
		prelude, ok := preludes[first]
		if !ok {
			t.Errorf("nobody knows where %q stands", first)
			continue
		}
		imports := first
		if !strings.HasPrefix(first, "import ") {
			imports, rest = `import "github.com/lectern-dev/lectern/server"`, text
		}
		for _, pkg := range []string{"context", "net/http", "time"} {
			if strings.Contains(prelude+rest, filepath.Base(pkg)+".") {
				imports += "\nimport \"" + pkg + "\""
			}
		}
		if !strings.Contains(rest, "return ") {
			rest += "\nreturn nil"
		}
		source := filepath.Join(dir, fmt.Sprint(i, ".go"))
		body := "package piece\n\n" + imports + "\n\nfunc piece() error {\n" + prelude + "\n" + rest + "\n}\n"
		if err := os.WriteFile(source, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "go", "build", source).CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, body)
		}
	}
}

// TestReadmeMake checks that make has the targets of the blocks.
func TestReadmeMake(t *testing.T) {
	r := readReadme(t)
	for _, name := range []string{"Test/sh", "Run/sh"} {
		for line := range strings.Lines(r.block(name, 0)) {
			if out, err := (exec.Command("sh", "-ec", "cd .. && "+strings.Replace(line, "make ", "make -n ", 1))).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", line, err, out)
			}
		}
	}
}

var (
	fenced  = regexp.MustCompile("(?s)```.*?```")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link    = regexp.MustCompile(`\]\(([^)]*)\)|(?m:^\[[\w.]+\]: (\S+)$)`)
)

// anchors returns the anchors of a page's headings.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(string(b), ""), -1) {
		slug := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		if slug = strings.ReplaceAll(slug, " ", "-"); found[slug] {
			t.Errorf("%s has two headings %q", file, m[1])
		}
		found[slug] = true
	}
	return found
}

// TestReadmeSizes checks that no page is too long, and that no line outside of a block has more than 100 characters.
func TestReadmeSizes(t *testing.T) {
	r := readReadme(t)
	for _, page := range pages {
		text := r.texts[page.file]
		if len(text) > page.size {
			t.Errorf("%s has %d bytes, want %d at most", page.file, len(text), page.size)
		}
		for line := range strings.Lines(fenced.ReplaceAllString(text, "")) {
			if utf8.RuneCountInString(line) > 100+len("\n") {
				t.Errorf("%s: longer than 100 characters: %s", page.file, line)
			}
		}
	}
}

// TestReadmeLinks checks that every link of the pages leads to a file, to a heading, or to the demo.
func TestReadmeLinks(t *testing.T) {
	r := readReadme(t)
	for page, text := range r.texts {
		text = fenced.ReplaceAllString(text, "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			checkLink(t, filepath.Join("..", page), cmp.Or(m[1], m[2]))
		}
		for _, m := range regexp.MustCompile("`(go run \\./([^ `]+)|make (\\w+))").FindAllStringSubmatch(text, -1) {
			if m[2] != "" {
				if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[2]))); err != nil {
					t.Errorf("%s: %s: %v", page, m[1], err)
				}
			} else if b, err := os.ReadFile("../Makefile"); err != nil || !strings.Contains(string(b), "\n"+m[3]+":") {
				t.Errorf("%s: %s: the Makefile has no such target", page, m[1])
			}
		}
	}
	for _, m := range regexp.MustCompile(`<(https?://[^>]*)>`).FindAllStringSubmatch(r.texts["README.md"], -1) {
		if !strings.HasPrefix(m[1], "http://127.0.0.1:8080/") {
			t.Errorf("%s leads out", m[1])
		}
	}
}

// checkLink checks that a link of a page leads somewhere.
func checkLink(t *testing.T, page, target string) {
	t.Helper()
	if strings.HasPrefix(target, "https://") && strings.HasSuffix(page, "CHANGELOG.md") {
		return // the conventions that it follows
	}
	file, anchor, isAnchor := strings.Cut(target, "#")
	if file == "" {
		file = page
	} else {
		file = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("%s: %s leads to no file: %v", page, target, err)
	} else if isAnchor && !anchors(t, file)[anchor] {
		t.Errorf("%s: %s leads to no heading", page, target)
	}
}
