package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/load/progress"
	"github.com/lectern-dev/lectern/server/internal/operate/erase"
	"github.com/lectern-dev/lectern/server/internal/operate/status"
)

// session has what a command needs to run.
type session struct {
	ctx            context.Context
	stdout, stderr io.Writer
	url            string // of the database, as asked for; empty is the command's default
	toLoad         bool   // it is opened for a load
	now            func() time.Time
	clock          func() time.Time // now, where the environment sets it; else nil
	parser         *kong.Kong
	opened         []*database.DB
}

// open opens the database, checks it if check is not nil, and closes it when the session ends.
func (s *session) open(check func(context.Context, *database.DB) error) (*database.DB, error) {
	s.url = cmp.Or(s.url, server.DefaultURL)
	open := database.Open
	if s.toLoad {
		open = database.OpenToLoad
	}
	db, err := open(s.ctx, s.url)
	if err != nil {
		return nil, err
	}
	s.opened = append(s.opened, db)
	if check != nil {
		err = check(s.ctx, db)
	}
	return db, err
}

// openExisting is open for a database that must exist, so that a mistyped name does not create an empty one.
func (s *session) openExisting(check func(context.Context, *database.DB) error) (*database.DB, error) {
	file, isFile := strings.CutPrefix(cmp.Or(s.url, server.DefaultURL), "sqlite:")
	file, _, _ = strings.Cut(file, "?")
	if _, err := os.Stat(file); isFile && file != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("database sqlite:%s does not exist; name another with --db, or run lectern migrate", file)
	}
	return s.open(check)
}

// migrated brings the schema up to date.
func migrated(ctx context.Context, db *database.DB) error {
	_, err := server.Migrate(ctx, db)
	return err
}

// upToDate returns an error if the schema is not current.
func upToDate(ctx context.Context, db *database.DB) error {
	ok, err := db.SchemaCurrent(ctx, server.Schema()...)
	if err == nil && !ok {
		err = fmt.Errorf("the schema of %s is not up to date; run lectern migrate", database.Redact(db.URL))
	}
	return err
}

func (s *session) close() {
	for _, db := range s.opened {
		db.Close()
	}
}

// keys returns the store of keys.
func (s *session) keys(db *database.DB) *authdb.Store { return &authdb.Store{DB: db.DB, Now: s.clock} }

// status returns the reader of what lectern status and key list print.
func (s *session) status(db *database.DB) *status.Reader {
	return &status.Reader{DB: db, Store: s.keys(db), Superseded: server.Remover(db, nil)}
}

// tenant returns the tenant of a kind with a reference.
func (s *session) tenant(db *database.DB, kind snapshotdb.Kind, reference string) (snapshotdb.Tenant, error) {
	t, err := snapshotdb.TenantOf(s.ctx, db, kind, reference)
	if errors.Is(err, snapshotdb.ErrNotFound) {
		err = fmt.Errorf("there is no %s %q; create it with lectern %s create", kind, reference, kind)
	}
	return t, err
}

// openTenant opens the database by openExisting, and finds the tenant in it.
func (s *session) openTenant(check func(context.Context, *database.DB) error, kind snapshotdb.Kind, reference string) (*database.DB, snapshotdb.Tenant, error) {
	db, err := s.openExisting(check)
	if err != nil {
		return nil, snapshotdb.Tenant{}, err
	}
	t, err := s.tenant(db, kind, reference)
	return db, t, err
}

// print writes v as one line of JSON to stdout.
func (s *session) print(v any) error {
	enc := json.NewEncoder(s.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// warn prints a line that is not an error.
func (s *session) warn(text string) { fmt.Fprintln(s.stderr, "lectern: warning: "+text) }

// report writes an error as one line.
func (s *session) report(err error) {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
	fmt.Fprintln(s.stderr, "lectern: "+strings.Join(lines, "; "))
}

// progress shows the progress of a command on a terminal, and that of a load that is given a name in the log too. The caller must
// call Finish.
func (s *session) progress(load string) *progress.Progress {
	if load == "" {
		return progress.New(s.stderr, nil)
	}
	return progress.New(s.stderr, progress.NewLog(s.stderr, "info").With("load", load))
}

// errInterrupted is the error of a command that a signal ended too early.
var errInterrupted = errors.New("interrupted; run it again")

// advice says what to do about errors that do not say it themselves.
var advice = []struct {
	is  func(error) bool
	say string
}{
	{database.Busy, "another command is writing to the database: run this again when it has ended"},
	{database.Full, "make room and run this again: nothing was changed"},
	{is(database.ErrJournal), "run this again when backups and long requests have ended"},
	{is(erase.ErrUnknown), "userId is the number that the reports show"},
	{is(syscall.ENOSPC), "make room and run this again"},
	{is(packed.ErrCorrupt), "the database is damaged, or of an earlier Lectern: restore a copy of it, or load into a new one"},
	{is(directory.ErrRef), "give 1 to 255 characters, neither . nor .. nor control characters"},
	{is(authdb.ErrExpiry), "give a later day"},
	{is(authdb.ErrRotated), "rotate that one (see lectern key list), or issue a new key"},
	{is(authdb.ErrDead), "issue a new one"},
	{is(snapshotdb.ErrRemoved), "see lectern status"},
	{is(authdb.ErrNotFound), "see lectern key list"},
	{is(server.ErrNetwork), "load a feed that names it (lectern load schools), or let the partner create it by the directory API"},
	{is(server.ErrAdminAddr), "choose another address with --admin-addr, or none with --admin-addr="},
}

func is(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }

// advised adds to an error of a command what to do about it.
func advised(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, errInterrupted) { // whatever the error is by which the command noticed
		return errInterrupted
	}
	for _, a := range advice {
		if a.is(err) {
			return fmt.Errorf("%w; %s", err, a.say)
		}
	}
	return err
}
