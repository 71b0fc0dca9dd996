// Package tenants loads and removes tenants for the commands, whether they are partners or library networks.
package tenants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/feed"
)

// Loader loads feeds.
type Loader struct {
	DB     *database.DB
	Now    func() time.Time // when a load begins and ends
	Clock  func() time.Time // of the stores, nil for the real one
	Report func(error)      // is told what is wrong with a load that stands
}

// Load loads the feed in a folder into a tenant, and returns the totals.
func (l *Loader) Load(ctx context.Context, t snapshotdb.Tenant, folder string, o server.LoadOptions) (*feed.Totals, error) {
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
