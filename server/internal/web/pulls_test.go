package web_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/server/internal/web"
)

// keeper keeps a state for so many questions.
type keeper struct {
	web.Pulls
	questions int
	err       error
}

func (k *keeper) KeptFrom(context.Context, state.Tenant, state.Versions) (time.Time, error) {
	if k.err != nil {
		return time.Time{}, k.err
	}
	if k.questions--; k.questions < 0 {
		return time.Time{}, state.ErrGone
	}
	return time.Unix(7, 0), nil
}

// A report of an earlier state is an answer only if the state was kept from before its first statement to after its last one,
// whatever the report itself said: what is being removed may read as anything.
func TestReportOfAState(t *testing.T) {
	now, then := state.Versions{Registers: 2, Facts: 2}, state.Versions{Registers: 1, Facts: 2}
	boom := errors.New("a row is missing")
	for _, tt := range []struct {
		rule   string
		at     state.Versions
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
		s := web.States{Caller: web.Caller{Now: state.Snapshot{Versions: now}, From: time.Unix(9, 0)}, At: state.Snapshot{Versions: tt.at}}
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
