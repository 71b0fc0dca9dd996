package main

import (
	"bytes"
	"context"
	"errors"
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

	"github.com/lectern-dev/lectern/server/database"
)

// cluster is a PostgreSQL of the trials' own: a primary, and perhaps a standby that applies each commit before it is acknowledged.
type cluster struct {
	dir, bin string
	user     *syscall.Credential // that runs it if root runs the trials: PostgreSQL refuses root
	nodes    []*node             // the primary first
}

type node struct {
	data, port string
	proxy      *proxy // between lectern and it
}

// startCluster starts a cluster in a new folder below one.
func startCluster(parent string, pair bool) *cluster {
	c := &cluster{bin: programs(), dir: must(os.MkdirTemp(parent, "postgres-"))}
	if err := caught(func() { c.init(pair) }); err != nil {
		c.stop()
		panic(stopped{err})
	}
	return c
}

func (c *cluster) init(pair bool) {
	if os.Geteuid() == 0 {
		u := must(user.Lookup("postgres"))
		uid, gid := must(strconv.Atoi(u.Uid)), must(strconv.Atoi(u.Gid))
		c.user = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		check(os.Chown(c.dir, uid, gid))
	}
	first := &node{data: filepath.Join(c.dir, "first")}
	c.run("initdb", "-D", first.data, "--locale=C", "-E", "UTF8", "-U", "lectern", "--auth=trust", "--no-sync")
	appendTo(filepath.Join(first.data, "postgresql.conf"),
		"listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 80\nfsync = off\nshared_buffers = '32MB'\n")
	c.add(first)
	if !pair {
		return
	}
	standby := &node{data: filepath.Join(c.dir, "standby")}
	c.run("pg_basebackup", "-D", standby.data, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync",
		"-d", "host=127.0.0.1 user=lectern application_name=standby port="+first.port)
	c.add(standby)
	appendTo(filepath.Join(first.data, "postgresql.conf"), "synchronous_standby_names = '*'\nsynchronous_commit = remote_apply\n")
	c.reload(first)
}

// add starts a node with a proxy in front.
func (c *cluster) add(n *node) {
	n.port = freePort()
	n.proxy = newProxy("127.0.0.1:" + n.port)
	c.nodes = append(c.nodes, n)
	c.start(n)
}

func (c *cluster) start(n *node) {
	c.run("pg_ctl", "start", "-D", n.data, "-w", "-t", "60", "-l", filepath.Join(n.data, "log"), "-o", "-p "+n.port)
}

func (c *cluster) crash(n *node) {
	c.run("pg_ctl", "stop", "-D", n.data, "-m", "immediate", "-w", "-t", "60")
}

func (c *cluster) reload(n *node) { c.run("pg_ctl", "reload", "-D", n.data) }

// promote crashes the primary and lets the standby take over.
func (c *cluster) promote() {
	c.crash(c.nodes[0])
	slices.Reverse(c.nodes)
	c.run("pg_ctl", "promote", "-D", c.nodes[0].data, "-w", "-t", "60")
}

// unhurried lets a connection take longer than Lectern does: a machine that is busy with other work is no fault.
const unhurried = "&connect_timeout=30"

// url is the URL of a database through the proxies.
func (c *cluster) url(name string) string {
	var hosts []string
	for _, n := range c.nodes {
		hosts = append(hosts, n.proxy.addr())
	}
	return "postgres://lectern@" + strings.Join(hosts, ",") + "/" + name + "?sslmode=disable&target_session_attrs=read-write" + unhurried
}

// url is the URL of a database without proxies.
func (n *node) url(name string) string {
	return "postgres://lectern@127.0.0.1:" + n.port + "/" + name + "?sslmode=disable" + unhurried
}

// part stops replication: the standby receives no more, and the primary does not wait for it.
func (c *cluster) part() {
	for i, line := range []string{"synchronous_standby_names = ''\n", "primary_conninfo = ''\n"} {
		appendTo(filepath.Join(c.nodes[i].data, "postgresql.auto.conf"), line)
		c.reload(c.nodes[i])
	}
	check(opened(c.nodes[1].url("postgres"), func(ctx context.Context, db *database.DB) (err error) {
		for n := 1; n > 0 && err == nil; {
			err = db.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_wal_receiver`).Scan(&n)
		}
		return err
	}))
}

// stop ends all nodes and removes the data.
func (c *cluster) stop() {
	for _, n := range c.nodes {
		n.proxy.close()
		if _, err := os.Stat(filepath.Join(n.data, "postmaster.pid")); err == nil {
			_ = caught(func() { c.crash(n) })
		}
	}
	_ = os.RemoveAll(c.dir)
}

// run runs one of PostgreSQL's programs. Its output goes to a file, since a server that it starts would keep a pipe open.
func (c *cluster) run(program string, args ...string) {
	out := must(os.CreateTemp("", "lectern-trials-"))
	defer os.Remove(out.Name())
	defer out.Close()
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.user, Setpgid: true}
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		check(fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, bytes.TrimSpace(said)))
	}
}

// programs is the folder of the newest PostgreSQL.
func programs() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	other, _ := filepath.Glob("/usr/pgsql-*/bin/postgres")
	if found = append(found, other...); len(found) > 0 {
		slices.Sort(found)
		return filepath.Dir(found[len(found)-1])
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		check(errors.New("PostgreSQL's programs are not found: install them, or run this with `make trials`, which does"))
	}
	return filepath.Dir(path)
}

func freePort() string {
	ln := must(net.Listen("tcp", "127.0.0.1:0"))
	defer ln.Close()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
}

func appendTo(file, lines string) {
	f := must(os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0))
	_, err := f.WriteString("\n" + lines)
	check(errors.Join(err, f.Close()))
}
