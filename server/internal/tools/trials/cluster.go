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
	"github.com/lectern-dev/lectern/server/internal/tools/proxy"
)

// cluster is a PostgreSQL primary, and perhaps a standby that applies each commit before the primary acknowledges it.
type cluster struct {
	dir   string
	user  *syscall.Credential // runs PostgreSQL if root runs the trials: PostgreSQL refuses root
	nodes []*node             // the primary first
}

type node struct {
	data, port string
	proxy      *proxy.Proxy // between lectern and it
}

// startCluster starts a cluster in a new folder below parent. With pair it has a standby.
func startCluster(parent string, pair bool) *cluster {
	c := &cluster{dir: must(os.MkdirTemp(parent, "postgres-"))}
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
	n.port, n.proxy = behindProxy()
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

// unhurried allows a connection more time than Lectern's default: a busy machine is not a fault.
const unhurried = "&connect_timeout=30"

// url returns the URL of a database through the proxies.
func (c *cluster) url(name string) string {
	var hosts []string
	for _, n := range c.nodes {
		hosts = append(hosts, n.proxy.Addr())
	}
	return "postgres://lectern@" + strings.Join(hosts, ",") + "/" + name + "?sslmode=disable&target_session_attrs=read-write" + unhurried
}

// url returns the URL of a database without proxies.
func (n *node) url(name string) string {
	return "postgres://lectern@127.0.0.1:" + n.port + "/" + name + "?sslmode=disable" + unhurried
}

// part stops replication: the standby receives no more changes, and the primary does not wait for it.
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
		n.proxy.Close()
		if _, err := os.Stat(filepath.Join(n.data, "postmaster.pid")); err == nil {
			_ = caught(func() { c.crash(n) })
		}
	}
	_ = os.RemoveAll(c.dir)
}

// run runs one of PostgreSQL's programs, which .ci/with-postgres adds to the PATH. Its output goes to a file, since a server that it
// starts would keep a pipe open.
func (c *cluster) run(program string, args ...string) {
	out := must(os.CreateTemp("", "lectern-trials-"))
	defer os.Remove(out.Name())
	defer out.Close()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.user, Setpgid: true}
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		check(fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, bytes.TrimSpace(said)))
	}
}

// behindProxy returns a free port, and a proxy in front of it. It frees the port only when the proxy listens: the proxy's own port could
// be the same.
func behindProxy() (port string, p *proxy.Proxy) {
	ln := must(net.Listen("tcp", "127.0.0.1:0"))
	defer ln.Close()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port), must(proxy.New(ln.Addr().String(), nil))
}

func appendTo(file, lines string) {
	f := must(os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0))
	_, err := f.WriteString("\n" + lines)
	check(errors.Join(err, f.Close()))
}

const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// store is the database of a scenario.
type store struct {
	engine string
	dir    string   // folder of the SQLite file
	pg     *cluster // the PostgreSQL cluster
	name   string   // of the database in pg
}

// create creates an empty database in PostgreSQL.
func (s *store) create() {
	if s.engine == postgres {
		check(s.pg.exec(`CREATE DATABASE ` + s.name + ` TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`))
	}
}

func (s *store) remove() {
	if s.engine == postgres {
		_ = s.pg.exec(`DROP DATABASE IF EXISTS ` + s.name + ` WITH (FORCE)`)
	}
}

// url returns the URL for the product.
func (s *store) url() string {
	if s.engine == sqlite {
		return "sqlite:" + filepath.Join(s.dir, "lectern.db")
	}
	return s.pg.url(s.name)
}

// open opens the database without a proxy while f runs, to damage it or to read it.
func (s *store) open(f func(context.Context, *database.DB) error) error {
	if s.engine == sqlite {
		return opened(s.url(), f)
	}
	return opened(s.pg.nodes[0].url(s.name), f)
}

// opened opens a database while f runs.
func opened(url string, f func(context.Context, *database.DB) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	db, err := database.Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	return f(ctx, db)
}

// exec runs one statement on the cluster.
func (c *cluster) exec(statement string) error {
	return opened(c.nodes[0].url("postgres"), func(ctx context.Context, db *database.DB) error {
		_, err := db.ExecContext(ctx, statement)
		return err
	})
}

// workFolder makes a folder, in memory if TMPDIR is not set and /dev/shm exists: most scenarios do not test disks. The user that
// runs PostgreSQL may traverse the folder.
func workFolder() (dir string, err error) {
	parent := os.Getenv("TMPDIR")
	if i, err := os.Stat("/dev/shm"); err == nil && i.IsDir() && parent == "" {
		parent = "/dev/shm"
	}
	if dir, err = os.MkdirTemp(parent, "lectern-trials-"); err == nil {
		err = os.Chmod(dir, 0o711)
	}
	return dir, err
}
