package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"syscall"
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
	DB      string           `name:"db" placeholder:"URL" help:"sqlite:FILE or postgres://USER@HOST/NAME (default sqlite:lectern.db, of demo sqlite:lectern-demo.db)."`
	Version kong.VersionFlag `env:"-" help:"Print the version and exit."`

	Serve   serveCmd   `cmd:"" help:"Serve the APIs; creates or migrates the schema."`
	Demo    demoCmd    `cmd:"" help:"Make and serve a demo database; prints calls to paste."`
	Migrate migrateCmd `cmd:"" help:"Bring the schema up to date and say what was done."`
	Partner struct {
		Create partnerCreateCmd `cmd:"" help:"Create a partner account."`
	} `cmd:"" help:"Partner accounts."`
	Library struct {
		Create libraryCreateCmd `cmd:"" help:"Create a library network."`
	} `cmd:"" help:"Library networks."`
	Key struct {
		Issue struct {
			Directory issueDirectoryCmd `cmd:"" help:"Issue a key of the directory; shown once."`
			Schools   issueSchoolsCmd   `cmd:"" help:"Issue a key of a schools network; shown once."`
			Libraries issueLibrariesCmd `cmd:"" help:"Issue a key of a library network; shown once."`
		} `cmd:"" help:"Issue a key."`
		List   keyListCmd   `cmd:"" help:"List the keys, without their secrets."`
		Rotate keyRotateCmd `cmd:"" help:"Issue a successor; the old key lives on for a while."`
		Revoke keyRevokeCmd `cmd:"" help:"Revoke a key at once."`
	} `cmd:"" help:"API keys."`
	Sign signCmd `cmd:"" help:"Sign a call to the directory, for curl."`
	Load struct {
		Schools   loadSchoolsCmd   `cmd:"" help:"Load a schools feed for a partner."`
		Libraries loadLibrariesCmd `cmd:"" help:"Load a libraries feed, at the next full hour."`
	} `cmd:"" help:"Load a feed."`
	Generate struct {
		Schools   generateSchoolsCmd   `cmd:"" help:"Write a deterministic schools feed."`
		Libraries generateLibrariesCmd `cmd:"" help:"Write a deterministic libraries feed."`
	} `cmd:"" help:"Write a feed to try the product with."`
	Degrees degreesCmd `cmd:"" help:"Print or replace a partner's degree vocabulary."`
	Status  statusCmd  `cmd:"" help:"Show tenants, last loads, rows, keys by last use."`
	Export  struct {
		Schools   exportSchoolsCmd   `cmd:"" help:"Write a partner's schools data as plain rows."`
		Libraries exportLibrariesCmd `cmd:"" help:"Write a library network's data as plain rows."`
	} `cmd:"" help:"Write the folded data as plain rows."`
	Backup     backupCmd     `cmd:"" help:"Copy an embedded database while it is in use."`
	Completion completionCmd `cmd:"" help:"Print a script for completion in bash, zsh or fish."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"Print what can follow some words."`
}

// session is what a command runs with.
type session struct {
	ctx            context.Context
	stdout, stderr io.Writer
	db             string // as asked for; empty is the command's default
	now            func() time.Time
	clock          func() time.Time  // now, where the environment sets it; else nil
	model          *kong.Application // of the commands
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
		warnOfVariables(stderr, parser.Model) // one of them may be what is missing
		report(stderr, explainUsage(err))
		return exitUsage
	}
	s := &session{ctx: ctx, stdout: stdout, stderr: stderr, db: c.DB, now: time.Now, model: parser.Model}
	if err = s.begin(parsed); err == nil {
		err = parsed.Run(s)
	}
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
	case errors.Is(err, syscall.ENOSPC):
		err = fmt.Errorf("%w; make room and run this again", err)
	case errors.Is(err, packed.ErrCorrupt):
		err = fmt.Errorf("%w; the database is damaged: restore a copy of it, or load into a new one", err)
	}
	report(stderr, err)
	return exitError
}

// begin reads what the environment says to every command, except one that is asked at each keystroke.
func (s *session) begin(parsed *kong.Context) (err error) {
	if strings.HasPrefix(parsed.Command(), "complete") {
		return nil
	}
	warnOfVariables(s.stderr, s.model)
	s.clock, err = startClock(s.stderr)
	if s.clock != nil {
		s.now = s.clock
	}
	return err
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

// The examples of commands whose flags alone do not show how they are used.

// Help shows how keys are issued for a network.
func (c *issueSchoolsCmd) Help() string {
	return `The network is one that a feed or the directory API has created. When it is deleted, its keys end with it.

  lectern key issue schools --partner acme --network rede-1 --expires 2027-06-30`
}

// Help shows how a key is issued, and used.
func (c *issueDirectoryCmd) Help() string {
	return `The key signs calls of the partner's own programs, and those of lectern sign.

  lectern key issue directory --partner acme  # {"accessKeyId":"1-1",…}
  export LECTERN_KEY_ID=1-1 LECTERN_SECRET=…  # for lectern sign`
}

// Help shows how a key is replaced.
func (c *keyRotateCmd) Help() string {
	return `The successor is of the same partner or network, and shares the rate.

  lectern key rotate 1-1              # both keys are good for a week
  lectern key rotate 1-1 --grace 0    # the old one has leaked: it ends now`
}

// Help shows a signed call.
func (c *signCmd) Help() string {
	return `The headers are good for 15 minutes.

  url=http://127.0.0.1:8080/api/v2/partners/entities?entity_type=school
  lectern sign GET "$url" --key-id 1-1 --secret … | xargs curl "$url"`
}

// Help shows an hourly load.
func (c *loadSchoolsCmd) Help() string {
	return `All or nothing, safe to run again: what was loaded before is not counted twice.

  lectern load schools --partner acme --check feed/
  lectern load schools --partner acme feed/
  lectern load schools --partner acme --skip-bad bad-rows.txt feed/
  lectern load schools --partner acme --ignore etag,created_at feed/`
}

// Help shows an hourly load.
func (c *loadLibrariesCmd) Help() string {
	return `One transaction, safe to run again: what was loaded before is not counted twice. It is read and checked at once, and
takes effect at the next full hour; a network's first load, at once.

  lectern load libraries --library rede --check feed/
  lectern load libraries --library rede feed/`
}
