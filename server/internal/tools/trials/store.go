package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/lectern-dev/lectern/server/database"
)

const (
	sqlite   = "sqlite"
	postgres = "postgres"
)

// store is the database of one trial.
type store struct {
	engine string
	dir    string   // SQLite's folder
	pg     *cluster // PostgreSQL's
	name   string   // of its database there
	direct bool     // no proxy between
}

// create makes an empty database on PostgreSQL.
func (s *store) create() error {
	if s.engine == sqlite {
		return nil
	}
	return s.pg.exec(`CREATE DATABASE ` + s.name + ` TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`)
}

// remove removes it.
func (s *store) remove() {
	if s.engine == postgres {
		_ = s.pg.exec(`DROP DATABASE IF EXISTS ` + s.name + ` WITH (FORCE)`)
	}
}

// url is the URL for the product.
func (s *store) url() string {
	switch {
	case s.engine == sqlite:
		return "sqlite:" + filepath.Join(s.dir, "lectern.db")
	case s.direct:
		return s.pg.primary().url(s.name)
	}
	return s.pg.url(s.name)
}

// open opens the database besides the product, to damage it or to look at it, while f runs.
func (s *store) open(f func(context.Context, *database.DB) error) error {
	through := *s
	through.direct = true
	return opened(through.url(), f)
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
	return opened(c.primary().url("postgres"), func(ctx context.Context, db *database.DB) error {
		_, err := db.ExecContext(ctx, statement)
		return err
	})
}

// workFolder is where trials work: in memory, where there is room, for what a disk does is not what is tried. Who runs PostgreSQL
// may pass through it.
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
