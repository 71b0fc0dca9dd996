package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
)

// Pulls remembers from which snapshot the pages of a query are answered, and knows which snapshots are kept (H12). Its errors are
// those of the database, and snapshot.ErrGone.
type Pulls interface {
	// KeptFrom returns when the facts of a snapshot became current, or snapshot.ErrGone if the snapshot has expired.
	KeptFrom(ctx context.Context, t auth.Tenant, at snapshot.Versions) (time.Time, error)
	// BeginPull notes that a query's first page was answered from a snapshot.
	BeginPull(ctx context.Context, k snapshot.PullKey, at snapshot.Snapshot, now time.Time) error
	// Pull returns the snapshot for the later pages of a query, if its first page was asked within 24 hours, and KeptFrom of it, or
	// zero if that is not known. present is the current snapshot.
	Pull(ctx context.Context, k snapshot.PullKey, present snapshot.Snapshot, now time.Time) (at snapshot.Snapshot, from time.Time, ok bool, err error)
	// UsePull notes that a request names a snapshot, so that it is kept like that of a pull.
	UsePull(ctx context.Context, k snapshot.PullKey, at snapshot.Snapshot, now time.Time) error
}

// The headers and parameters of pulls.
const (
	// SnapshotHeader names the snapshot that an answer was made from.
	SnapshotHeader = "X-Snapshot"
	// SnapshotParam asks for answers from a snapshot. It is last in the table of every route, but for SinceParam.
	SnapshotParam = "snapshot"
	// SinceParam asks for the changes since another snapshot (H14).
	SinceParam = "changedSince"
)

// Snapshot is the schema of a text that names a snapshot.
var Snapshot = wire.Object{"type", "string", "minLength", 1, "pattern", `^[A-Za-z0-9_.-]+$`}

const aboutSnapshot = "The X-Snapshot of an earlier answer: returns an answer from the same snapshot, with the same default period."

// ErrGone refuses a snapshot that has expired. It is never changed.
var ErrGone = &Problem{Status: http.StatusGone, Message: "that snapshot is no longer kept; begin the pull again"}

const aboutSince = "The X-Snapshot of an earlier pull of the same query, of which you have a copy: returns the rows that may differ, and the keys of rows that are gone. The period is then required. If the answer is 410, pull all rows again."

// Snapshots are the snapshots that a caller's request names, and the one that answers it.
type Snapshots struct {
	Caller
	At    snapshot.Snapshot  // of the answer
	Given bool               // At is that of snapshot
	Since *snapshot.Snapshot // of an earlier answer to the query; nil but with changedSince

	query snapshot.Query // as it was asked
	from  time.Time      // KeptFrom of At if it is known from Pull, else zero
}

// readSince reads the parameter changedSince. With it, the route's period must be given, since its defaults differ from day to
// day.
func (s *Snapshots) readSince(q *Query, period bool) {
	since, of := s.snapshot(q, SinceParam, aboutSince)
	switch {
	case since == nil:
	case period && (q.values["startDate"] == nil || q.values["endDate"] == nil):
		q.Fail(SinceParam, "startDate and endDate must be given with "+SinceParam)
	case q.Err() != nil: // then it is not known which query this is
	case of != s.query || s.Given && (since.Registers > s.At.Registers || since.Facts > s.At.Facts):
		q.Fail(SinceParam, notASnapshot(SinceParam))
	}
	s.Since = since
}

// notASnapshot is the message for a parameter that is not the X-Snapshot of an earlier answer.
func notASnapshot(name string) string {
	message := name + " must be the " + SnapshotHeader + " of an earlier answer"
	if name == SinceParam {
		message += " to this query"
	}
	return message
}

// snapshot returns the snapshot that a parameter names and the query that its answer was to. It returns nil if the parameter is
// absent, or no snapshot of the tenant.
func (c Caller) snapshot(q *Query, name, about string) (*snapshot.Snapshot, snapshot.Query) {
	text, ok := q.take(Param{Name: name, About: about, Schema: Snapshot})
	if !ok {
		return nil, snapshot.Query{}
	}
	at, of, err := snapshot.ParseSnapshot(text, c.Tenant, c.Secret)
	if err != nil {
		q.Fail(name, notASnapshot(name))
		return nil, of
	}
	q.say(name, text)
	return &at, of
}

// pullKey is the key of the caller's pull of a query, a text of any length.
func (c Caller) pullKey(query string) snapshot.PullKey {
	return snapshot.PullKey{Tenant: c.Tenant, Budget: c.Budget, Query: digest([]byte(query))}
}

// readFrom returns since when the facts of the answer's snapshot are current. Snapshots that the request names are used like
// those of pulls. The error is ErrGone if one of them has expired.
func (s Snapshots) readFrom(ctx context.Context, p Pulls) (from time.Time, err error) {
	if from = s.from; from.IsZero() || s.Since != nil {
		from, err = s.keptFrom(ctx, p)
	}
	if err == nil && s.Since != nil {
		err = s.use(ctx, p, *s.Since)
	}
	if err == nil && s.Given {
		err = s.use(ctx, p, s.At)
	}
	return from, err
}

// keptFrom is readFrom without the use. It is called again after the last statement of a report, which otherwise may have read
// what was being removed.
func (s Snapshots) keptFrom(ctx context.Context, p Pulls) (from time.Time, err error) {
	from = s.From
	if s.Since != nil && s.Since.Versions != s.Now.Versions {
		_, err = p.KeptFrom(ctx, s.Tenant, s.Since.Versions)
	}
	if err == nil && s.At.Versions != s.Now.Versions {
		from, err = p.KeptFrom(ctx, s.Tenant, s.At.Versions)
	}
	return from, explainGone(err)
}

// use notes the use of a snapshot that the request names.
func (c Caller) use(ctx context.Context, p Pulls, at snapshot.Snapshot) error {
	return p.UsePull(ctx, c.pullKey(fmt.Sprintf("%s %+v", SnapshotParam, at)), at, c.Time)
}

// explainGone returns ErrGone for a snapshot that cannot be read, and for an incremental pull with too many changes (H14).
func explainGone(err error) error {
	if errors.Is(err, snapshot.ErrGone) || errors.Is(err, incremental.ErrMany) {
		return ErrGone
	}
	return err
}

// ShowSnapshot sets the header that names the snapshot of a 200 or a 304.
func (s Snapshots) ShowSnapshot(w http.ResponseWriter) {
	w.Header().Set(SnapshotHeader, s.At.Text(s.query, s.Tenant, s.Secret))
}
