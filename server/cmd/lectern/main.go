// Command lectern serves reading data of schools and libraries from one database, and keeps that database.
//
//	lectern demo      # a database with a small network, a key to try, and the server
//	lectern --help    # the other commands
//
// Settings come from flags, then from LECTERN_* variables, then from defaults. Logs and progress go to stderr, results
// to stdout. Exit 1 is an error, told in one line that says what to do; exit 2 is wrong usage.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/openapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// commands are the command line: kong reads the flags of each command from the struct's tags.
type commands struct {
	DB      string           `name:"db" placeholder:"URL" help:"sqlite:FILE or postgres://USER@HOST/NAME (default sqlite:lectern.db, of demo sqlite:lectern-demo.db)."`
	Version kong.VersionFlag `env:"-" help:"Print the version and exit."`

	Serve   serveCmd   `cmd:"" help:"Serve the APIs; creates or migrates the schema."`
	Demo    demoCmd    `cmd:"" help:"Make and serve a demo database; prints calls to paste."`
	Migrate migrateCmd `cmd:"" help:"Bring the schema up to date and say what was done."`
	Partner struct {
		Create partnerCreateCmd `cmd:"" help:"Create a partner account."`
		Remove partnerRemoveCmd `cmd:"" help:"Remove a partner account and all its data for good."`
	} `cmd:"" help:"Partner accounts."`
	Library struct {
		Create libraryCreateCmd `cmd:"" help:"Create a library network."`
		Remove libraryRemoveCmd `cmd:"" help:"Remove a library network and all its data for good."`
	} `cmd:"" help:"Library networks."`
	Key struct {
		Issue struct {
			Directory issueDirectoryCmd `cmd:"" help:"Issue a key for the directory; it is shown once."`
			Schools   issueSchoolsCmd   `cmd:"" help:"Issue a key for a school network; it is shown once."`
			Libraries issueLibrariesCmd `cmd:"" help:"Issue a key for a library network; it is shown once."`
		} `cmd:"" help:"Issue a key."`
		List   keyListCmd   `cmd:"" help:"List the keys, without their secrets."`
		Rotate keyRotateCmd `cmd:"" help:"Issue a new key; the old one stays valid for a while."`
		Revoke keyRevokeCmd `cmd:"" help:"Revoke a key at once."`
	} `cmd:"" help:"API keys."`
	Sign signCmd `cmd:"" help:"Sign a call to the directory, for curl."`
	Load struct {
		Schools   loadSchoolsCmd   `cmd:"" help:"Load a schools feed for a partner."`
		Libraries loadLibrariesCmd `cmd:"" help:"Load a libraries feed for a library network."`
		All       loadAllCmd       `cmd:"" help:"Load the changed feeds of many tenants."`
	} `cmd:"" help:"Load a feed."`
	Check   checkCmd   `cmd:"" help:"Check the set-up and the data for problems."`
	Forget  forgetCmd  `cmd:"" help:"Erase a person's name, e-mail and phone permanently."`
	Degrees degreesCmd `cmd:"" help:"Print or replace a partner's degree vocabulary."`
	Status  statusCmd  `cmd:"" help:"Show tenants, last loads, rows, keys by last use."`
	Backup  backupCmd  `cmd:"" help:"Copy an embedded database while it is in use."`
}

// Validate refuses to distribute an embedded database.
func (c *commands) Validate() error {
	if c.Migrate.Distribute.Asked && strings.HasPrefix(cmp.Or(c.DB, server.DefaultURL), "sqlite:") {
		return errors.New("--distribute is for PostgreSQL with Citus; name its coordinator with --db postgres://USER@HOST/NAME")
	}
	return nil
}

// help describes what the flags of commands do not show: one section for each command.
var help string

