package state_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lectern-dev/lectern/paging/state"
)

// TestSettled begins a report again with the versions that it was told of, and gives up on data that never stand still.
func TestSettled(t *testing.T) {
	want := errors.New("broken")
	var asked []state.Versions
	got, err := state.Settled(state.Versions{Facts: 1}, func(at state.Versions) (int64, error) {
		asked = append(asked, at)
		if at.Facts < 3 {
			return 0, &state.MovedError{Now: state.Versions{Facts: at.Facts + 1}}
		}
		return at.Facts, nil
	})
	if got != 3 || err != nil || len(asked) != 3 {
		t.Errorf("Settled = %d, %v after %v, want 3 at the third version", got, err, asked)
	}
	if _, err := state.Settled(state.Versions{}, func(state.Versions) (int, error) { return 0, want }); !errors.Is(err, want) {
		t.Errorf("Settled of a report that fails = %v, want its error", err)
	}
	if _, err := state.Settled(state.Versions{}, func(at state.Versions) (int, error) {
		return 0, &state.MovedError{Now: state.Versions{Facts: at.Facts + 1}}
	}); !errors.Is(err, state.ErrBusy) {
		t.Errorf("Settled of data that keep moving = %v, want ErrBusy", err)
	}
}

// TestTogether returns the first error in the order of the functions, and lets a panic go on in the caller.
func TestTogether(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	done := make(chan struct{})
	err := state.Together(
		func() error { <-done; return first },
		func() error { defer close(done); return second },
		func() error { return nil },
	)
	if !errors.Is(err, first) {
		t.Errorf("Together = %v, want the first", err)
	}
	defer func() {
		if p := recover(); p != "out of order" {
			t.Errorf("recovered %v, want the panic of a function", p)
		}
	}()
	_ = state.Together(func() error { panic("out of order") })
}

type number int

func (number) Bytes() int { return 8 }

// kept is a cache of one value.
type kept struct {
	key   state.Key
	value state.Value
}

func (c *kept) Load(ctx context.Context, key state.Key, load func(context.Context) (state.Value, error)) (state.Value, error) {
	if c.value != nil && c.key == key {
		return c.value, nil
	}
	v, err := load(ctx)
	if err == nil {
		c.key, c.value = key, v
	}
	return v, err
}

// TestLoad asks a cache, and always the source where there is none; an error keeps nothing.
func TestLoad(t *testing.T) {
	calls := 0
	load := func(context.Context) (number, error) {
		if calls++; calls == 1 {
			return 0, errors.New("broken")
		}
		return number(calls), nil
	}
	c := &kept{}
	key := state.Key{Tenant: 1, What: "n"}
	if v, err := state.Load(t.Context(), c, key, load); v != 0 || err == nil {
		t.Errorf("Load of a broken source = %d, %v", v, err)
	}
	for range 2 {
		if v, err := state.Load(t.Context(), c, key, load); v != 2 || err != nil {
			t.Errorf("Load = %d, %v, want 2", v, err)
		}
	}
	if v, err := state.Load(t.Context(), nil, key, load); v != 3 || err != nil {
		t.Errorf("Load without a cache = %d, %v, want 3", v, err)
	}
}

// TestSteady prefers that the data have moved on to what the read says of them, and the read's error to that of the versions.
func TestSteady(t *testing.T) {
	broken, lost := errors.New("broken"), errors.New("lost")
	at := state.Versions{Facts: 2}
	for name, tt := range map[string]struct {
		read, now error
		found     state.Versions
		want      error
		moved     bool
	}{
		"steady":                 {found: at},
		"read fails":             {read: broken, found: at, want: broken},
		"moved on":               {found: state.Versions{Facts: 3}, moved: true},
		"moved on, read fails":   {read: broken, found: state.Versions{Facts: 3}, moved: true},
		"versions fail":          {now: lost, want: lost},
		"versions and read fail": {read: broken, now: lost, want: broken},
	} {
		err := state.Steady(func() error { return tt.read }, func() (state.Versions, error) { return tt.found, tt.now },
			func(now state.Versions) bool { return now == at })
		var moved *state.MovedError
		if errors.As(err, &moved) != tt.moved || tt.moved && moved.Now != tt.found || !tt.moved && !errors.Is(err, tt.want) {
			t.Errorf("%s: Steady = %v, want %v, moved %t", name, err, tt.want, tt.moved)
		}
	}
}
