package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/internal/operate/erase"
)

// forgetCmd reads no environment variable but that of the database, since an erasure cannot be undone.
type forgetCmd struct {
	UserID  userID `arg:"" optional:"" name:"userid" help:"The person's userId, as the reports show it."`
	Partner string `env:"-" placeholder:"REF" help:"The partner's reference_id, for a student, a teacher or another account."`
	Library string `env:"-" placeholder:"SLUG" help:"The library network's slug, for a reader."`
	List    bool   `env:"-" help:"List the erased persons, to erase them again after an earlier backup is restored."`
}

// userID is the number of a person.
type userID int64

// UnmarshalText reads a whole number from 1 on.
func (u *userID) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no userId; give the number that the reports show, such as 4711", text)
	}
	*u = userID(n)
	return nil
}

// Validate refuses arguments that do not name exactly one person.
func (c *forgetCmd) Validate() error {
	switch {
	case c.List && (c.UserID != 0 || c.Partner != "" || c.Library != ""):
		return errors.New("--list lists all erased persons: give it without other arguments")
	case !c.List && (c.UserID == 0 || (c.Partner == "") == (c.Library == "")):
		return errors.New("give either --partner REF or --library SLUG, and a userId")
	}
	return nil
}

// Run erases a person and prints what was done without naming them.
func (c *forgetCmd) Run(s *session) error {
	check := migrated
	if c.List {
		check = upToDate
	}
	db, err := s.openExisting(check)
	if err != nil {
		return err
	}
	f := &erase.Eraser{DB: db, Now: s.clock}
	if c.List {
		return f.List(s.ctx, func(of snapshotdb.Tenant, user int64) error { // as arguments of forget, for xargs
			_, err := fmt.Fprintf(s.stdout, "--%s=%s %d\n", of.Kind, quote(of.Reference), user)
			return err
		})
	}
	kind, reference := snapshotdb.Partner, c.Partner
	if c.Library != "" {
		kind, reference = snapshotdb.Library, c.Library
	}
	t, err := s.tenant(db, kind, reference)
	if err != nil {
		return err
	}
	done, err := f.Person(s.ctx, t, int64(c.UserID))
	if err != nil {
		return err
	}
	return s.print(done)
}
