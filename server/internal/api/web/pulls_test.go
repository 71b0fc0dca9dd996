package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/incremental"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/server/internal/api/web"
	"github.com/lectern-dev/lectern/server/internal/api/wire"
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

// find returns the answer of a front that keeps no answers.
func find(p web.Pulls, reply web.Reply) (*web.Found, error) {
	return (&web.Front{Pulls: p, Answers: new(web.Answers)}).Find(httptest.NewRequest("GET", "/list", nil), reply)
}

// TestReportOfASnapshot tests that an earlier snapshot must be kept from before the report's first statement to after its
// last. Otherwise the error is ErrGone, even if the report succeeded: it may have read what was being removed.
func TestReportOfASnapshot(t *testing.T) {
	now, then := snapshot.Versions{Registers: 2, Facts: 2}, snapshot.Versions{Registers: 1, Facts: 2}
	boom := errors.New("a row is missing")
	for _, tt := range []struct {
		rule   string
		at     snapshot.Versions
		pulled bool // the look-up of its pull has found the snapshot
		keeper keeper
		failed error
		runs   bool
		want   error
	}{
		{"current", now, false, keeper{}, nil, true, nil},
		{"current, fails", now, false, keeper{}, boom, true, boom},
		{"earlier", then, false, keeper{questions: 2}, nil, true, nil},
		{"earlier, fails", then, false, keeper{questions: 2}, boom, true, boom},
		{"expired", then, false, keeper{}, nil, false, web.ErrGone},
		{"expires during the report", then, false, keeper{questions: 1}, nil, true, web.ErrGone},
		{"expires during the report, fails", then, false, keeper{questions: 1}, boom, true, web.ErrGone},
		{"of a pull", then, true, keeper{questions: 1}, nil, true, nil},
		{"of a pull, expires during the report", then, true, keeper{}, nil, true, web.ErrGone},
		{"without a database", then, false, keeper{err: boom}, nil, false, boom},
	} {
		ran := false
		s := web.Snapshots{Caller: web.Caller{Now: snapshot.Snapshot{Versions: now}, From: time.Unix(9, 0)}, At: snapshot.Snapshot{Versions: tt.at}}
		if tt.pulled {
			s.SetFrom(time.Unix(7, 0))
		}
		_, err := find(&tt.keeper, web.Reply{Snapshots: s, Read: func(_ context.Context, _ web.Snapshots, from time.Time) (web.Content, error) {
			ran = true
			if want := map[bool]int64{true: 9, false: 7}[tt.at == now]; from.Unix() != want {
				t.Errorf("%s: from %v, want %d", tt.rule, from, want)
			}
			return web.Content{Members: func(*wire.Writer) {}}, tt.failed
		}})
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
		{"current, no incremental pull", now, nil, 0, nil, 0, 200},
		{"to the current snapshot", now, &then, 2, nil, 1, 200},
		{"from an expired snapshot", now, &then, 0, nil, 0, 410},
		{"from a snapshot that expires during the pull", now, &then, 1, nil, 1, 410},
		{"between two earlier snapshots", then, &before, 4, nil, 1, 200},
		{"to an expired snapshot", then, &before, 1, nil, 0, 410},
		{"between two snapshots that expire during the pull", then, &before, 3, nil, 1, 410},
		{"without changes", now, &now, 0, nil, 1, 200},
		{"too many changes", now, &then, 2, fmt.Errorf("loans: %w", incremental.ErrMany), 1, 410},
		{"too many changes between two earlier snapshots", then, &before, 4, incremental.ErrMany, 1, 410},
		{"fails", now, &then, 2, boom, 1, 500},
	} {
		k := &keeper{questions: tt.questions}
		c := web.Caller{Now: snapshot.Snapshot{Versions: now}}
		var since *snapshot.Snapshot
		if tt.since != nil {
			since = &snapshot.Snapshot{Versions: *tt.since}
		}
		snapshots := web.Snapshots{Caller: c, At: snapshot.Snapshot{Versions: tt.at}, Since: since}
		_, err := find(k, web.Reply{Snapshots: snapshots, Read: func(context.Context, web.Snapshots, time.Time) (web.Content, error) {
			return web.Content{Members: func(*wire.Writer) {}}, tt.failed
		}})
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
