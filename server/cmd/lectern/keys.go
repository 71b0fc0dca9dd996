package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/database"
)

// expiry is the flag of the commands that issue keys.
type expiry struct {
	Expires *calendar.Date `placeholder:"DATE" help:"Last day on which the key is good, in Brasilia time."`
}

// time returns the first moment at which the key is no longer good; zero is never.
func (e expiry) time() time.Time {
	if e.Expires == nil {
		return time.Time{}
	}
	return (*e.Expires + 1).Start()
}

type issueSchoolsCmd struct {
	Partner string `required:"" placeholder:"REF" help:"The partner's reference_id."`
	Network string `required:"" placeholder:"REF" help:"The network's reference_id."`
	expiry
}

// Run issues a key and prints it, the only time that it can be seen.
func (c *issueSchoolsCmd) Run(s *session) error {
	db, p, err := s.openPartner(s.openExisting, c.Partner)
	if err != nil {
		return err
	}
	defer db.Close()
	text, err := issueSchools(s, db, p, c.Network, &c.expiry)
	if err != nil {
		return err
	}
	return s.printKey(text)
}

func (s *session) printKey(text string) error {
	return s.print(struct {
		APIKey string `json:"apiKey"`
	}{text})
}

// issueSchools issues a key in one transaction with the look whether its network is there. It locks the partner's versions as
// the deletion of a network does, which revokes the network's keys: whichever of the two is first, no key outlives its
// network (G3).
func issueSchools(s *session, db *database.DB, p directorydb.Partner, network string, e *expiry) (text string, err error) {
	err = db.RunInTx(s.ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if _, err := authdb.Lock(ctx, tx, auth.Tenant(p.ID)); err != nil {
			return err
		}
		id, err := findNetwork(ctx, tx, p, network)
		if err != nil {
			return err
		}
		params := authdb.IssueParams{Tenant: auth.Tenant(p.ID), API: auth.Schools, Network: int64(id)}
		if e != nil {
			params.Expires = e.time()
		}
		text, _, err = s.keys(db).IssueIn(ctx, tx, params)
		return err
	})
	if err != nil {
		return "", explainKey(err, "")
	}
	return text, nil
}

type issueLibrariesCmd struct {
	Library string `required:"" placeholder:"SLUG" help:"The library network's slug."`
	expiry
}

// Run issues a key and prints it, the only time that it can be seen.
func (c *issueLibrariesCmd) Run(s *session) error {
	db, err := s.openExisting()
	if err != nil {
		return err
	}
	defer db.Close()
	text, err := issueLibraries(s, db, c.Library, &c.expiry)
	if err != nil {
		return err
	}
	return s.printKey(text)
}

func issueLibraries(s *session, db *database.DB, slug string, e *expiry) (string, error) {
	n, err := s.library(db, slug)
	if err != nil {
		return "", err
	}
	params := authdb.IssueParams{Tenant: auth.Tenant(n.ID), API: auth.Libraries}
	if e != nil {
		params.Expires = e.time()
	}
	text, _, err := s.keys(db).Issue(s.ctx, params)
	return text, explainKey(err, "")
}

// findNetwork returns the live network with a reference.
func findNetwork(ctx context.Context, idb bun.IDB, p directorydb.Partner, ref string) (directory.EntityID, error) {
	entities, err := directorydb.Entities(ctx, idb, p.ID)
	if err != nil {
		return 0, err
	}
	for _, e := range entities {
		if e.Type == directory.Network && e.Ref == directory.Ref(ref) && !e.Deleted {
			return e.ID, nil
		}
	}
	return 0, fmt.Errorf("partner %q has no network %q; load a feed that names it (lectern load schools), "+
		"or let the partner create it by the directory API", p.Ref, ref)
}

// explainKey says what to do about an error of the keys' store.
func explainKey(err error, id string) error {
	switch {
	case errors.Is(err, authdb.ErrExpiry):
		return errors.New("--expires is over already; give a later day")
	case errors.Is(err, authdb.ErrNotFound):
		return fmt.Errorf("there is no key %q; see lectern key list", id)
	case errors.Is(err, authdb.ErrRotated):
		return fmt.Errorf("key %q has a successor already; rotate that one (see lectern key list), or issue a new key", id)
	case errors.Is(err, authdb.ErrDead):
		return fmt.Errorf("key %q is expired or revoked; issue a new one", id)
	}
	return err
}

type keyRotateCmd struct {
	ID    string `arg:"" help:"The key's id, as lectern key list shows it."`
	Grace grace  `default:"7d" placeholder:"TIME" help:"How long the old key lives on: 7d, 12h, 30m, 0 (default ${default})."`
	expiry
}

// Run issues the successor and prints it. Without --expires it expires when the old key was to.
func (c *keyRotateCmd) Run(s *session) error {
	db, err := s.openExisting()
	if err != nil {
		return err
	}
	defer db.Close()
	store := s.keys(db)
	text, k, err := c.rotate(s, store)
	if errors.Is(err, auth.ErrBox) { // it is a directory key, whose secret is sealed
		if store.Box, err = s.box(db); err == nil {
			text, k, err = c.rotate(s, store)
		}
	}
	if err != nil {
		return explainKey(err, c.ID)
	}
	if k.API == auth.Directory {
		return s.print(directoryKey{k.ID(), text})
	}
	return s.printKey(text)
}

func (c *keyRotateCmd) rotate(s *session, store *authdb.Store) (text string, k auth.Key, err error) {
	if c.Expires == nil {
		return store.Rotate(s.ctx, c.ID, time.Duration(c.Grace))
	}
	return store.RotateUntil(s.ctx, c.ID, time.Duration(c.Grace), c.time())
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"The key's id, as lectern key list shows it."`
}

// Run revokes a key; to revoke it again is no error.
func (c *keyRevokeCmd) Run(s *session) error {
	db, err := s.openExisting()
	if err != nil {
		return err
	}
	defer db.Close()
	if err := s.keys(db).Revoke(s.ctx, c.ID); err != nil {
		return explainKey(err, c.ID)
	}
	_, err = fmt.Fprintln(s.stdout, "revoked", c.ID)
	return err
}
