package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
)

type keyListCmd struct {
	JSON bool `name:"json" help:"One JSON object a line."`
}

// listedKey is one line of the list. Nil is none.
type listedKey struct {
	ID       string     `json:"id"`
	API      auth.API   `json:"api"`
	Tenant   string     `json:"tenant"`
	Network  *string    `json:"network"`
	Created  time.Time  `json:"created"`
	Expires  *time.Time `json:"expires"`
	LastUsed *time.Time `json:"lastUsed"`
	State    string     `json:"state"`
}

// Run lists all keys, by tenant and number.
func (c *keyListCmd) Run(s *session) error {
	db, err := s.openCurrent()
	if err != nil {
		return err
	}
	defer db.Close()
	list, err := listKeys(s, db)
	if err != nil {
		return err
	}
	if !c.JSON {
		return s.printTable(list)
	}
	for _, k := range list {
		if err := s.print(k); err != nil {
			return err
		}
	}
	return nil
}

func listKeys(s *session, db *database.DB) ([]listedKey, error) {
	store := s.keys(db)
	keys, err := store.List(s.ctx)
	if err != nil {
		return nil, err
	}
	tenants, err := store.Tenants(s.ctx)
	if err != nil {
		return nil, err
	}
	references := make(map[auth.Tenant]string)
	for _, t := range tenants {
		references[t.ID] = t.Reference
	}
	networks, err := networkRefs(s, db, keys)
	if err != nil {
		return nil, err
	}
	list := make([]listedKey, len(keys))
	for i, k := range keys {
		list[i] = listedKey{
			ID: k.ID(), API: k.API, Tenant: references[k.Tenant], Network: networks[network{k.Tenant, k.Network}],
			Created: k.Created.Truncate(time.Second), Expires: some(k.Expires), LastUsed: some(k.LastUsed), State: state(k, s.now()),
		}
	}
	return list, nil
}

// network names a network of a tenant.
type network struct {
	tenant auth.Tenant
	entity int64
}

// networkRefs returns the references of the networks of all partners that have keys of one.
func networkRefs(s *session, db *database.DB, keys []auth.Key) (map[network]*string, error) {
	refs := make(map[network]*string)
	read := make(map[auth.Tenant]bool)
	for _, k := range keys {
		if k.Network == 0 || read[k.Tenant] {
			continue
		}
		read[k.Tenant] = true
		entities, err := directorydb.Entities(s.ctx, db, directory.PartnerID(k.Tenant))
		if err != nil {
			return nil, err
		}
		for _, e := range entities {
			if e.Type == directory.Network {
				refs[network{k.Tenant, int64(e.ID)}] = (*string)(&e.Ref)
			}
		}
	}
	return refs, nil
}

// state says in one word whether a key is good.
func state(k auth.Key, now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked"
	case !k.Live(now):
		return "expired"
	}
	return "live"
}

func some(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.Truncate(time.Second)
	return &t
}

// printTable writes the list in columns, times to the minute in UTC.
func (s *session) printTable(list []listedKey) error {
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tAPI\tTENANT\tNETWORK\tCREATED\tEXPIRES\tLAST USE\tSTATE")
	for _, k := range list {
		ref := "-"
		if k.Network != nil {
			ref = *k.Network
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			k.ID, k.API, k.Tenant, ref, minute(&k.Created), minute(k.Expires), minute(k.LastUsed), k.State)
	}
	return w.Flush()
}

func minute(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format("2006-01-02T15:04Z")
}
