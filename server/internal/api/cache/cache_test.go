package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/paging/snapshot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text is a value whose size is its length.
type text string

func (t text) Bytes() int { return len(t) }

func key(partner int, what string) snapshot.Key {
	return snapshot.Key{Tenant: auth.Tenant(partner), What: what}
}

func TestLoadOnce(t *testing.T) {
	c := New(1 << 20)
	var loads atomic.Int32
	begun, release := make(chan struct{}), make(chan struct{})
	load := func(context.Context) (snapshot.Value, error) {
		if loads.Add(1) == 1 {
			close(begun)
		}
		<-release
		return text("value"), nil
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if i > 0 {
				<-begun // there is one load, whether this call joins it or comes later
			}
			if v, err := c.Load(t.Context(), key(1, "k"), load); err != nil || v != text("value") {
				t.Errorf("Load = %v, %v, want value", v, err)
			}
		})
	}
	<-begun
	close(release)
	wg.Wait()
	if n := loads.Load(); n != 1 {
		t.Errorf("loads = %d, want 1", n)
	}
}

// TestIdleEntriesLeave tests that unused entries are removed, and that used ones stay.
func TestIdleEntriesLeave(t *testing.T) {
	var passed atomic.Int64
	c := newCache(1<<20, func() time.Time { return time.Unix(0, passed.Load()) })
	for i := range 100 {
		put(t, c, key(1, fmt.Sprint(i)), text("value"))
	}
	for range 3 {
		passed.Add(int64(idle - 2*time.Second)) // a read may extend an entry's life by a second less
		put(t, c, key(1, "7"), text("made again"))
	}
	c.entries.CleanUp()
	if had, made := c.Loads(); had != 3 || made != 100 {
		t.Errorf("Loads = %d, %d, want 3 hits of the used entry and 100 loads", had, made)
	}
	if one := int64(weigh(key(1, "7"), text("value"))); c.Bytes() != one {
		t.Errorf("the entries hold %d bytes, want %d, the size of one", c.Bytes(), one)
	}
}

// TestLoadOutlivesItsFirstCaller tests that a canceled request does not end the load that it began: the load goes on for
// the other requests that wait for it.
func TestLoadOutlivesItsFirstCaller(t *testing.T) {
	c := New(1 << 20)
	begun, release := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := c.Load(ctx, key(1, "k"), func(ctx context.Context) (snapshot.Value, error) {
			close(begun)
			<-release
			return text("value"), ctx.Err()
		})
		first <- err
	}()
	<-begun
	second := make(chan error, 1)
	go func() {
		v, err := c.Load(t.Context(), key(1, "k"), func(context.Context) (snapshot.Value, error) {
			return nil, errors.New("loaded twice")
		})
		if err == nil && v != text("value") {
			err = fmt.Errorf("value = %v", v)
		}
		second <- err
	}()
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("first caller = %v, want %v", err, context.Canceled)
	}
	close(release)
	if err := <-second; err != nil {
		t.Errorf("second caller = %v, want the value", err)
	}
}

func TestLoadKeepsNoFailure(t *testing.T) {
	c := New(1 << 20)
	boom := errors.New("boom")
	fails := []struct {
		rule string
		load func(context.Context) (snapshot.Value, error)
		want string
	}{
		{"error", func(context.Context) (snapshot.Value, error) { return nil, boom }, "boom"},
		{"panic", func(context.Context) (snapshot.Value, error) { panic("boom") }, "panic: boom"},
		{"value with an error", func(context.Context) (snapshot.Value, error) { return text("bad"), boom }, "boom"},
	}
	for _, tt := range fails {
		if v, err := c.Load(t.Context(), key(1, tt.rule), tt.load); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Load = %v, %v, want %s", tt.rule, v, err, tt.want)
		}
		v, err := c.Load(t.Context(), key(1, tt.rule), func(context.Context) (snapshot.Value, error) { return text("good"), nil })
		if err != nil || v != text("good") {
			t.Errorf("%s: next Load = %v, %v, want good", tt.rule, v, err)
		}
	}
}

// TestLoadByWholeKey tests that keys of different tenants, versions or subjects do not share a value.
func TestLoadByWholeKey(t *testing.T) {
	c := New(1 << 20)
	keys := []snapshot.Key{
		{Tenant: 1, What: "a"}, {Tenant: 2, What: "a"}, {Tenant: 1, What: "b"},
		{Tenant: 1, What: "a", At: snapshot.Versions{Registers: 1}}, {Tenant: 1, What: "a", At: snapshot.Versions{Facts: 1}},
	}
	for range 2 {
		for i, k := range keys {
			want := text(fmt.Sprint(i))
			v, err := c.Load(t.Context(), k, func(context.Context) (snapshot.Value, error) { return want, nil })
			if err != nil || v != want {
				t.Errorf("Load(%v) = %v, %v, want %v", k, v, err, want)
			}
		}
	}
}

func TestBound(t *testing.T) {
	const limit = 100_000
	c := New(limit)
	value := text(strings.Repeat("x", 1000))
	for i := range 1000 {
		put(t, c, key(i, "k"), value)
	}
	c.entries.CleanUp() // which other goroutines would do later
	if got := c.Bytes(); got > limit || got < limit/2 {
		t.Errorf("Bytes() after 1,000 entries of 1,000 bytes = %d, want about %d at most", got, limit)
	}
}

// TestTooLarge tests that a value larger than the whole cache is still served.
func TestTooLarge(t *testing.T) {
	c := New(10)
	v, err := c.Load(t.Context(), key(1, "k"), func(context.Context) (snapshot.Value, error) { return text("12345678901"), nil })
	if err != nil || v != text("12345678901") {
		t.Errorf("Load = %v, %v, want the value", v, err)
	}
}

// put loads a value into the cache if it has none for the key.
func put(t *testing.T, c *Cache, k snapshot.Key, v text) {
	t.Helper()
	if _, err := c.Load(t.Context(), k, func(context.Context) (snapshot.Value, error) { return v, nil }); err != nil {
		t.Fatal(err)
	}
}
