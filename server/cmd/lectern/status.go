package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/server/database"
)

type statusCmd struct {
	JSON bool `name:"json" help:"One JSON object a line, for each tenant."`
}

// Help says what the columns are.
func (c *statusCmd) Help() string {
	return `Of every partner and library network: the versions of its registers and facts, which a load and a directory write raise;
the last load of a feed, with its seconds and rows; the rows that are stored; the former states that are kept, and the rows
that they alone have; what waits for its hour; and the live keys, the last used first. Rows of loads are those of the feed,
in it the ones that were there before.

  lectern status
  lectern status --json | jq -c '[.reference, .lastLoad.ended]'`
}

// tenantStatus is what is told of a tenant.
type tenantStatus struct {
	Tenant    auth.Tenant `json:"tenant"`
	Kind      authdb.Kind `json:"kind"`
	Reference string      `json:"reference"`
	Name      string      `json:"name"`
	Versions  struct {
		Registers int64 `json:"registers"`
		Facts     int64 `json:"facts"`
	} `json:"versions"`
	LastLoad *loadStatus `json:"lastLoad"` // null before the first one
	Hour     *string     `json:"hour"`     // of a library network's snapshot, as meta.updatedAt has it (L1); else null
	States   stateStatus `json:"states"`
	Next     *nextStatus `json:"next"` // null where nothing waits for its hour
	Rows     rowCounts   `json:"rows"`
	Keys     []keyStatus `json:"keys"` // by last use, the latest first, those never used last
}

type loadStatus struct {
	Ended   time.Time `json:"ended"`
	Seconds float64   `json:"seconds"`
	Rows    int64     `json:"rows"`
}

type keyStatus struct {
	ID       string     `json:"id"`
	API      auth.API   `json:"api"`
	Network  *string    `json:"network"`
	LastUsed *time.Time `json:"lastUsed"`
}

// Run tells the state of every tenant, one after the other, by number.
func (c *statusCmd) Run(s *session) error {
	db, err := s.openCurrent()
	if err != nil {
		return err
	}
	defer db.Close()
	tenants, err := s.keys(db).Tenants(s.ctx)
	if err != nil {
		return err
	}
	keys, err := keyStatuses(s, db)
	if err != nil {
		return err
	}
	all := make([]tenantStatus, 0, len(tenants))
	for _, t := range tenants {
		st, err := readStatus(s.ctx, db, t)
		if err != nil {
			return err
		}
		if st.Keys = keys[t.ID]; st.Keys == nil {
			st.Keys = []keyStatus{} // [], not null
		}
		if c.JSON { // at once: counting takes a while where there is much
			if err := s.print(st); err != nil {
				return err
			}
			continue
		}
		all = append(all, st)
	}
	if c.JSON {
		return nil
	}
	return s.printStatus(all)
}

// readStatus reads what is told of a tenant, all from one state of it.
func readStatus(ctx context.Context, db *database.DB, t authdb.Tenant) (tenantStatus, error) {
	st := tenantStatus{Tenant: t.ID, Kind: t.Kind, Reference: t.Reference, Name: t.Name}
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	err := db.RunInTx(ctx, options, func(ctx context.Context, tx bun.Tx) error {
		v, err := authdb.ReadHeld(ctx, tx, t.ID)
		if err != nil {
			return err
		}
		st.Versions.Registers, st.Versions.Facts = v.Registers, v.Facts
		loads, err := authdb.Loads(ctx, tx, t.ID)
		if err != nil {
			return err
		}
		for _, l := range loads { // a tenant has one API that is loaded
			st.LastLoad = &loadStatus{l.Ended.Truncate(time.Second), l.Took.Seconds(), l.Rows}
		}
		if t.Kind == authdb.Library {
			st.Hour = snapshotHour(t, v)
		}
		st.Next = nextOf(v)
		if st.States, err = keptStates(ctx, tx, db, t.ID, v); err != nil {
			return err
		}
		st.Rows, err = countRows(ctx, tx, t, v)
		return err
	})
	if err != nil {
		return st, fmt.Errorf("status of %s %q: %w", t.Kind, t.Reference, err)
	}
	return st, nil
}

// keyStatuses returns the keys of all tenants that are live, the last used first.
func keyStatuses(s *session, db *database.DB) (map[auth.Tenant][]keyStatus, error) {
	list, err := listKeys(s, db)
	if err != nil {
		return nil, err
	}
	keys := make(map[auth.Tenant][]keyStatus)
	for _, k := range list {
		if t, _, ok := auth.ParseID(k.ID); ok && k.State == "live" {
			keys[t] = append(keys[t], keyStatus{k.ID, k.API, k.Network, k.LastUsed})
		}
	}
	for _, list := range keys {
		slices.SortStableFunc(list, func(a, b keyStatus) int { return cmp.Compare(used(b.LastUsed), used(a.LastUsed)) })
	}
	return keys, nil
}

// used is when a key was last used as a number, 0 for never.
func used(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.Unix()
}
