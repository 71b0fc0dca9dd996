package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
)

// commands are the command line: kong reads the flags of each command from the struct's tags.
type commands struct {
	DB      string           `name:"db" placeholder:"URL" help:"Database: sqlite:FILE or postgres://USER@HOST/NAME (default sqlite:lectern.db; for demo sqlite:lectern-demo.db)."`
	Version kong.VersionFlag `env:"-" help:"Print the version and exit."`

	Serve   serveCmd   `cmd:"" help:"Serve the APIs; creates or migrates the schema."`
	Demo    demoCmd    `cmd:"" help:"Create a demo database if there is none, print a key with calls to paste, and serve it."`
	Migrate migrateCmd `cmd:"" help:"Bring the schema up to date and say what was done."`
	Partner struct {
		Create partnerCreateCmd `cmd:"" help:"Create a partner account."`
	} `cmd:"" help:"Partner accounts."`
	Library struct {
		Create libraryCreateCmd `cmd:"" help:"Create a library network."`
	} `cmd:"" help:"Library networks."`
	Key struct {
		Issue struct {
			Directory issueDirectoryCmd `cmd:"" help:"Issue a key of the partner directory; its secret is shown once."`
			Schools   issueSchoolsCmd   `cmd:"" help:"Issue a key of the schools API for one network; it is shown once."`
			Libraries issueLibrariesCmd `cmd:"" help:"Issue a key of the libraries API for a library network; it is shown once."`
		} `cmd:"" help:"Issue a key."`
		List   keyListCmd   `cmd:"" help:"List the keys, without their secrets."`
		Rotate keyRotateCmd `cmd:"" help:"Issue a successor of a key; the old one lives on for the grace."`
		Revoke keyRevokeCmd `cmd:"" help:"Revoke a key at once."`
	} `cmd:"" help:"API keys."`
	Sign signCmd `cmd:"" help:"Print the signed headers of a call to the partner directory, as curl flags."`
	Load struct {
		Schools   loadSchoolsCmd   `cmd:"" help:"Load a schools feed for a partner."`
		Libraries loadLibrariesCmd `cmd:"" help:"Load a libraries feed for a library network; it takes effect at the next full hour."`
	} `cmd:"" help:"Load a feed."`
	Generate struct {
		Schools   generateSchoolsCmd   `cmd:"" help:"Write a deterministic schools feed."`
		Libraries generateLibrariesCmd `cmd:"" help:"Write a deterministic libraries feed."`
	} `cmd:"" help:"Write a feed to try the product with."`
	Degrees degreesCmd `cmd:"" help:"Print a partner's degree vocabulary, or replace it by that of a file."`
	Status  statusCmd  `cmd:"" help:"Show the tenants: versions, last loads, rows stored, keys by last use."`
	Backup  backupCmd  `cmd:"" help:"Copy an embedded database while it is in use."`
}

// session is what a command runs with.
type session struct {
	ctx            context.Context
	stdout, stderr io.Writer
	db             string // as asked for; empty is the command's default
	now            func() time.Time
}

// The exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// errInterrupted is the error of a command that a signal ended before its work was done.
var errInterrupted = errors.New("interrupted; run it again")

// run runs one command and returns its exit code. Without arguments it prints help.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	var c commands
	exited := false // by --help or --version, after which kong parses on
	parser, err := kong.New(&c, kong.Name("lectern"), kong.DefaultEnvars("LECTERN"), kong.Vars{
		"version": version(), "history": schools.HistoryStart().String(),
		"librariesHistory": libraries.HistoryStart.String(), "usersQueue": server.DefaultUsersQueue().String(),
	},
		kong.Description("Reading data of schools and libraries, served from one database."),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { exited = true }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		panic(err) // the struct above is wrong
	}
	parsed, err := parser.Parse(args)
	if exited {
		return exitOK
	}
	if err != nil {
		report(stderr, fmt.Errorf("%w; see lectern --help", err))
		return exitUsage
	}
	err = parsed.Run(&session{ctx, stdout, stderr, c.DB, time.Now})
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted): // the command itself says what that means
	case ctx.Err() != nil: // whatever the error is by which the command noticed
		err = errInterrupted
	case database.Busy(err):
		err = fmt.Errorf("%w; another command is writing to the database: run this again when it has ended", err)
	case database.Full(err):
		err = fmt.Errorf("%s: %w; make room and run this again: nothing was changed", database.Redact(cmp.Or(c.DB, server.DefaultURL)), err)
	case errors.Is(err, packed.ErrCorrupt):
		err = fmt.Errorf("%w; the database is damaged: restore a copy of it, or load into a new one", err)
	}
	report(stderr, err)
	return exitError
}

// report writes an error as one line.
func report(w io.Writer, err error) {
	fmt.Fprintln(w, "lectern: "+strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; "))
}

// version names the build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return "lectern " + info.Main.Version
	}
	return "lectern (unknown version)"
}
