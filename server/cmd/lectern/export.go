package main

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/export"
	"github.com/lectern-dev/lectern/server/internal/shell"
	"github.com/lectern-dev/lectern/server/internal/status"
)

// exporting are the flags and arguments of all exports.
type exporting struct {
	Folder string `arg:"" help:"Where to write the files: a new folder, or an empty one."`
	Format string `enum:"csv,ndjson" default:"csv" help:"csv or ndjson (default ${default})."`
}

type exportSchoolsCmd struct {
	exporting
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	Network string `placeholder:"REF" help:"Only the users of one network (default: all students and teachers of the partner)."`
}

// Run exports a partner and prints the number of rows of each file.
func (c *exportSchoolsCmd) Run(s *session, db current) error {
	p, err := s.tenant(db.DB, authdb.Partner, c.Partner)
	if err != nil {
		return err
	}
	of := export.SchoolsOf{Store: &schoolsdb.Store{DB: db.DB.DB, Now: s.clock}, Partner: directory.PartnerID(p.ID)}
	if c.Network != "" {
		if of.Network, err = server.Network(s.ctx, db, of.Partner, directory.Ref(c.Network)); err != nil {
			return err
		}
	}
	return c.run(s, func(o export.Options) (export.Summary, error) { return export.Schools(s.ctx, of, c.Folder, o) })
}

type exportLibrariesCmd struct {
	exporting
	Library string `required:"" placeholder:"SLUG" help:"The library network's slug."`
}

// Run exports a library network and prints the number of rows of each file.
func (c *exportLibrariesCmd) Run(s *session, db current) error {
	n, err := s.tenant(db.DB, authdb.Library, c.Library)
	if err != nil {
		return err
	}
	return c.run(s, func(o export.Options) (export.Summary, error) {
		return export.Libraries(s.ctx, export.LibrariesOf{Store: s.libraries(db.DB), Network: libraries.NetworkID(n.ID)}, c.Folder, o)
	})
}

// run exports by write and prints what was written.
func (c *exporting) run(s *session, write func(export.Options) (export.Summary, error)) error {
	bars := s.progress("")
	defer bars.Finish()
	start := time.Now()
	sum, err := write(export.Options{Format: export.Format(c.Format), Progress: bars.Show})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; create the folder above it, or name another one", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; name a folder that can be written", err)
	case err != nil:
		return err
	}
	var rows status.Counts // by file
	for _, f := range sum.Files {
		rows = append(rows, status.Count(f))
	}
	return s.print(struct {
		Rows    status.Counts `json:"rows"`
		Version string        `json:"version"`
		Seconds float64       `json:"seconds"`
	}{rows, fmt.Sprintf("%d.%d", sum.Versions.Registers, sum.Versions.Facts), seconds(start)})
}

// seconds is how long something took, to the millisecond.
func seconds(since time.Time) float64 { return float64(time.Since(since).Milliseconds()) / 1000 }

type backupCmd struct {
	File string `arg:"" help:"Where to write the copy; there must be no such file."`
}

// backedUp is what a backup prints.
type backedUp struct {
	File      string  `json:"file"`
	Bytes     int64   `json:"bytes"`
	Seconds   float64 `json:"seconds"`
	SecretKey *string `json:"keepToo"` // where the key of the secrets is, null where there is none
}

// Run copies the database and says what else is to be kept. The schema is not looked at: a copy is what should be made
// before it is brought up to date.
func (c *backupCmd) Run(s *session, db untouched) error {
	start := time.Now()
	size, err := db.Backup(s.ctx, c.File)
	if errors.Is(err, database.ErrNoBackup) {
		err = fmt.Errorf("%w; copy it with pg_dump --format=custom --file=%s %s", err, shell.Quote(c.File), shell.Quote(database.DumpURL(db.URL)))
	}
	if err != nil {
		return err
	}
	kept, err := secrets(db.DB)
	if err != nil {
		return err
	}
	return s.print(backedUp{c.File, size, seconds(start), kept.KeyAt()})
}
