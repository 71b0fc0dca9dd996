package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

type backupCmd struct {
	File string `arg:"" help:"Where to write the copy; there must be no such file."`
}

// Help says how to restore.
func (c *backupCmd) Help() string {
	return `The copy is one consistent state, made while the database is served and loaded; nothing waits for it. It is a database
like any other: --db sqlite:FILE opens it. To restore, stop lectern serve, remove lectern.db-wal and lectern.db-shm if they
are there, put the copy in the place of lectern.db, and start again.

The secrets of directory keys are sealed: keep the key (lectern.db.key, or LECTERN_SECRET_KEY) too, apart from the copies.
PostgreSQL has programs of its own: pg_dump copies such a database, pg_restore brings it back.

  lectern backup backups/lectern-$(date +%F).db
  lectern --db sqlite:/srv/lectern.db backup /mnt/backups/lectern.db`
}

// Run copies the database and says what else is to be kept. The schema is not looked at: a copy is what should be made
// before it is brought up to date.
func (c *backupCmd) Run(s *session) error {
	if err := s.exists(); err != nil {
		return err
	}
	db, err := database.Open(s.ctx, s.url())
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := os.Stat(filepath.Dir(c.File)); err != nil {
		return fmt.Errorf("%w; create the folder, or name another file", err)
	}
	start := time.Now()
	size, err := db.Backup(s.ctx, c.File)
	if err != nil {
		return c.explain(db, err)
	}
	return s.print(backedUp{c.File, size, float64(time.Since(start).Milliseconds()) / 1000, secretKeyOf(db)})
}

// backedUp is what a backup prints.
type backedUp struct {
	File      string  `json:"file"`
	Bytes     int64   `json:"bytes"`
	Seconds   float64 `json:"seconds"`
	SecretKey *string `json:"keepToo"` // where the key of the secrets is, null where there is none
}

// explain says what to do about an error of a backup.
func (c *backupCmd) explain(db *database.DB, err error) error {
	switch {
	case errors.Is(err, database.ErrNoBackup):
		return fmt.Errorf("%w; copy it with pg_dump --format=custom --file=%s %s", err, shellQuote(c.File), shellQuote(dumpURL(db.URL)))
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already and is not overwritten; name another file", c.File)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%w; name a file in a folder that can be written", err)
	}
	return err
}

// dumpURL returns a URL of PostgreSQL for its own programs: without the password, for which they ask, and without the
// parameters that are this program's.
func dumpURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return database.Redact(raw)
	}
	short := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User.Username() != "" {
		short.User = url.User(u.User.Username())
	}
	return short.String()
}

// secretKeyOf names where the key of the secrets of directory keys is kept: the environment, which goes before, or the file
// beside the database. Nil where there is neither.
func secretKeyOf(db *database.DB) *string {
	file := strings.TrimPrefix(db.URL, "sqlite:") + ".key"
	if _, err := os.Stat(file); err != nil {
		file = ""
	}
	name := ""
	if os.Getenv(server.SecretKeyVariable) != "" {
		name = server.SecretKeyVariable
	}
	if name = cmp.Or(name, file); name == "" {
		return nil
	}
	return &name
}
