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

// Access is what a libraries key opens: one library network, and the state of its data that the key check saw. Since only
// loads change a network's data, it is the number of its facts that names a state.
type Access struct {
	Network libraries.NetworkID
	At      snapshot.Versions
	// Hour is that from which the state holds, 0 before the first load (L1).
	Hour libraries.Hour
	// Erasures is the number that grows whenever people are erased from the network's states, as the key check saw it.
	Erasures int64
}

// Reports answers the routes. It is the same for every Store.
type Reports struct {
	Store Store
	// Cache keeps what a state's answers are computed from. Nil keeps nothing: every report then reads everything.
	Cache snapshot.Cache
	// Channels is where the sessions by channel come from; nil is the Store's own feed.
	Channels ChannelSource
	// History is the first day of the history; 0 is HistoryStart.
	History calendar.Date
}

// history returns the first day of the history.
func (r *Reports) history() calendar.Date { return cmp.Or(r.History, libraries.HistoryStart) }

// since cuts off what lies before the history: nothing that is dated there exists (G6).
func (r *Reports) since(p calendar.Period) calendar.Period {
	p.Start = max(p.Start, r.history())
	return p
}

// key names a value of the state of the access: see snapshot.KeyOf.
func key(a Access, what string, args ...any) snapshot.Key {
	return snapshot.KeyOf(auth.Tenant(a.Network), snapshot.Versions{Facts: a.At.Facts}, "libraries "+what, args...)
}

// tables are the tables of a state that many reports read.
type tables struct {
	titles  *Catalogue
	readers *Readers
	counted *facts.Network
}

// tables returns the tables. After a restart they are read at the same time.
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

// titleCounts returns what is counted now of the titles.
func (r *Reports) titleCounts(ctx context.Context, a Access) (facts.CountsByTitle, error) {
	n, err := r.network(ctx, a)
	if err != nil {
		return nil, err
	}
	return n.Titles, nil
}

// daysIn returns the totals of the days of a period, none where it ends before it starts.
func (r *Reports) daysIn(ctx context.Context, a Access, p calendar.Period) (facts.Days, error) {
	n, err := r.network(ctx, a)
	if err != nil {
		return facts.Days{}, err
	}
	return n.Days.In(p), nil
}
