package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/server/internal/metrics"
)

const (
	readyTimeout     = 2 * time.Second
	adminStopTimeout = 2 * time.Second
)

// ErrAdminAddr says that the server could not listen at Config.AdminAddr.
var ErrAdminAddr = errors.New("admin address")

// AdminHandler returns what the operator's tools ask (H9), for a program that has an HTTP server of its own; Run and Serve
// serve it at Config.AdminAddr. It asks for no key.
//
//   - /healthz is 200 as long as the process answers at all.
//   - /readyz is 200 when the database answers, its schema is current and the file with the key for secrets, if there is one,
//     can be read; else 503 with the reason, also where the database does not answer within two seconds, and from the
//     moment that Serve begins to stop.
//   - /metrics are figures for Prometheus.
func (s *Server) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { writePlain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.ready(r.Context()); err != nil {
			reason := strings.Join(strings.Fields(err.Error()), " ") // drivers write several lines
			writePlain(w, http.StatusServiceUnavailable, reason)
			return
		}
		writePlain(w, http.StatusOK, "ok")
	})
	mux.Handle("GET /metrics", s.metrics.Handler())
	return mux
}

func writePlain(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// ready returns the reason why requests should go to another server, nil where they should come.
func (s *Server) ready(ctx context.Context) error {
	if s.stopping.Load() {
		return errors.New("the server is shutting down")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	current, err := s.config.DB.SchemaCurrent(ctx, Schema()...)
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("the database did not answer within %v", readyTimeout)
	case err != nil:
		return fmt.Errorf("the database: %w", err)
	case !current:
		return errors.New("the schema of the database is not current; run lectern migrate, or start the server anew")
	}
	return s.secrets.readable()
}

// listenAdmin listens at the admin address; it returns nil where there is none.
func (s *Server) listenAdmin() (net.Listener, error) {
	if s.config.AdminAddr == "" {
		return nil, nil
	}
	ln, err := net.Listen("tcp", s.config.AdminAddr)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAdminAddr, err)
	}
	return ln, nil
}

// serveAdmin serves the admin address, if there is one, until the function that it returns is called.
func (s *Server) serveAdmin(ctx context.Context, ln net.Listener) (stop func()) {
	if ln == nil {
		return func() {}
	}
	h := &http.Server{
		Handler:           s.AdminHandler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          stdlog.New(s.config.Log, "", 0),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := h.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.config.Log.Error().Err(err).Msg("the admin address is no longer served") // and the APIs go on
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(ctx, adminStopTimeout)
		defer cancel()
		if h.Shutdown(ctx) != nil {
			h.Close()
		}
		<-ended
	}
}

// versions returns the state of all tenants' data, for the metrics.
func (s *Server) versions(ctx context.Context) ([]metrics.Version, error) {
	list, err := s.readVersions(ctx)
	if err != nil {
		s.config.Log.Warn().Err(err).Msg("no versions of data in the metrics")
	}
	return list, err
}

// readVersions reads tenant by tenant, since a tenant's rows may be on a node of their own (G4).
func (s *Server) readVersions(ctx context.Context) ([]metrics.Version, error) {
	db := s.config.DB.DB
	tenants, err := (&authdb.Store{DB: db}).Tenants(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]metrics.Version, len(tenants))
	for i, t := range tenants {
		v, err := authdb.ReadVersions(ctx, db, t.ID)
		if err != nil {
			return nil, err
		}
		list[i] = metrics.Version{
			Tenant: int64(t.ID), Kind: string(t.Kind), Reference: t.Reference, Registers: v.Registers, Facts: v.Facts,
		}
		if t.Kind != authdb.Library {
			continue
		}
		at := state.Versions{Registers: v.Registers, Facts: v.Facts}
		if list[i].Snapshot, err = s.snapshot(ctx, libraries.Access{Network: libraries.NetworkID(t.ID), At: at}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// snapshot returns the hour as which a network's data took effect, the zero time before its first load.
func (s *Server) snapshot(ctx context.Context, a libraries.Access) (time.Time, error) {
	store := &librariesdb.Store{DB: s.config.DB.DB}
	hour, err := state.Settled(a.At, func(at state.Versions) (libraries.Hour, error) {
		return store.Hour(ctx, libraries.Access{Network: a.Network, At: at})
	})
	switch {
	case errors.Is(err, librariesdb.ErrNotFound), err == nil && hour == 0:
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, err
	}
	return hour.Time(), nil
}
