package web_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/internal/api/web"
)

// keeper says for a number of questions that a snapshot is kept, and then that it has expired.
type keeper struct {
	web.Pulls
	questions int
	err       error
	used      int
}

func (k *keeper) KeptFrom(context.Context, auth.Tenant, snapshot.Versions) (time.Time, error) {
	if k.err != nil {
		return time.Time{}, k.err
	}
	if k.questions--; k.questions < 0 {
		return time.Time{}, snapshot.ErrGone
	}
	return time.Unix(7, 0), nil
}

// TestReportOfASnapshot tests that an earlier snapshot must be kept from before the report's first statement to after its
// last. Otherwise the error is ErrGone, even if the report succeeded: it may have read what was being removed.
func TestReportOfASnapshot(t *testing.T) {
	now, then := snapshot.Versions{Registers: 2, Facts: 2}, snapshot.Versions{Registers: 1, Facts: 2}
	boom := errors.New("a row is missing")
	for _, tt := range []struct {
		rule   string
		at     snapshot.Versions
		keeper keeper
		failed error
		runs   bool
		want   error
	}{
		{"of now", now, keeper{}, nil, true, nil},
		{"of now, that fails", now, keeper{}, boom, true, boom},
		{"of then", then, keeper{questions: 2}, nil, true, nil},
		{"of then, that fails", then, keeper{questions: 2}, boom, true, boom},
		{"of a state that is gone", then, keeper{}, nil, false, web.ErrGone},
		{"of a state that goes meanwhile", then, keeper{questions: 1}, nil, true, web.ErrGone},
		{"of a state that goes meanwhile, that fails", then, keeper{questions: 1}, boom, true, web.ErrGone},
		{"without a database", then, keeper{err: boom}, nil, false, boom},
	} {
		ran := false
		s := web.Snapshots{Caller: web.Caller{Now: snapshot.Snapshot{Versions: now}, From: time.Unix(9, 0)}, At: snapshot.Snapshot{Versions: tt.at}}
		err := s.Report(t.Context(), &tt.keeper, func(from time.Time) error {
			ran = true
			if want := map[bool]int64{true: 9, false: 7}[tt.at == now]; from.Unix() != want {
				t.Errorf("%s: from %v, want %d", tt.rule, from, want)
			}
			return tt.failed
		})
		if ran != tt.runs || err != tt.want {
			t.Errorf("%s: ran %t, %v, want %t, %v", tt.rule, ran, err, tt.runs, tt.want)
		}
	}
}

// UsePull implements web.Pulls. It counts the uses of snapshots.
func (k *keeper) UsePull(context.Context, snapshot.PullKey, snapshot.Snapshot, time.Time) error {
	k.used++
	return nil
}

// TestReportOfAnIncrementalPull tests that both snapshots of an incremental pull must be kept until its end. If one expires or
// there are too many changes, the client must begin again.
func TestReportOfAnIncrementalPull(t *testing.T) {
	now, then, before := snapshot.Versions{Registers: 3, Facts: 3}, snapshot.Versions{Registers: 2, Facts: 2}, snapshot.Versions{Registers: 1, Facts: 1}
	boom := errors.New("a row is missing")
	for _, tt := range []struct {
		rule      string
		at        snapshot.Versions
		since     *snapshot.Versions
		questions int
		failed    error
		used      int
		want      int // the status
	}{
		{"of now, no round", now, nil, 0, nil, 0, 200},
		{"to now", now, &then, 2, nil, 1, 200},
		{"from a state that is gone", now, &then, 0, nil, 0, 410},
		{"from a state that goes meanwhile", now, &then, 1, nil, 1, 410},
		{"between two", then, &before, 4, nil, 1, 200},
		{"to a state that is gone", then, &before, 1, nil, 0, 410},
		{"between two that go meanwhile", then, &before, 3, nil, 1, 410},
		{"of nothing", now, &now, 0, nil, 1, 200},
		{"that is too long", now, &then, 2, fmt.Errorf("loans: %w", incremental.ErrMany), 1, 410},
		{"that is too long, between two", then, &before, 4, incremental.ErrMany, 1, 410},
		{"that fails", now, &then, 2, boom, 1, 500},
	} {
		k := &keeper{questions: tt.questions}
		c := web.Caller{Now: snapshot.Snapshot{Versions: now}}
		var since *snapshot.Snapshot
		if tt.since != nil {
			since = &snapshot.Snapshot{Versions: *tt.since}
		}
		states := web.Snapshots{Caller: c, At: snapshot.Snapshot{Versions: tt.at}, Since: since}
		err := states.Report(t.Context(), k, func(time.Time) error { return tt.failed })
		status := 200
		if problem, ok := errors.AsType[*web.Problem](err); ok {
			if status = problem.Status; problem != web.ErrGone {
				t.Errorf("%s: %v, want the wording of ErrGone", tt.rule, err)
			}
		} else if err != nil {
			status = 500
		}
		if status != tt.want || k.used != tt.used {
			t.Errorf("%s: %v, used %d times, want %d, %d", tt.rule, err, k.used, tt.want, tt.used)
		}
	}
}
