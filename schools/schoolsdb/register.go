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

// Register implements report.Store. Where the register of an earlier state is still in memory, it reads only the accounts
// and entities that were written since.
func (s *Store) Accounts(ctx context.Context, partner directory.PartnerID, at snapshot.Versions) (reg *report.Accounts, err error) {
	if reg, err = s.register(ctx, partner, at.Registers); err != nil {
		return nil, err
	}
	s.latest.keep(partner, at.Registers, reg)
	return reg, nil
}

// register reads the register of a version, on top of the latest one where that is not above it: what was written since and
// that state make the later one, unless a failover has lost what is in memory.
func (s *Store) register(ctx context.Context, partner directory.PartnerID, version int64) (*report.Accounts, error) {
	had, since := s.latest.register(partner)
	if had != nil && since == version {
		return had, nil
	}
	if had != nil && since < version {
		w, err := s.written(ctx, directorydb.View{DB: s.DB, Partner: partner, After: since, At: version})
		if err != nil {
			return nil, err
		}
		if w.follows {
			return w.addTo(had.Next(w.entities, w.degrees)), nil
		}
	}
	w, err := s.written(ctx, directorydb.View{DB: s.DB, Partner: partner, After: directorydb.Everything, At: version})
	if err != nil {
		return nil, err
	}
	return w.addTo(report.NewAccounts(w.entities, w.degrees)), nil
}

// written is what a register has that is not in the one of the version before the view's.
type written struct {
	follows  bool // that version was
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

// written reads what a view has, all of it at once: after each write to the directory the first who asks waits for it, and all others
// wait for him.
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

// addTo puts the accounts in a register, and returns it.
func (w *written) addTo(reg *report.Accounts) *report.Accounts {
	for _, a := range w.accounts {
		reg.Add(a.id, a.kind, a.entity, a.active, a.deleted)
	}
	return reg
}

// Written implements report.Store.
func (s *Store) Written(ctx context.Context, partner directory.PartnerID, after, at int64) (ids []directory.UserID, err error) {
	view := directorydb.View{DB: s.DB, Partner: partner, After: after, At: at}
	return ids, view.Accounts(ctx, func(id directory.UserID, _ directory.Kind, _ directory.EntityID, _, _ bool) {
		ids = append(ids, id)
	})
}

// latest knows the register of the highest version that was read of each partner, for as long as somebody holds it, which
// is the reports' cache as a rule: how much stays in memory is the cache's to say. The zero latest knows none.
type latest struct {
	mu        sync.Mutex
	registers map[directory.PartnerID]versioned
}

type versioned struct {
	version  int64
	register weak.Pointer[report.Accounts]
}

// register returns a partner's register and its version, or nil.
func (l *latest) register(partner directory.PartnerID) (*report.Accounts, int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.registers[partner]
	return v.register.Value(), v.version
}

// keep remembers a register, unless a later one is known and in memory.
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
