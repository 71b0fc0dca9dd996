package snapshot_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lectern-dev/lectern/paging/snapshot"
)

type number int

func (number) Bytes() int { return 8 }

// oneValue is a cache with one value.
type oneValue struct {
	key   snapshot.Key
	value snapshot.Value
}

func (c *oneValue) Load(ctx context.Context, key snapshot.Key, load func(context.Context) (snapshot.Value, error)) (snapshot.Value, error) {
	if c.value != nil && c.key == key {
		return c.value, nil
	}
	v, err := load(ctx)
	if err == nil {
		c.key, c.value = key, v
	}
	return v, err
}

// TestLoad tests that Load asks the cache, or without one always the source. An error is not cached.
func TestLoad(t *testing.T) {
	calls := 0
	load := func(context.Context) (number, error) {
		if calls++; calls == 1 {
			return 0, errors.New("broken")
		}
		return number(calls), nil
	}
	c := &oneValue{}
	key := snapshot.Key{Tenant: 1, What: "n"}
	if v, err := snapshot.Load(t.Context(), c, key, load); v != 0 || err == nil {
		t.Errorf("Load of a broken source = %d, %v, want an error", v, err)
	}
	for range 2 {
		if v, err := snapshot.Load(t.Context(), c, key, load); v != 2 || err != nil {
			t.Errorf("Load = %d, %v, want 2", v, err)
		}
	}
	if v, err := snapshot.Load(t.Context(), nil, key, load); v != 3 || err != nil {
		t.Errorf("Load without a cache = %d, %v, want 3", v, err)
	}
}

// TestParallel tests that all parts run concurrently, that a failing part cancels the others, and that a panic becomes
// its error.
func TestParallel(t *testing.T) {
	meet := make(chan int)
	err := snapshot.Parallel(t.Context(),
		func(context.Context) error { meet <- 1; return nil },
		func(context.Context) error { <-meet; return nil },
	)
	if err != nil {
		t.Errorf("Parallel of functions that wait for each other = %v, want nil", err)
	}
	err = snapshot.Parallel(t.Context(),
		func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		func(context.Context) error { panic("boom") },
	)
	if err == nil || !strings.Contains(err.Error(), "panic: boom") {
		t.Errorf("Parallel with a function that panics = %v, want the panic", err)
	}
}
