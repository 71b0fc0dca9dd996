package work

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/lectern-dev/lectern/auth/authdb"
)

const (
	lookEvery  = 5 * time.Second
	leaseFor   = time.Minute
	renewEvery = leaseFor / 4
	giveFor    = 10 * time.Second // how long a worker that is stopped tries to give work back
)

// Worker loads what is due.
type Worker struct {
	Store  *authdb.Store
	Folder string
	Jobs   int           // loads at a time
	Every  time.Duration // between two looks for work; 0 = 5 s
	// Load loads the feed in a folder into a tenant, all of it or nothing.
	Load func(ctx context.Context, t authdb.Tenant, folder string) (authdb.Load, error)
	Log  *slog.Logger // a line for each load

	seen map[string]bool // the folders that are a tenant's, or of which was told that they are not
}

// errLost calls off a load whose work another has taken.
var errLost = errors.New("another worker has taken over")

// Run loads what is due until the context ends; loads under way are called off then, and their work is given back. The error is that
// of a folder that is not there at the beginning; later ones are logged, and it goes on.
func (w *Worker) Run(ctx context.Context) error {
	if _, err := w.feeds(); err != nil {
		return err
	}
	w.Log.Info("looking for feeds", "folder", w.Folder, "jobs", w.Jobs)
	w.seen = map[string]bool{}
	slots := make(chan struct{}, max(1, w.Jobs))
	var all sync.WaitGroup
	defer all.Wait()
	for {
		due, err := w.due(ctx)
		if err != nil && ctx.Err() == nil {
			w.Log.Error("cannot look for work", "error", err.Error())
		}
		for _, t := range due {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			all.Go(func() {
				defer func() { <-slots }()
				if err := w.work(ctx, t); err != nil && ctx.Err() == nil {
					w.Log.Error("cannot work", "kind", string(t.Kind), "reference", t.Reference, "error", err.Error())
				}
			})
		}
		select {
		case <-time.After(cmp.Or(w.Every, lookEvery)):
		case <-ctx.Done():
			return nil
		}
	}
}

// due returns the tenants whose work is due and whose feeds are there, and tells once of each folder that is no tenant's.
func (w *Worker) due(ctx context.Context) (due []authdb.Tenant, err error) {
	feeds, err := w.feeds()
	if err != nil {
		return nil, err
	}
	now, err := w.Store.Clock(ctx, w.Store.DB)
	if err != nil {
		return nil, err
	}
	tenants, err := w.Store.DueWork(ctx, now)
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		if feeds[t.Kind][FolderName(t.Reference)] {
			due = append(due, t)
		}
	}
	return due, w.tellUnknown(ctx, feeds)
}

// tellUnknown tells of folders that have no tenant, once of each.
func (w *Worker) tellUnknown(ctx context.Context, feeds map[authdb.Kind]map[string]bool) error {
	strange := map[string]authdb.Kind{}
	for kind, names := range feeds {
		for name := range names {
			if folder := filepath.Join(w.Folder, places[kind], name); !w.seen[folder] {
				strange[folder], w.seen[folder] = kind, true
			}
		}
	}
	if len(strange) == 0 {
		return nil
	}
	tenants, err := w.Store.Tenants(ctx)
	for _, t := range tenants {
		delete(strange, w.folderOf(t))
	}
	for folder, kind := range strange {
		w.Log.Warn(fmt.Sprintf("there is no %s of this name; create it with lectern %s create, or rename the folder", kind, kind), "folder", folder)
	}
	return err
}

// folderOf is where the feed of a tenant stands.
func (w *Worker) folderOf(t authdb.Tenant) string {
	return filepath.Join(w.Folder, places[t.Kind], FolderName(t.Reference))
}

// work takes the work of a tenant, does it, and gives it back.
func (w *Worker) work(ctx context.Context, t authdb.Tenant) error {
	l := authdb.Lease{Tenant: t.ID, Token: rand.Text()}
	now, err := w.Store.Clock(ctx, w.Store.DB)
	if err != nil {
		return err
	}
	known, taken, err := w.Store.TakeWork(ctx, l, now, now.Add(leaseFor))
	if err != nil || !taken {
		return err
	}
	held, letGo := context.WithCancelCause(ctx)
	var renewal sync.WaitGroup
	renewal.Go(func() { w.renew(held, letGo, l) })
	is, err := w.do(held, t, known, now)
	letGo(nil)
	renewal.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveFor)
	defer cancel()
	return errors.Join(err, w.Store.GiveWork(last, l, is))
}

// renew keeps a lease until the context ends, and ends it where the lease is lost. A renewal that fails is tried again.
func (w *Worker) renew(ctx context.Context, lost context.CancelCauseFunc, l authdb.Lease) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := w.Store.Clock(ctx, w.Store.DB)
		if err != nil {
			continue
		}
		if kept, err := w.Store.KeepWork(ctx, l, now.Add(leaseFor)); err == nil && !kept {
			lost(errLost)
		}
	}
}

// do loads the feed of a tenant where it is another than before, and returns what is known of the tenant's work then. Of a load that was
// called off it is what was known.
func (w *Worker) do(ctx context.Context, t authdb.Tenant, known authdb.Work, now time.Time) (authdb.Work, error) {
	is := authdb.Work{Due: Next(t.ID, now, known.Due.IsZero()), Content: known.Content}
	folder := w.folderOf(t)
	content, err := contentOf(folder)
	if err == nil && content == known.Content && known.Failures == 0 {
		return is, nil
	}
	log := w.Log.With("kind", string(t.Kind), "reference", t.Reference)
	var done authdb.Load
	if err == nil {
		done, err = w.Load(ctx, t, folder)
	}
	switch {
	case err == nil:
		is.Content = content
		log.Info("loaded", "rows", done.Rows, "seconds", done.Took.Seconds(), "next", is.Due.Format(time.RFC3339))
	case ctx.Err() != nil:
		log.Warn("load called off", "error", cmp.Or(context.Cause(ctx), err).Error())
		return known, nil
	default:
		end, clock := w.Store.Clock(ctx, w.Store.DB)
		if clock != nil {
			end = now
		}
		is.Failures, is.Problem = known.Failures+1, err.Error()
		is.Due = end.Add(Pause(is.Failures))
		log.Error("load failed", "error", is.Problem, "failures", is.Failures, "next", is.Due.Format(time.RFC3339))
	}
	return is, nil
}
