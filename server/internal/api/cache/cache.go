// Package cache keeps what the reports compute from a tenant's data, bounded in bytes, for one process.
//
// Answers are kept in it too, as they were sent. It is a snapshot.Cache over an LFU cache that weighs its entries. Keys begin with the tenant by type and name the
// version of the data, so that an entry never has to be withdrawn: a load makes new keys, and the entries of the old
// version leave when nobody has asked for them for 15 minutes, or sooner where there is no room.
//
//	c := cache.New(256 << 20)
//	v, err := c.Load(ctx, key, func(ctx context.Context) (snapshot.Value, error) { return read(ctx) })
//
// Loads of one key at once are one load. It belongs to none of the requests that wait for it: one that is cancelled
// leaves alone, and the load goes on for the others (and for the cache). A failed load keeps nothing; whoever waited
// for it gets its error, and the next call loads again.
//
// It does not share entries between processes and keeps nothing over a restart.
package cache

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/lectern-dev/lectern/paging/snapshot"
)

// timeout bounds a load, since no request's context does: as long as a request may take, so that none waits for a load on a server
// that is frozen.
const timeout = 10 * time.Second

// idle is how long an entry stays that nobody asks for: most are of versions that were replaced, and would fill the cache.
const idle = 15 * time.Minute

// overhead is about what an entry costs besides its value: key, node and table slot.
const overhead = 256

// Cache is a snapshot.Cache. It is safe for use by several goroutines; make one with New.
type Cache struct {
	entries   *otter.Cache[snapshot.Key, snapshot.Value]
	had, made atomic.Uint64
}

var _ snapshot.Cache = (*Cache)(nil)

// New returns a cache that holds about the given number of bytes, at least 1.
func New(bytes int64) *Cache { return newCache(bytes, time.Now) }

func newCache(bytes int64, now func() time.Time) *Cache {
	bytes = max(bytes, 1)
	return &Cache{entries: otter.Must(&otter.Options[snapshot.Key, snapshot.Value]{
		MaximumWeight:    uint64(bytes),
		Weigher:          weigh,
		ExpiryCalculator: otter.ExpiryAccessing[snapshot.Key, snapshot.Value](idle),
		Clock:            clock(now),
	})}
}

// clock is the clock of a cache, which sees to its old entries as it is used, and has no goroutine for that.
type clock func() time.Time

func (c clock) NowNano() int64                    { return c().UnixNano() }
func (clock) Tick(time.Duration) <-chan time.Time { return nil }

func weigh(k snapshot.Key, v snapshot.Value) uint32 {
	return uint32(min(int64(v.Bytes())+int64(len(k.What))+overhead, math.MaxUint32))
}

// Load returns the value of a key, made by load when it is not there. When ctx ends first, it returns ctx's error, and
// the load goes on without it.
func (c *Cache) Load(ctx context.Context, key snapshot.Key, load func(context.Context) (snapshot.Value, error)) (snapshot.Value, error) {
	if v, ok := c.entries.GetIfPresent(key); ok {
		c.had.Add(1)
		return v, nil
	}
	c.made.Add(1)
	var v snapshot.Value
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		var err error
		v, err = c.entries.Get(ctx, key, otter.LoaderFunc[snapshot.Key, snapshot.Value]( // or joins a load that is under way
			func(ctx context.Context, _ snapshot.Key) (v snapshot.Value, err error) {
				err = snapshot.Guard(func() (err error) { v, err = load(ctx); return err })
				return v, err
			}))
		done <- err
	}()
	select {
	case err := <-done:
		return v, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Loads returns how many values were there when they were asked for, and how many were not.
func (c *Cache) Loads() (had, made uint64) { return c.had.Load(), c.made.Load() }

// Bytes returns about how many bytes the entries hold now.
func (c *Cache) Bytes() int64 { return int64(c.entries.WeightedSize()) }
