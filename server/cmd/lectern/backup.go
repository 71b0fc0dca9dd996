package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/operate/shell"
)

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

// seconds is how long something took, to the millisecond.
func seconds(since time.Time) float64 { return float64(time.Since(since).Milliseconds()) / 1000 }
