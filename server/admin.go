package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/operate/metrics"
)

const (
	readyTimeout     = 2 * time.Second
	adminStopTimeout = 2 * time.Second
)

// ErrAdminAddr says that the server could not listen at Config.AdminAddr.
var ErrAdminAddr = errors.New("admin address")

// adminHandler is the handler of Server.AdminHandler.
func (a *apis) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { writePlain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := a.ready(r.Context()); err != nil {
			reason := strings.Join(strings.Fields(err.Error()), " ") // drivers write several lines
			writePlain(w, http.StatusServiceUnavailable, reason)
			return
		}
		writePlain(w, http.StatusOK, "ok")
	})
	mux.Handle("GET /metrics", a.metrics.Handler())
	return web.NoSniff(mux)
}

func writePlain(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// ready returns why requests should go to another server; nil if they should come to this one.
func (a *apis) ready(ctx context.Context) error {
	if a.stopping.Load() {
		return errors.New("the server is shutting down")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	current, err := a.DB.SchemaCurrent(ctx, Schema()...)
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("the database did not answer within %v", readyTimeout)
	case err != nil:
		return fmt.Errorf("the database: %w", err)
	case !current:
		return errors.New("the schema of the database is not current; run lectern migrate, or restart the server")
	}
	if err := Distributed(ctx, a.DB); err != nil {
		return err
	}
	if _, err := a.secrets.load(false); !errors.Is(err, ErrNoSecretKey) {
		return err
	}
	return nil
}

// serveAdmin serves the admin address, if there is one, until stop is called. addr is nil if there is none.
func (a *apis) serveAdmin(ctx context.Context) (addr net.Addr, stop func(), err error) {
	if a.AdminAddr == "" {
		return nil, func() {}, nil
	}
	ln, err := net.Listen("tcp", a.AdminAddr)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrAdminAddr, err)
	}
	h := httpServer(ctx, a.adminHandler(), a.Log)
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := h.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			a.Log.Error("the admin address is no longer served", "error", err) // and the APIs go on
		}
	})
	return ln.Addr(), func() {
		ctx, cancel := context.WithTimeout(ctx, adminStopTimeout)
		defer cancel()
		if h.Shutdown(ctx) != nil {
			h.Close()
		}
		serving.Wait()
	}, nil
}

// versions returns the versions of the tenants' data for the metrics. If not all nodes of a cluster answer, it returns those of
// the nodes that do.
func (a *apis) versions(ctx context.Context) (v metrics.Versions, err error) {
	db := a.DB
	tenants, err := snapshotdb.Numbers(ctx, db)
	if err != nil {
		return v, err
	}
	err = db.EachNode(ctx, tenants, func(of []auth.Tenant) error {
		list, err := snapshotdb.LoadedLast(ctx, db, metrics.MaxTenants, of...)
		v.Tenants = append(v.Tenants, list...)
		return err
	})
	if database.LeftOut(err) != nil {
		a.Log.Warn("not all versions of data are in the metrics", "error", err)
	} else if err != nil {
		return v, err
	}
	slices.SortStableFunc(v.Tenants, func(a, b snapshotdb.TenantStatus) int { return b.Last.Ended.Compare(a.Last.Ended) })
	v.Tenants, v.Total = v.Tenants[:min(len(v.Tenants), metrics.MaxTenants)], len(tenants)
	v.Now, err = handle.Clock(ctx, db, a.Now)
	return v, err
}
