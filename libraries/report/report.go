package report

import (
	"cmp"
	"context"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Access is what a libraries key opens: one library network, at the snapshot that was current when the key was checked.
// Only loads change a network's data, so the number of the facts names the snapshot.
type Access struct {
	Network libraries.NetworkID
	At      snapshot.Versions
	// Hour is the hour from which the snapshot is current, 0 before the first load (L1).
	Hour libraries.Hour
	// Erasures is the network's number of erasures at that time. It grows whenever people are erased.
	Erasures int64
}

// Reports answers the routes from any Store. Its methods may be called from any number of goroutines.
type Reports struct {
	Store Store
	// Cache keeps values that several answers of a snapshot need. If it is nil, every report reads all that it needs.
	Cache snapshot.Cache
	// Channels is the source of sessions by channel. If it is nil, they come from the Store.
	Channels ChannelSource
	// History is the first day of the history; 0 is HistoryStart.
	History calendar.Date
}

// history returns the first day of the history.
func (r *Reports) history() calendar.Date { return cmp.Or(r.History, libraries.HistoryStart) }

// since cuts off the days before the history, on which no data exist (G6).
func (r *Reports) since(p calendar.Period) calendar.Period {
	p.Start = max(p.Start, r.history())
	return p
}

// key returns the cache key of a value of the snapshot: see [snapshot.KeyOf].
func key(a Access, what string, args ...any) snapshot.Key {
	return snapshot.KeyOf(auth.Tenant(a.Network), snapshot.Versions{Facts: a.At.Facts}, "libraries "+what, args...)
}

// tables are the tables of a snapshot that many reports read.
type tables struct {
	titles  *Catalogue
	readers *Readers
	counted *facts.Network
}

// tables returns the tables. They are read in parallel.
func (r *Reports) tables(ctx context.Context, a Access) (t tables, err error) {
	err = snapshot.Parallel(ctx,
		func(ctx context.Context) (err error) { t.titles, err = r.catalogue(ctx, a); return err },
		func(ctx context.Context) (err error) { t.readers, err = r.Readers(ctx, a); return err },
		func(ctx context.Context) (err error) { t.counted, err = r.network(ctx, a); return err },
	)
	return t, err
}

// catalogue returns the vocabularies, titles and lines.
func (r *Reports) catalogue(ctx context.Context, a Access) (*Catalogue, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "catalogue"), func(ctx context.Context) (*Catalogue, error) {
		return r.Store.Catalogue(ctx, a)
	})
}
