// Package tenants does what a command asks for a tenant of either kind: for a partner by the domain of the schools, for a library
// network by that of the libraries.
package tenants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
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

// Load loads the feed in a folder into a tenant, and returns the totals.
func (l *Loader) Load(ctx context.Context, t statedb.Tenant, folder string, o server.LoadOptions) (*feed.Totals, error) {
	o.Now = l.Now
	totals, err := server.Load(ctx, l.DB, t, os.DirFS(folder), o, l.Clock)
	if unknown, ok := errors.AsType[*feed.UnknownError](err); ok {
		err = fmt.Errorf("%w; or pass over it with --ignore '%s'", err, strings.Join(unknown.Names, ","))
	}
	if errors.Is(err, server.ErrNotNoted) {
		l.Report(err)
		err = nil
	}
	return totals, err
}
