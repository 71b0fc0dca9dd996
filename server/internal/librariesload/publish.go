package librariesload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server/database"
)

// lead is how long before its hour a load begins to write. What is written is invisible until the hour, but it keeps out
// other loads of the network and whoever issues its keys, and on SQLite all other writers of the database, so that it must
// not begin when the feed is read. A load that needs longer is late: it takes effect after the full hour, as that hour.
const lead = 10 * time.Second

// step is the longest that wait sleeps: a clock that is set meanwhile, or a machine that slept, is noticed so soon.
const step = 10 * time.Second

// check counts what publish would save.
func (l *load) check(ctx context.Context) (librariesdb.Saved, error) {
	return l.store.Check(ctx, l.options.Network, l.intake, l.pile, librariesdb.SaveOptions{Progress: l.fold})
}

// fold tells the progress of the store.
func (l *load) fold(done, total int) { l.progress("fold", int64(done), int64(total)) }

// publish saves what was read, at its hour.
func (l *load) publish(ctx context.Context) (librariesdb.Saved, error) {
	o := librariesdb.SaveOptions{
		Publish: l.now, Progress: l.fold, TempDir: l.options.TempDir, MemoryLimit: l.options.MemoryLimit,
	}
	if first := l.intake.State.Hour == 0; !first && !l.options.Immediately {
		target := l.target()
		if l.options.Waiting != nil {
			l.options.Waiting(target.Time())
		}
		if err := l.waitFor(ctx, target, lead); err != nil {
			return librariesdb.Saved{}, err
		}
		o.Publish = func(ctx context.Context) (libraries.Hour, error) { return target, l.waitFor(ctx, target, 0) }
	}
	return l.save(ctx, o)
}

// turns is how often a load waits for its turn to write, for up to 30 seconds each time: on SQLite another network's load
// may write at the same hour, and what has waited for that hour is not to be lost.
const turns = 20

func (l *load) save(ctx context.Context, o librariesdb.SaveOptions) (saved librariesdb.Saved, err error) {
	l.progress("wait", 0, 0)
	for range turns {
		saved, err = l.store.Save(ctx, l.options.Network, l.intake, l.pile, o)
		if !errors.Is(err, librariesdb.ErrNotBegun) || !database.Busy(err) || ctx.Err() != nil {
			break
		}
	}
	return saved, err
}

// target returns the next full hour, or where the clock was put back the next one that the network has not had: the hour
// of a network never goes back.
func (l *load) target() libraries.Hour {
	return max(libraries.NextHour(l.options.Now()), l.intake.State.Hour+1)
}

// now returns the hour that has begun. Two loads at once may share it, knowingly (L1).
func (l *load) now(context.Context) (libraries.Hour, error) {
	return max(libraries.HourOf(l.options.Now()), l.intake.State.Hour), nil
}

// waitFor waits until so long before an hour.
func (l *load) waitFor(ctx context.Context, hour libraries.Hour, before time.Duration) error {
	start := time.Now()
	err := l.options.Wait(ctx, hour.Time().Add(-before))
	l.waited += time.Since(start)
	if err != nil {
		return fmt.Errorf("load %s: stopped while waiting for %s: nothing was loaded; run it again, or with --now: %w", l.dir, hour, err)
	}
	return nil
}

// wait returns when a clock shows a time, or ctx is done.
func wait(ctx context.Context, now func() time.Time, until time.Time) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		left := until.Sub(now())
		if left <= 0 {
			return nil
		}
		timer := time.NewTimer(min(left, step))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}
