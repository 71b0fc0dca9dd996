// Package tenants does what a command asks for a tenant of either kind: for a partner by the domain of the schools, for a library
// network by that of the libraries.
package tenants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
	"github.com/lectern-dev/lectern/server/internal/librariesload"
	"github.com/lectern-dev/lectern/server/internal/load"
	"github.com/lectern-dev/lectern/server/internal/schoolsload"
	"github.com/lectern-dev/lectern/server/internal/status"
)

// Create creates a partner or a library network, as the kind of t says, with its reference and a name.
func Create(ctx context.Context, db *database.DB, t statedb.Tenant, name string) (n auth.Tenant, err error) {
	word := "reference"
	switch t.Kind {
	case statedb.Partner:
		var id directory.PartnerID
		id, err = directorydb.CreatePartner(ctx, db, directory.Ref(t.Reference), name)
		n = auth.Tenant(id)
	case statedb.Library:
		var id libraries.NetworkID
		id, err = librariesdb.CreateNetwork(ctx, db, t.Reference, name)
		n, word = auth.Tenant(id), "slug"
	}
	if errors.Is(err, statedb.ErrExist) {
		err = fmt.Errorf("there is a %s %q already; choose another %s", t.Kind, t.Reference, word)
	}
	return n, err
}

// Loader loads feeds.
type Loader struct {
	DB     *database.DB
	Now    func() time.Time // when a load begins and ends
	Clock  func() time.Time // of the stores, nil for the real one
	Report func(error)      // is told what is wrong with a load that stands
}

// Load loads the feed in a folder into a tenant, notes that for lectern status and returns the totals. Of o it sets whose the feed
// is and when the load begins.
func (l *Loader) Load(ctx context.Context, t statedb.Tenant, folder string, o load.Options) (totals any, err error) {
	o.Now = l.Now
	switch t.Kind {
	case statedb.Partner:
		o.Partner, o.Ref = directory.PartnerID(t.ID), directory.Ref(t.Reference)
		totals, err = schoolsload.Load(ctx, &schoolsdb.Store{DB: l.DB.DB, Copy: l.DB.Copy, Now: l.Clock}, folder, o)
	case statedb.Library:
		o.Network = libraries.NetworkID(t.ID)
		totals, err = librariesload.Load(ctx, &librariesdb.Store{DB: l.DB.DB, Copy: l.DB.Copy, Now: l.Clock}, folder, o)
	}
	if unknown, ok := errors.AsType[*feed.UnknownError](err); ok {
		err = fmt.Errorf("%w; or pass over it with --ignore '%s'", err, strings.Join(unknown.Names, ","))
	}
	if err != nil || o.Check {
		return totals, err
	}
	// The load stands whether it can be noted or not, and a signal that comes now undoes nothing.
	if err := statedb.NoteLoad(context.WithoutCancel(ctx), l.DB, t.ID, status.Summarize(totals).Load(l.Now())); err != nil {
		l.Report(fmt.Errorf("the feed is loaded, but lectern status will not show it: %w", err))
	}
	return totals, nil
}