// details gives each command its section of a text as its help. A section begins with a line of == and the words of a command.
func details(text string) kong.Option {
	sections := make(map[string]string)
	for section := range strings.SplitSeq("\n"+text, "\n== ") {
		command, detail, _ := strings.Cut(section, "\n")
		sections[command] = strings.TrimSpace(detail)
	}
	return kong.PostBuild(func(k *kong.Kong) error {
		for _, leaf := range k.Model.Leaves(true) {
			leaf.Detail = sections[strings.TrimPrefix(leaf.FullPath(), k.Model.Name+" ")]
		}
		return nil
	})
}

// newParser returns the parser of the command line into c. exit is called by --help and --version.
func newParser(c *commands, stdout, stderr io.Writer, exit func(int)) (*kong.Kong, error) {
	return kong.New(c, kong.Name("lectern"), kong.Description("Reading data of schools and libraries, served from one database."),
		kong.DefaultEnvars("LECTERN"), kong.Vars{
			"version": version(), "history": schools.HistoryStart().String(),
			"librariesHistory": libraries.HistoryStart.String(), "usersQueue": server.DefaultUsersQueue().String(),
		},
		kong.Writers(stdout, stderr), kong.Exit(exit), kong.ConfigureHelp(kong.HelpOptions{Compact: true}), details(help))
}

// The exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// run runs one command and returns its exit code. Without arguments it prints the help, as for `help COMMAND`.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c commands
	exited := false // by --help or --version, after which kong parses on
	parser, err := newParser(&c, stdout, stderr, func(int) { exited = true })
	if err != nil {
		panic(err) // the struct above is wrong
	}
	parsed, err := parser.Parse(args)
	if exited {
		return exitOK
	}
	s := &session{ctx: ctx, stdout: stdout, stderr: stderr, url: c.DB, now: time.Now, parser: parser}
	if err != nil {
		s.warnOfVariables() // one of them may be what is missing
		s.report(usage(err))
		return exitUsage
	}
	defer s.close()
	s.warnOfVariables()
	if err = s.startClock(); err == nil {
		err = parsed.Run(s)
	}
	if err == nil {
		return exitOK
	}
	s.report(advised(ctx, err))
	return exitError
}

// usage adds to a parse error the call that prints the command's help.
func usage(err error) error {
	command := "lectern"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok {
		if node := parse.Context.Selected(); node != nil {
			command = node.FullPath()
		}
	}
	return fmt.Errorf("%w; see %s --help", err, command)
}

// variables is the prefix of the environment variables.
const variables = "LECTERN_"

// warnOfVariables warns about each LECTERN_* variable that no command reads: it may be mistyped.
func (s *session) warnOfVariables() {
	known := []string{server.SecretKeyVariable, clockVariable}
	for _, node := range append(s.parser.Model.Leaves(false), s.parser.Model.Node) {
		for _, f := range node.Flags {
			known = append(known, f.Envs...)
		}
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, variables) && !strings.HasPrefix(name, variables+"TEST_") && !slices.Contains(known, name) {
			s.warn(name + " is no setting and is not read; the help of each command names its own")
		}
	}
}

// clockVariable starts the clock of a command at another time, only for trials. No help mentions it.
const clockVariable = variables + "CLOCK"

// startClock starts the session's clock at the time in the environment, if there is one, and warns about it.
func (s *session) startClock() error {
	text := os.Getenv(clockVariable)
	if text == "" {
		return nil
	}
	from, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("%s: %q is no time; write it as 2026-11-21T16:59:50-03:00, or unset it", clockVariable, text)
	}
	start := time.Now()
	s.clock = func() time.Time { return from.Add(time.Since(start)) }
	s.warn(fmt.Sprintf("the clock of this command starts at %s (%s); for tests only", text, clockVariable))
	s.now = s.clock
	return nil
}

// version returns the version, and the commit if the binary was built in a checkout.
func version() string {
	text := "lectern " + openapi.Version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				text += " (commit " + s.Value[:min(12, len(s.Value))] + ")"
			}
		}
	}
	return text
}
