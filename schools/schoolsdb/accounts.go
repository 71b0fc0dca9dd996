package schoolsdb

import (
	"context"
	"sync"
	"weak"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools/report"
)

// Accounts implements report.Store. If the accounts of an earlier version are still in memory, it reads only the
// accounts and entities that were written since, unless a failover has lost the earlier version.
func (s *Store) Accounts(ctx context.Context, partner directory.PartnerID, at snapshot.Versions) (reg *report.Accounts, err error) {
	had, since := s.latest.accounts(partner)
	if had != nil && since == at.Registers {
		return had, nil
	}
	var w written
	if had != nil && since < at.Registers {
		w, err = s.written(ctx, directorydb.View{DB: s.DB, Partner: partner, After: since, At: at.Registers})
		reg = had.Next(w.entities, w.degrees)
	}
	if err == nil && !w.follows {
		w, err = s.written(ctx, directorydb.View{DB: s.DB, Partner: partner, After: directorydb.Everything, At: at.Registers})
		reg = report.NewAccounts(w.entities, w.degrees)
	}
	if err != nil {
		return nil, err
	}
	for _, a := range w.accounts {
		reg.Add(a.id, a.kind, a.entity, a.active, a.deleted)
	}
	s.latest.keep(partner, at.Registers, reg)
	return reg, nil
}

// written is the part of the accounts that is newer than the version before the view's.
type written struct {
	follows  bool // that version exists
	entities []directory.Entity
	degrees  directory.Degrees
	accounts []writtenAccount
}

type writtenAccount struct {
	id              directory.UserID
	kind            directory.Kind
	entity          directory.EntityID
	active, deleted bool
}

// written reads the rows of a view in one request. After each directory write the first reader waits for it, and all
// others wait for the first.
func (s *Store) written(ctx context.Context, view directorydb.View) (w written, err error) {
	err = snapshot.Parallel(ctx,
		func(ctx context.Context) (err error) {
			if view.After > directorydb.Everything {
				w.follows, err = snapshotdb.WasVersion(ctx, s.DB, auth.Tenant(view.Partner), view.After)
			}
			return err
		},
		func(ctx context.Context) (err error) { w.entities, err = view.Entities(ctx); return err },
		func(ctx context.Context) (err error) { w.degrees, err = view.Degrees(ctx); return err },
		func(ctx context.Context) error {
			return view.Accounts(ctx, func(id directory.UserID, kind directory.Kind, entity directory.EntityID, active, deleted bool) {
				w.accounts = append(w.accounts, writtenAccount{id, kind, entity, active, deleted})
			})
		},
	)
	return w, err
}

// Written implements report.Store.
func (s *Store) Written(ctx context.Context, partner directory.PartnerID, after, at int64) (ids []directory.UserID, err error) {
	view := directorydb.View{DB: s.DB, Partner: partner, After: after, At: at}
	return ids, view.Accounts(ctx, func(id directory.UserID, _ directory.Kind, _ directory.EntityID, _, _ bool) {
		ids = append(ids, id)
	})
}

// latest remembers the accounts of the highest version of each partner, as long as something holds them. That is
// usually the reports' cache, which decides how much stays in memory. The zero latest is empty.
type latest struct {
	mu        sync.Mutex
	registers map[directory.PartnerID]versioned
}

type versioned struct {
	version  int64
	register weak.Pointer[report.Accounts]
}

// accounts returns a partner's accounts and their version, or nil.
func (l *latest) accounts(partner directory.PartnerID) (*report.Accounts, int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.registers[partner]
	return v.register.Value(), v.version
}

// keep remembers accounts, unless later ones are in memory.
func (l *latest) keep(partner directory.PartnerID, version int64, reg *report.Accounts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v := l.registers[partner]; v.version > version && v.register.Value() != nil {
		return
	}
	if l.registers == nil {
		l.registers = make(map[directory.PartnerID]versioned)
	}
	l.registers[partner] = versioned{version, weak.Make(reg)}
}
