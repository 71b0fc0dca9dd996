package main

import (
	"context"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/commandline"
	"github.com/lectern-dev/lectern/server/internal/status"
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
func (s *session) values(typed commandline.Typed) []commandline.Proposal {
	ask := held[typed.Value.Name]
	if ask == nil {
		return commandline.Enum(typed.Value)
	}
	if url := typed.Flags["db"]; url != "" {
		s.url = url
	}
	ctx, cancel := context.WithTimeout(s.ctx, completeTimeout)
	defer cancel()
	s.ctx = ctx
	db, err := s.openExisting(upToDate)
	if err != nil {
		return nil
	}
	list, err := ask(s, db, typed.Flags)
	if err != nil {
		return nil
	}
	return list
}

// held are the flags and arguments whose values are in the database, by their names.
var held = map[string]proposer{
	"partner": tenantsOf(authdb.Partner),
	"library": tenantsOf(authdb.Library),
	"network": networksOf,
	"id":      keysOf(""),
	"key-id":  keysOf(auth.Directory),
}

// proposer proposes values that a database holds. flags are the values that were given.
type proposer func(s *session, db *database.DB, flags map[string]string) ([]commandline.Proposal, error)

// tenantsOf proposes the references of the tenants of a kind.
func tenantsOf(kind authdb.Kind) proposer {
	return func(s *session, db *database.DB, _ map[string]string) (list []commandline.Proposal, err error) {
		tenants, err := s.keys(db).Tenants(s.ctx)
		for _, t := range tenants {
			if t.Kind == kind {
				list = append(list, commandline.Proposal{Word: t.Reference, Help: t.Name})
			}
		}
		return list, err
	}
}

// networksOf proposes the references of the networks of the partner that is named already.
func networksOf(s *session, db *database.DB, flags map[string]string) (list []commandline.Proposal, err error) {
	p, err := s.tenant(db, authdb.Partner, flags["partner"])
	if err != nil {
		return nil, err
	}
	entities, err := directorydb.Entities(s.ctx, db, directory.PartnerID(p.ID))
	for _, e := range entities {
		if e.Type == directory.Network && !e.Deleted {
			list = append(list, commandline.Proposal{Word: string(e.Ref), Help: e.Name})
		}
	}
	return list, err
}

// keysOf proposes the ids of the keys that are good, of one API or, where that is empty, of all.
func keysOf(api auth.API) proposer {
	return func(s *session, db *database.DB, _ map[string]string) (list []commandline.Proposal, err error) {
		keys, err := s.status(db).Keys(s.ctx)
		for _, k := range keys {
			if k.State != status.Live || api != "" && k.API != api {
				continue
			}
			of := string(k.API) + " of " + k.Tenant
			if k.Network != nil {
				of += ", " + *k.Network
			}
			list = append(list, commandline.Proposal{Word: k.ID, Help: of})
		}
		return list, err
	}
}
