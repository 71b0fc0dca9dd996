package examples_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
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

	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// readmeBlocks are all blocks of the README, in order: the section and the language of each. TestReadme runs them; one that is
// not listed, or that stands elsewhere, fails it.
var readmeBlocks = []string{
	"Try it/sh", "Try it/sh",
	"The schools API/sh",
	"The partner directory/sh", "The partner directory/sh",
	"Python/python", "Power Query/powerquery", "Power Query/powerquery", "Spreadsheets/sh", "Spreadsheets/sh",
	"As a library/go", "As a library/go",
	"In production/sh", "With systemd/ini", "With systemd/sh", "As a container/dockerfile",
	"Backup and upgrade/sh", "Backup and upgrade/sh",
	"A feed of real schools and books/sh",
}

// readme is the README in parts.
type readme struct {
	text   string
	blocks map[string][]string // by section and language
}

// readReadme reads the README and holds that its blocks are those that are known.
func readReadme(t *testing.T) readme {
	t.Helper()
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	r := readme{string(b), make(map[string][]string)}
	var found []string
	section, name, block := "", "", ""
	for line := range strings.Lines(r.text) {
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
	if !slices.Equal(found, readmeBlocks) {
		t.Fatalf("the README has the blocks\n%q\nand there are tests for\n%q", found, readmeBlocks)
	}
	return r
}

// one returns the only block of a section and language, or the n-th.
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
	demo := exec.CommandContext(t.Context(), "sh", "-c", r.block("Try it/sh", 0))
	demo.Dir, demo.Env = "..", append(os.Environ(), env...)
	_ = until(t, demo, "Ctrl-C", func(lines string) { // go run ends with 1 when it is interrupted
		base := strings.TrimSuffix(regexp.MustCompile(`http://\S+/docs\b`).FindString(lines), "/docs")
		key := regexp.MustCompile(`Schools key.*: (\S+)`).FindStringSubmatch(lines)[1]
		here := func(text string) string { return replaced(t, text, "http://127.0.0.1:8080", base) }
		s := shell{dir, append(env, inPath(bin), curlFails(t))}
		t.Run("curl", func(t *testing.T) {
			out := s.run(t, here(replaced(t, r.block("Try it/sh", 1), "1-1-…", key)+r.block("The schools API/sh", 0)+r.block("Spreadsheets/sh", 0)+r.block("Spreadsheets/sh", 1)))
			if !strings.Contains(out, `"profile":"student"`) || !strings.Contains(out, `"startDate":"2026-10-01"`) || !strings.Contains(out, `"rows":[{"userId"`) {
				t.Errorf("the calls answer %.2000s", out)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "leituras.csv")); err != nil || !bytes.HasPrefix(b, []byte("\ufeffuserId;")) || bytes.Count(b, []byte("\n")) < 10 {
				t.Errorf("the spreadsheet is %.200q, %v", b, err)
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
			begin := replaced(t, r.block("The partner directory/sh", 0), "LECTERN_KEY_ID=1-1 LECTERN_SECRET=…", "LECTERN_KEY_ID="+k.AccessKeyID+" LECTERN_SECRET="+k.Secret)
			out := s.run(t, here(begin)+r.block("The partner directory/sh", 1))
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
	"install": `[ "$1" = -d ] && shift
if [ "$1" = -o ]; then [ "$2 $3 $4" = "$(cat "$MACHINE/user") -g $2" ] && shift 4; fi
[ "$1" = -m ] && mkdir -p "$3" && chmod "$2" "$3"`,
	"systemctl": `echo "$@" >> "$MACHINE/systemctl"`,
}

// TestReadmeProduction sets up a machine as the README says, in a folder of its own, runs what systemd would, and copies it.
func TestReadmeProduction(t *testing.T) {
	r := readReadme(t)
	machine, tools := t.TempDir(), t.TempDir()
	for name, text := range standIns {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh -e\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"usr/local/bin", "var/lib", "srv", "etc/systemd/system"} {
		if err := os.MkdirAll(filepath.Join(machine, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	there := regexp.MustCompile(`/(usr/local/bin|var/lib/lectern|srv/feeds|etc/lectern|etc/systemd|backup)\b`)
	on := func(text string) string { return there.ReplaceAllString(text, machine+"$0") }
	local := filepath.Join(machine, "usr/local/bin")
	setup := r.block("In production/sh", 0)
	commands := setup + r.block("With systemd/sh", 0) + r.block("Backup and upgrade/sh", 0)
	if m := regexp.MustCompile(`(?m)^lectern .*`).FindString(commands); m != "" {
		t.Errorf("%q makes files that are not the service's own", m)
	}
	s := shell{"..", []string{"MACHINE=" + machine, inPath(tools, local)}}
	out := s.run(t, on(commands))
	if strings.Count(out, `{"apiKey":"`) != 2 || !strings.Contains(out, "Bibliotecas do Norte") && !strings.Contains(out, "norte") || !strings.Contains(out, `"keepToo"`) {
		t.Errorf("the set-up prints %s, want two keys, the status and a backup", out)
	}
	calls, err := os.ReadFile(filepath.Join(machine, "systemctl"))
	if want := "daemon-reload\nenable --now lectern.service lectern-load@schools.timer lectern-load@libraries.timer\n"; err != nil || string(calls) != want {
		t.Errorf("systemctl is called with %q, %v, want %q", calls, err, want)
	}
	if copies, _ := filepath.Glob(filepath.Join(machine, "backup/lectern-*.db")); len(copies) != 1 {
		t.Errorf("the backups are %q, want one", copies)
	}
	units := readUnits(t, machine, on(r.block("With systemd/ini", 0)))
	checkUnits(t, units, machine)
}

// readUnits writes the units of a block into the folder of systemd and returns their settings: those of a key on a line each.
func readUnits(t *testing.T, machine, block string) map[string]map[string]string {
	t.Helper()
	units := make(map[string]map[string]string)
	file, name := "", ""
	for line := range strings.Lines(block) {
		key, value, isSetting := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case strings.HasPrefix(line, "# "):
			file, _, _ = strings.Cut(strings.TrimSpace(line[2:]), ";")
			name = filepath.Base(file)
			units[name] = make(map[string]string)
			continue
		case isSetting:
			units[name][key] += value + "\n"
		case strings.TrimSpace(line) != "" && !regexp.MustCompile(`^\[(Unit|Service|Timer|Install)\]$`).MatchString(strings.TrimSpace(line)):
			t.Errorf("%s has the line %q", name, line)
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString(line)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"lectern-load@.service", "lectern-load@.timer", "lectern.service"}; !slices.Equal(slices.Sorted(maps.Keys(units)), want) {
		t.Fatalf("the units are %q, want %q", slices.Sorted(maps.Keys(units)), want)
	}
	if _, err := exec.LookPath("systemd-analyze"); err == nil { // where there is systemd, it reads them too
		folder := strings.TrimSuffix(file, name)
		for _, unit := range []string{"lectern.service", "lectern-load@schools.service", "lectern-load@schools.timer"} {
			if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", folder+unit).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("systemd says of %s: %s %v", unit, out, err)
			}
		}
	}
	return units
}

// checkUnits runs what the units run, in their environment.
func checkUnits(t *testing.T, units map[string]map[string]string, machine string) {
	start := func(unit, instance string, more ...string) *exec.Cmd {
		u := units[unit]
		if u["User"] != "lectern\n" {
			t.Errorf("%s is of user %q", unit, u["User"])
		}
		script := "set -a\n"
		for file := range strings.Lines(u["EnvironmentFile"]) { // values with spaces are not quoted there
			b, err := os.ReadFile(strings.TrimSpace(strings.ReplaceAll(file, "%i", instance)))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				script += name + "='" + value + "'\n"
			}
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script+"exec "+strings.ReplaceAll(u["ExecStart"], "%i", instance))
		cmd.Dir, cmd.Env = strings.TrimSpace(u["WorkingDirectory"]), append(os.Environ(), more...)
		return cmd
	}
	service := start("lectern.service", "", "LECTERN_ADDR=127.0.0.1:0", "LECTERN_ADMIN_ADDR=127.0.0.1:0")
	if err := until(t, service, `"serving"`, func(string) {}); err != nil {
		t.Errorf("the service, interrupted, ends with %v", err)
	}
	// A libraries load is for the full hour, which comes in a second here.
	next := time.Now().Add(24 * time.Hour).Truncate(time.Hour).Add(-time.Second).UTC().Format(time.RFC3339)
	for _, feed := range []string{"schools", "libraries"} {
		cmd := start("lectern-load@.service", feed, "LECTERN_CLOCK="+next)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"newEvents":0`) {
			t.Errorf("the hourly load of %s = %s %v, want one that finds nothing new", feed, out, err)
		}
	}
}

// TestReadmeContainer does what the image's recipe does, and starts what is in it.
func TestReadmeContainer(t *testing.T) {
	r := readReadme(t)
	dir := t.TempDir()
	s := shell{dir: "..", env: []string{"LECTERN_DB=sqlite:" + filepath.Join(dir, "data", "lectern.db")}}
	var run, entry string
	known := regexp.MustCompile(`^(FROM \S+( AS \w+)?|WORKDIR /\w+|COPY (--\S+ )*\S+ \S+|USER \d+:\d+|VOLUME /data|EXPOSE [\d ]+|ENV (LECTERN_\w+=\S+ ?)+|RUN .+|ENTRYPOINT .+|CMD .+)$`)
	for line := range strings.Lines(r.block("As a container/dockerfile", 0)) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line != "" && !known.MatchString(line):
			t.Errorf("what is %q?", line)
		case word == "RUN":
			run = rest
		case word == "ENV":
			s.env = append(s.env, strings.Fields(rest)...)
		case word == "ENTRYPOINT", word == "CMD":
			var words []string
			if err := json.Unmarshal([]byte(rest), &words); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			entry += strings.Join(words, " ") + " "
		}
	}
	s.run(t, replaced(t, run, " /lectern ", " "+dir+"/lectern ", "mkdir /data", "mkdir "+dir+"/data"))
	if entry != "lectern serve " {
		t.Errorf("the image runs %q, want lectern serve", entry)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "lectern"), "migrate")
	cmd.Env = append(os.Environ(), s.env...)
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("warning")) {
		t.Errorf("in the image's environment lectern says %s %v, want no variable that it does not know", out, err)
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
	s.run(t, r.block("Backup and upgrade/sh", 1))
	u.Path = "/restored"
	if out := s.run(t, "lectern status --json --db '"+u.String()+"'"); !strings.Contains(out, `"reference":"acme"`) {
		t.Errorf("the status of the restored database is %s, want its partner", out)
	}
}

// TestReadmeFeed makes a network of real schools and books, at a smaller size.
func TestReadmeFeed(t *testing.T) {
	r := readReadme(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"census_2025_tocantins.csv.gz": "CO_ENTIDADE,NO_ENTIDADE,SG_UF,NO_MUNICIPIO\n17000001,Escola da Serra,TO,Palmas\n17000002,Escola do Rio,TO,Gurupi\n",
		"editions_isbn13.csv.gz":       "title,author,isbn13\nDom Casmurro,Machado de Assis,9788535910681\nIracema,José de Alencar,9788508040377\n",
	} {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	s := shell{dir, []string{"LECTERN_ADDR=" + addr, "LECTERN_ADMIN_ADDR=127.0.0.1:0", inPath(bin), curlFails(t)}}
	out := s.run(t, replaced(t, r.block("A feed of real schools and books/sh", 0), "127.0.0.1:8080", addr, "--users 10000 --days 300", "--users 600 --days 40"))
	if !strings.Contains(out, `"period":{"startDate":"2026-02-01","endDate":"2026-02-28"}`) || !strings.Contains(out, `"data":{"rows":[{"userId":`) {
		t.Errorf("it prints %s, want a row of February", out)
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
	for i, text := range r.blocks["As a library/go"] {
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
		body := "package main\n\n" + imports + "\n\nfunc main() { _ = piece() }\n\nfunc piece() error {\n" + prelude + "\n" + rest + "\n}\n"
		if err := os.WriteFile(source, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, source).CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, body)
		}
	}
}

// TestReadmeLinks holds that every link of the README leads somewhere: to a file, to a heading, or to the demo.
func TestReadmeLinks(t *testing.T) {
	r := readReadme(t)
	anchors := make(map[string]bool)
	text := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(r.text, "")
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		slug := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		if slug = strings.ReplaceAll(slug, " ", "-"); anchors[slug] {
			t.Errorf("there are two headings %q", m[1])
		}
		anchors[slug] = true
	}
	links := regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(text, -1)
	if len(links) < 10 {
		t.Errorf("%d links are found, want more", len(links))
	}
	for _, m := range links {
		file, anchor, isAnchor := strings.Cut(m[1], "#")
		switch {
		case isAnchor && (file != "" || !anchors[anchor]):
			t.Errorf("%s leads to no heading", m[1])
		case !isAnchor:
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(file))); err != nil {
				t.Errorf("%s leads to no file: %v", m[1], err)
			}
		}
	}
	for _, m := range regexp.MustCompile(`<(https?://[^>]*)>`).FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], "http://127.0.0.1:8080/") {
			t.Errorf("%s leads out", m[1])
		}
	}
	for _, m := range regexp.MustCompile("`(go run \\./(\\S+)|make (\\w+))").FindAllStringSubmatch(text, -1) {
		if m[2] != "" {
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(strings.TrimSuffix(m[2], "`")))); err != nil {
				t.Errorf("%s: %v", m[1], err)
			}
			continue
		}
		if b, err := os.ReadFile("../Makefile"); err != nil || !strings.Contains(string(b), "\n"+m[3]+":") {
			t.Errorf("%s: the Makefile has no such target", m[1])
		}
	}
}
