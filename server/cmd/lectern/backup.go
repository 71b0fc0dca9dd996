package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/server/database"
)

type backupCmd struct {
	File string `arg:"" help:"Where to write the copy. The file must not exist."`
}

// Run copies the database and says what else must be kept. It does not look at the schema: a copy should be made before a
// migration.
func (c *backupCmd) Run(s *session) error {
	db, err := s.openExisting(nil)
	if err != nil {
		return err
	}
	start := time.Now()
	size, err := db.Backup(s.ctx, c.File)
	if errors.Is(err, database.ErrNoBackup) {
		err = fmt.Errorf("%w; copy it with pg_dump --format=custom", err)
	}
	if err != nil {
		return err
	}
	kept, err := secrets(db)
	if err != nil {
		return err
	}
	return s.print(struct {
		File      string  `json:"file"`
		Bytes     int64   `json:"bytes"`
		Seconds   float64 `json:"seconds"`
		SecretKey *string `json:"keepToo"` // where the key of the secrets is; null = there is none
	}{c.File, size, float64(time.Since(start).Milliseconds()) / 1000, kept.KeyAt()})
}
