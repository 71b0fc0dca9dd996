package main

import (
	"context"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
)

// completeTimeout is how long the database is asked for values: who types waits no longer.
const completeTimeout = time.Second

// values returns what a flag or an argument can have, where that is known: its own list, or what the database holds. An error
// of the database is nothing: there is no place to tell it.
func (s *session) values(v *kong.Value, flags map[string]string) []proposal {
	if v.Name == "log-level" {
		return named(levels, v.Help)
	}
	ask := stored[v.Name]
	if ask == nil {
		return enum(v)
	}
	if url := flags["db"]; url != "" {
		s.db = url
	}
	ctx, cancel := context.WithTimeout(s.ctx, completeTimeout)
	defer cancel()
	s.ctx = ctx
	db, err := s.openCurrent()
	if err != nil {
		return nil
	}
	defer db.Close()
	list, err := ask(s, db, flags)
	if err != nil {
		return nil
	}
	return list
}

// stored are the flags and arguments whose values are in the database, by their names.
var stored = map[string]func(s *session, db *database.DB, flags map[string]string) ([]proposal, error){
	"partner": func(s *session, db *database.DB, _ map[string]string) ([]proposal, error) {
		return s.tenants(db, authdb.Partner)
	},
	"library": func(s *session, db *database.DB, _ map[string]string) ([]proposal, error) {
		return s.tenants(db, authdb.Library)
	},
	"network": networksOf,
	"id":      func(s *session, db *database.DB, _ map[string]string) ([]proposal, error) { return s.liveKeys(db, "") },
	"key-id": func(s *session, db *database.DB, _ map[string]string) ([]proposal, error) {
		return s.liveKeys(db, auth.Directory)
	},
}

// tenants proposes the references of the tenants of a kind.
func (s *session) tenants(db *database.DB, kind authdb.Kind) (list []proposal, err error) {
	tenants, err := s.keys(db).Tenants(s.ctx)
	for _, t := range tenants {
		if t.Kind == kind {
			list = append(list, explained(t.Reference, t.Name))
		}
	}
	return list, err
}

// networksOf proposes the references of the networks of the partner that is named already.
func networksOf(s *session, db *database.DB, flags map[string]string) (list []proposal, err error) {
	p, err := s.partner(db, flags["partner"])
	if err != nil {
		return nil, err
	}
	store := &directorydb.Store{DB: db.DB}
	page := directory.Page[directory.EntityRecord]{HasAfter: true}
	for at := (directory.Cursor{}); page.HasAfter; {
		if page, err = store.Entities(s.ctx, p.ID, directory.Network, at); err != nil {
			return nil, err
		}
		for _, e := range page.Rows {
			list = append(list, explained(string(e.Ref), e.Name))
			at.After = int64(e.ID)
		}
	}
	return list, nil
}

// liveKeys proposes the ids of the keys that are good, of one API or, where that is empty, of all.
func (s *session) liveKeys(db *database.DB, api auth.API) (list []proposal, err error) {
	keys, err := listKeys(s, db)
	for _, k := range keys {
		if k.State != "live" || api != "" && k.API != api {
			continue
		}
		of := string(k.API) + " of " + k.Tenant
		if k.Network != nil {
			of += ", " + *k.Network
		}
		list = append(list, explained(k.ID, of))
	}
	return list, err
}

// explained is a proposal whose explanation is on one line, and is not empty.
func explained(word, help string) proposal {
	if help = strings.Join(strings.Fields(help), " "); help == "" {
		help = word
	}
	return proposal{word, help}
}

// named are words with one explanation.
func named(words []string, help string) (list []proposal) {
	for _, word := range words {
		list = append(list, proposal{word, help})
	}
	return list
}
