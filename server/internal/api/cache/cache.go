// Package cache keeps the values that the reports compute from a tenant's data, and answers as they were sent, in one
// process and bounded in bytes.
//
// It is a snapshot.Cache over an LFU cache that weighs its entries. Keys begin with the tenant by type and contain
// the version of the data, so an entry never has to be invalidated: a load makes new keys. Entries of earlier
// versions are removed when nobody has used them for 5 minutes, or sooner if there is no room.
//
//	c := cache.New(256 << 20)
//	v, err := c.Load(ctx, key, func(ctx context.Context) (snapshot.Value, error) { return read(ctx) })
//
// Simultaneous loads of one key are one load. It is independent of the requests that wait for it: if one of them is
// cancelled, the load goes on for the others and for the cache. A failed load keeps nothing. The requests that waited
// for it get its error, and the next call loads again.
//
// Processes do not share entries, and a restart begins with an empty cache.
package cache

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/lectern-dev/lectern/paging/snapshot"
)

// timeout bounds a load, because the contexts of requests do not. It is the time limit of a request, so that no
// request waits for a load on a frozen server.
const timeout = 10 * time.Second

// idle is the time after which an unused entry is removed. Most of them belong to earlier versions and would fill the
// cache.
const idle = 5 * time.Minute

// overhead is about the size of an entry besides its value: key, node and table slot.
const overhead = 256

// Cache is a snapshot.Cache. It is safe for concurrent use; make one with New.
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

// Load returns the value of a key, and calls load if the cache does not have it. If ctx ends first it returns ctx's
// error, and the load goes on.
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

// Loads returns how many requested values the cache had, and how many it had not.
func (c *Cache) Loads() (had, made uint64) { return c.had.Load(), c.made.Load() }

// Bytes returns about the size of the entries.
func (c *Cache) Bytes() int64 { return int64(c.entries.WeightedSize()) }
