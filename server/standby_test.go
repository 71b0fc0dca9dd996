//go:build unix

package server_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/lectern-dev/lectern/server/database"
)

// servers are a PostgreSQL primary and a standby that follows it, each with processes of its own, for tests of what happens
// when a primary is lost. They are removed when the test ends.
type servers struct {
	// url names both, the primary first, and asks for the one that can be written to.
	url string

	tb               testing.TB
	bin              string // the folder of PostgreSQL's programs
	primary, standby string // folders of data
}

// newServers starts a pair. Its standby applies a commit before the commit is acknowledged, so that none is lost with the
// primary. PostgreSQL's programs are found as .ci/with-postgres finds them; the test fails where there are none.
func newServers(tb testing.TB) *servers {
	tb.Helper()
	if testing.Short() {
		tb.Skip("make verify runs what needs two PostgreSQL servers")
	}
	dir, err := os.MkdirTemp("", "lectern-pair-")
	if err != nil {
		tb.Fatal(err)
	}
	p := &servers{tb: tb, bin: programs(tb), primary: filepath.Join(dir, "primary"), standby: filepath.Join(dir, "standby")}
	tb.Cleanup(func() { p.stop(dir) })
	if who := owner(tb); who != nil {
		if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
	p.run("initdb", "-D", p.primary, "--locale=C", "-E", "UTF8", "-U", "lectern", "--auth=trust", "--no-sync")
	p.configure(p.primary, "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 50\nfsync = off")
	first := p.start(p.primary)
	p.run("pg_basebackup", "-D", p.standby, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync",
		"-d", "host=127.0.0.1 user=lectern application_name=standby port="+first)
	second := p.start(p.standby)
	p.configure(p.primary, "synchronous_standby_names = '*'\nsynchronous_commit = remote_apply")
	p.run("pg_ctl", "reload", "-D", p.primary)
	p.url = "postgres://lectern@127.0.0.1:" + first + ",127.0.0.1:" + second + "/postgres?sslmode=disable&target_session_attrs=read-write"
	return p
}

// freeze stops every process of the primary where it is. Its machine goes on to acknowledge what is sent there, and nothing
// is reset.
func (p *servers) freeze() {
	p.tb.Helper()
	p.signal(p.primary, syscall.SIGSTOP)
}

// kill ends the primary at once, as a crash does, and resets its connections.
func (p *servers) kill() {
	p.tb.Helper()
	p.run("pg_ctl", "stop", "-D", p.primary, "-m", "immediate", "-w", "-t", "60")
}

// part lets the standby follow no more: what the primary acknowledges from now on is lost with it.
func (p *servers) part() {
	p.tb.Helper()
	p.configure(p.primary, "synchronous_standby_names = ''\nsynchronous_commit = on")
	p.run("pg_ctl", "reload", "-D", p.primary)
	p.append(filepath.Join(p.standby, "postgresql.auto.conf"), "primary_conninfo = ''") // where pg_basebackup has set it
	p.run("pg_ctl", "reload", "-D", p.standby)
	db, err := database.Open(p.tb.Context(), p.url)
	if err != nil {
		p.tb.Fatal(err)
	}
	defer db.Close()
	for follows := true; follows; {
		if err := db.QueryRowContext(p.tb.Context(), `SELECT EXISTS (SELECT 1 FROM pg_stat_replication)`).Scan(&follows); err != nil {
			p.tb.Fatal(err)
		}
	}
}

// promote makes the standby a primary.
func (p *servers) promote() {
	p.tb.Helper()
	p.configure(p.standby, "synchronous_standby_names = ''")
	p.run("pg_ctl", "promote", "-D", p.standby, "-w", "-t", "60")
}

// programs is the folder of the newest PostgreSQL.
func programs(tb testing.TB) string {
	tb.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	other, _ := filepath.Glob("/usr/pgsql-*/bin/postgres")
	if found = append(found, other...); len(found) > 0 {
		slices.Sort(found)
		return filepath.Dir(found[len(found)-1])
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		tb.Fatal("PostgreSQL's programs are not found: install them, or run the tests with `make test`, which does")
	}
	return filepath.Dir(path)
}

// owner is who runs PostgreSQL where the test is root's, which it refuses; else nil.
func owner(tb testing.TB) *syscall.Credential {
	tb.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		tb.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil || err2 != nil {
		tb.Fatal(err, err2)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (p *servers) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, program), args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner(p.tb)}
	return cmd
}

func (p *servers) run(program string, args ...string) {
	p.tb.Helper()
	// A file, since a server that pg_ctl starts would keep a pipe open.
	out, err := os.CreateTemp(p.tb.TempDir(), program)
	if err != nil {
		p.tb.Fatal(err)
	}
	defer out.Close()
	cmd := p.command(program, args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		p.tb.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, said)
	}
}

// configure adds lines to a server's settings.
func (p *servers) configure(data, lines string) {
	p.tb.Helper()
	p.append(filepath.Join(data, "postgresql.conf"), lines)
}

func (p *servers) append(file, lines string) {
	p.tb.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		p.tb.Fatal(err)
	}
	if _, err := f.WriteString("\n" + lines + "\n"); err != nil {
		p.tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		p.tb.Fatal(err)
	}
}

// start starts a server at a free port, and returns the port.
func (p *servers) start(data string) (port string) {
	p.tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.tb.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(ln.Addr().String())
	ln.Close()
	p.run("pg_ctl", "start", "-D", data, "-w", "-t", "60", "-l", filepath.Join(data, "log"), "-o", "-p "+port)
	return port
}

// signal sends a signal to a server and to the processes that it started.
func (p *servers) signal(data string, s syscall.Signal) {
	p.tb.Helper()
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return // it does not run
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	postmaster, err := strconv.Atoi(string(first))
	if err != nil {
		p.tb.Fatal(err)
	}
	// The postmaster first, so that no process comes after the list of them.
	if err := syscall.Kill(postmaster, s); err != nil {
		p.tb.Errorf("signal process %d: %v", postmaster, err)
	}
	list, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		p.tb.Error(err)
	}
	for line := range strings.Lines(string(list)) {
		var pid, parent int
		if _, err := fmt.Sscan(line, &pid, &parent); err == nil && parent == postmaster {
			syscall.Kill(pid, s) // it may have ended meanwhile
		}
	}
}

// stop ends both servers and removes their data.
func (p *servers) stop(dir string) {
	p.signal(p.primary, syscall.SIGCONT)
	for _, data := range []string{p.standby, p.primary} {
		if _, err := os.Stat(filepath.Join(data, "postmaster.pid")); err == nil {
			p.run("pg_ctl", "stop", "-D", data, "-m", "immediate", "-w", "-t", "60")
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		p.tb.Error(err)
	}
}
