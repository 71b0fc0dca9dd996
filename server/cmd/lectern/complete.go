package main

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/lectern-dev/lectern/server/internal/commandline"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a script.
func (c *completionCmd) Run(s *session) error {
	script, err := commandline.Scripts.ReadFile("lectern." + c.Shell)
	if err == nil {
		_, err = s.stdout.Write(script)
	}
	return err
}

type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words after lectern, the last as far as it is typed."`
}

// Run prints what the last word can be.
func (c *completeCmd) Run(s *session) error {
	return commandline.Complete(s.stdout, s.parser, c.Words, s.values)
}

// completeTimeout is how long the database is asked for values: who types waits no longer.
const completeTimeout = time.Second

// values returns what a flag or an argument can have, where that is known: its own list, or what the database holds. An error
// of the database is nothing: there is no place to tell it.
func (s *session) values(typed commandline.Typed) (list []commandline.Proposal) {
	what := typed.Value.Name
	if !slices.Contains([]string{"partner", "library", "network", "id", "key-id"}, what) {
		return commandline.Enum(typed.Value)
	}
	s.url = cmp.Or(typed.Flags["db"], s.url)
	ctx, cancel := context.WithTimeout(s.ctx, completeTimeout)
	defer cancel()
	s.ctx = ctx
	db, err := s.openExisting(upToDate)
	if err != nil {
		return nil
	}
	named, _ := s.status(db).Named(ctx, what, typed.Flags["partner"])
	for _, n := range named {
		list = append(list, commandline.Proposal(n))
	}
	return list
}
