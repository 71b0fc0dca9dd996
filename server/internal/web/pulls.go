package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/round"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// Pulls keeps which state the pages of a query are answered from, and says which states are kept (H12). The errors are of the
// database, but for state.ErrGone.
type Pulls interface {
	// KeptFrom returns since when the facts of a state held, or state.ErrGone where the state is no longer kept.
	KeptFrom(ctx context.Context, t state.Tenant, at state.Versions) (time.Time, error)
	// BeginPull notes that a query's first page was answered from a state.
	BeginPull(ctx context.Context, k state.PullKey, at state.Snapshot, now time.Time) error
	// Pull returns the state from which the later pages of a query are answered, if its first page was asked within 24 hours.
	Pull(ctx context.Context, k state.PullKey, now time.Time) (at state.Snapshot, ok bool, err error)
	// UsePull notes that a state is read by its snapshot, so that it is kept like that of a pull.
	UsePull(ctx context.Context, k state.PullKey, at state.Snapshot, now time.Time) error
}

// Caller is who asks, as the check of the key saw it.
type Caller struct {
	Tenant  state.Tenant
	Network int64          // of the partner's networks the one that the key is for, 0 for a key of another API
	Spends  auth.Budget    // what the caller's requests count on
	Budget  int64          // the number of that budget among those of the tenant, 0 where all keys of a tenant share one
	Secret  []byte         // what the tenant's snapshots are sealed by
	Time    time.Time      // of the clock that judged the key
	Now     state.Snapshot // the state of now, and the day or the hour that it is
	From    time.Time      // since when the facts of that state have held; zero before the first load
}

// The headers and parameters of pulls.
const (
	// SnapshotHeader names the state that an answer was made of.
	SnapshotHeader = "X-Snapshot"
	// SnapshotParam asks for the answers of that state; it stands last in the table of every route, but for SinceParam.
	SnapshotParam = "snapshot"
	// SinceParam asks for what has changed since another state (H14).
	SinceParam = "changedSince"
)

// Snapshot is the schema of the text that names a state.
var Snapshot = wire.Object{"type", "string", "minLength", 1, "pattern", `^[A-Za-z0-9_.-]+$`}

const aboutSnapshot = "The X-Snapshot of an earlier answer: answers as then, from the same state of the data and with the same defaults of the period."

// ErrGone refuses a state that is no longer kept. It is never changed.
var ErrGone = &Problem{Status: http.StatusGone, Message: "that snapshot is no longer kept; begin the pull again"}

// errManyChanged refuses a round that is as long as a pull.
var errManyChanged = &Problem{Status: http.StatusGone, Message: "too much has changed since that snapshot; begin the pull again"}

// Asked returns the state that the parameter snapshot names, or nil where it is absent or no snapshot of the tenant's.
func (c Caller) Asked(q *Query) *state.Snapshot {
	text, ok := q.take(Param{Name: SnapshotParam, About: aboutSnapshot}, func() wire.Object { return Snapshot })
	if !ok {
		return nil
	}
	at, err := state.ParseSnapshot(text, c.Tenant, c.Secret)
	if err != nil {
		q.Fail(SnapshotParam, SnapshotParam+" must be the "+SnapshotHeader+" of an earlier answer")
		return nil
	}
	return &at
}

const aboutSince = "The X-Snapshot of an earlier pull of the same query, of which a copy is kept: lists the rows that may differ from it, and by their key alone those that have left it. A period must be given then. 410: pull anew."

// Since returns the state that the parameter changedSince names, or nil where it is absent or no snapshot of the tenant's. With it,
// what the route reads of a period must be given: its defaults are others on another day.
func (c Caller) Since(q *Query, period bool) *state.Snapshot {
	text, ok := q.take(Param{Name: SinceParam, About: aboutSince}, func() wire.Object { return Snapshot })
	if !ok {
		return nil
	}
	since, err := state.ParseSnapshot(text, c.Tenant, c.Secret)
	if err != nil {
		q.Fail(SinceParam, SinceParam+" must be the "+SnapshotHeader+" of an earlier answer")
		return nil
	}
	if period && (q.values["startDate"] == nil || q.values["endDate"] == nil) {
		q.Fail(SinceParam, "startDate and endDate must be given with "+SinceParam)
	}
	return &since
}

// CheckSince reports a changedSince that is later than the state of the answer: from there on nothing leads back.
func CheckSince(q *Query, since *state.Snapshot, at state.Versions) {
	if since != nil && (since.Registers > at.Registers || since.Facts > at.Facts) {
		q.Fail(SinceParam, SinceParam+" must not be later than the state of the answer")
	}
}

// Key names a pull of the caller's by its query, which may be of any form and length.
func (c Caller) Key(query string) state.PullKey {
	sum := sha256.Sum256([]byte(query))
	return state.PullKey{Tenant: c.Tenant, Budget: c.Budget, Query: base64.RawURLEncoding.EncodeToString(sum[:16])}
}

// Use notes that a state is read by its snapshot, once it is known to be kept.
func (c Caller) Use(ctx context.Context, p Pulls, at state.Snapshot) error {
	return p.UsePull(ctx, c.Key(SnapshotParam+" "+at.Text(c.Tenant, c.Secret)), at, c.Time)
}

// Report runs a report on a state, and tells it since when the state's facts have held. The error is ErrGone where the state is
// not one that is kept, from before the report's first statement to after its last: it may have read what was being removed.
func (c Caller) Report(ctx context.Context, p Pulls, at state.Versions, report func(from time.Time) error) error {
	if at == c.Now.Versions {
		return report(c.From)
	}
	from, err := p.KeptFrom(ctx, c.Tenant, at)
	if err != nil {
		return explainGone(err)
	}
	failed := report(from)
	if _, err = p.KeptFrom(ctx, c.Tenant, at); errors.Is(err, state.ErrGone) {
		return ErrGone
	}
	return cmp.Or(failed, err)
}

// ReportSince runs a report on a state and on an earlier one, which is used as that of a pull then; without one it is Report.
func (c Caller) ReportSince(ctx context.Context, p Pulls, at state.Versions, since *state.Snapshot, report func(from time.Time) error) error {
	if since == nil {
		return c.Report(ctx, p, at, report)
	}
	return explainGone(c.Report(ctx, p, since.Versions, func(time.Time) error {
		return c.Report(ctx, p, at, func(from time.Time) error {
			if err := c.Use(ctx, p, *since); err != nil {
				return err
			}
			return report(from)
		})
	}))
}

// explainGone returns what a client is told of a state that cannot be read.
func explainGone(err error) error {
	switch {
	case errors.Is(err, state.ErrGone):
		return ErrGone
	case errors.Is(err, round.ErrMany):
		return errManyChanged
	}
	return err
}

// ShowSnapshot sets the header that names the state of an answer that is 200 or 304.
func (c Caller) ShowSnapshot(w http.ResponseWriter, at state.Snapshot) {
	w.Header().Set(SnapshotHeader, at.Text(c.Tenant, c.Secret))
}
