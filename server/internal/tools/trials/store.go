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

// store is the database of a scenario.
type store struct {
	engine string
	dir    string   // SQLite's folder
	pg     *cluster // PostgreSQL's
	name   string   // of the database in it
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

// url is the URL for the product.
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

// workFolder makes a folder in memory, if there is room: disks are not what most scenarios test. The user that runs PostgreSQL may pass
// through it.
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
