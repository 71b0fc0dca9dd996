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

// A cluster is a PostgreSQL of the trials' own: a primary, and perhaps a standby that applies each commit before it is
// acknowledged.
type cluster struct {
	dir, bin string
	who      *syscall.Credential // who runs it, where the trials are root's; PostgreSQL refuses to be
	nodes    []*node             // the primary first
}

type node struct {
	data, port string
	proxy      *proxy // between lectern and it
}

// startCluster starts a cluster in a new folder below one.
func startCluster(parent string, pair bool) (_ *cluster, err error) {
	c := &cluster{}
	if c.bin, err = programs(); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp(parent, "postgres-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	if err := c.own(); err != nil {
		return nil, err
	}
	n := &node{data: filepath.Join(c.dir, "first")}
	if err := c.run("initdb", "-D", n.data, "--locale=C", "-E", "UTF8", "-U", "lectern", "--auth=trust", "--no-sync"); err != nil {
		return nil, err
	}
	settings := "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 80\nfsync = off\nshared_buffers = '32MB'\n"
	if err := appendTo(filepath.Join(n.data, "postgresql.conf"), settings); err != nil {
		return nil, err
	}
	if err := c.add(n); err != nil || !pair {
		return c, err
	}
	return c, c.follow()
}

// follow adds a standby to the first node.
func (c *cluster) follow() error {
	first, n := c.nodes[0], &node{data: filepath.Join(c.dir, fmt.Sprint("standby-", len(c.nodes)))}
	if err := c.run("pg_basebackup", "-D", n.data, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync",
		"-d", "host=127.0.0.1 user=lectern application_name=standby port="+first.port); err != nil {
		return err
	}
	if err := c.add(n); err != nil {
		return err
	}
	if err := appendTo(filepath.Join(first.data, "postgresql.conf"), "synchronous_standby_names = '*'\nsynchronous_commit = remote_apply\n"); err != nil {
		return err
	}
	return c.run("pg_ctl", "reload", "-D", first.data)
}

// add starts a node with a proxy in front.
func (c *cluster) add(n *node) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	n.port = port
	if n.proxy, err = newProxy("127.0.0.1:" + port); err != nil {
		return err
	}
	c.nodes = append(c.nodes, n)
	return c.start(n)
}

func (c *cluster) start(n *node) error {
	return c.run("pg_ctl", "start", "-D", n.data, "-w", "-t", "60", "-l", filepath.Join(n.data, "log"), "-o", "-p "+n.port)
}

// crash ends a node at once and starts it again.
func (c *cluster) crash(n *node) error {
	return errors.Join(c.run("pg_ctl", "stop", "-D", n.data, "-m", "immediate", "-w", "-t", "60"), c.start(n))
}

// promote lets the standby take over from a primary that ends at once.
func (c *cluster) promote() error {
	if err := c.run("pg_ctl", "stop", "-D", c.nodes[0].data, "-m", "immediate", "-w", "-t", "60"); err != nil {
		return err
	}
	n := c.nodes[1]
	err := c.run("pg_ctl", "promote", "-D", n.data, "-w", "-t", "60")
	c.nodes = []*node{n, c.nodes[0]}
	return err
}

// primary is the node that is written to.
func (c *cluster) primary() *node { return c.nodes[0] }

// unhurried lets connecting take longer than Lectern does: a machine that is busy with other things is no fault.
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

// part lets the standby hear no more of the primary, which no longer waits for it.
func (c *cluster) part() error {
	for i, line := range []string{"synchronous_standby_names = ''\n", "primary_conninfo = ''\n"} {
		data := c.nodes[i].data
		if err := errors.Join(appendTo(filepath.Join(data, "postgresql.auto.conf"), line), c.run("pg_ctl", "reload", "-D", data)); err != nil {
			return err
		}
	}
	return opened(c.nodes[1].url("postgres"), func(ctx context.Context, db *database.DB) (err error) {
		for n := 1; n > 0 && err == nil; {
			err = db.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_wal_receiver`).Scan(&n)
		}
		return err
	})
}

// stop ends all and removes the data.
func (c *cluster) stop() {
	for _, n := range c.nodes {
		n.proxy.close()
		if _, err := os.Stat(filepath.Join(n.data, "postmaster.pid")); err == nil {
			_ = c.run("pg_ctl", "stop", "-D", n.data, "-m", "immediate", "-w", "-t", "60")
		}
	}
	_ = os.RemoveAll(c.dir)
}

// own gives the folder to who runs PostgreSQL.
func (c *cluster) own() error {
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	c.who = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(c.dir, uid, gid)
}

// run runs one of PostgreSQL's programs. What it says goes to a file, for a server that it starts would keep a pipe open.
func (c *cluster) run(program string, args ...string) error {
	out, err := os.CreateTemp("", "lectern-trials-")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.who, Setpgid: true}
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, bytes.TrimSpace(said))
	}
	return nil
}

// programs is the folder of the newest PostgreSQL.
func programs() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	other, _ := filepath.Glob("/usr/pgsql-*/bin/postgres")
	if found = append(found, other...); len(found) > 0 {
		slices.Sort(found)
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", errors.New("PostgreSQL's programs are not found: install them, or run this with `make trials`, which does")
	}
	return filepath.Dir(path), nil
}

func freePort() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	return port, err
}

func appendTo(file, lines string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + lines)
	return errors.Join(err, f.Close())
}
