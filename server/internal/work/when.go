package work

import (
	"hash/fnv"
	"strconv"
	"time"

	"github.com/lectern-dev/lectern/auth"
)

// Next returns when the feed of a tenant is due again after a time: at its minute of the hour, which does not change. fresh says
// that it was loaded for the first time, at once: then the next is at least half an hour away.
func Next(t auth.Tenant, after time.Time, fresh bool) time.Time {
	if fresh {
		after = after.Add(time.Hour / 2)
	}
	h := fnv.New64a()
	h.Write([]byte(strconv.FormatInt(int64(t), 10)))
	due := after.Truncate(time.Hour).Add(time.Duration(h.Sum64() % uint64(time.Hour)).Truncate(time.Second))
	if !due.After(after) {
		due = due.Add(time.Hour)
	}
	return due
}

const (
	firstPause = time.Minute
	lastPause  = time.Hour
)

// Pause returns how long is waited after so many failures in a row: 1, 2, 4 … 32 minutes, and then an hour each.
func Pause(failures int) time.Duration {
	pause := firstPause
	for ; failures > 1 && pause < lastPause; failures-- {
		pause *= 2
	}
	return min(pause, lastPause)
}
