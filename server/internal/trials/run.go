package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// acts are what a plan can have done.
var acts = map[string]func(*trial, chance, Act) error{
	"flood":          (*trial).flood,
	"drop":           (*trial).drop,
	"migrate":        (*trial).migrate,
	"export":         (*trial).export,
	"backup":         (*trial).backup,
	"flip":           (*trial).flip,
	"power":          (*trial).power,
	"full disk":      (*trial).fullDisk,
	"forget":         (*trial).forget,
	"school load":    (*trial).schoolLoad,
	"library load":   (*trial).libraryLoad,
	"directory":      (*trial).directory,
	"pull schools":   (*trial).pullSchools,
	"pull libraries": (*trial).pullLibraries,
	"pull directory": (*trial).pullDirectory,
	"go on":          (*trial).goOn,
	"round":          (*trial).round,
	"keys":           (*trial).keys,
	"strangers":      (*trial).strangers,
	"clock":          (*trial).turnClock,
	"clock back":     (*trial).clockBack,
	"turn":           (*trial).turn,
	"kill server":    (*trial).killServer,
	"kill backend":   (*trial).killBackend,
	"crash database": (*trial).crashDatabase,
	"promote":        (*trial).promote,
	"lose":           (*trial).lose,
	"hold":           (*trial).hold,
	"freeze":         (*trial).freeze,
}

// run does a plan from its beginning to its end. The error is a *difference where an answer was wrong.
func (t *trial) run(ctx context.Context) error {
	if err := t.begin(); err != nil {
		return fmt.Errorf("beginning: %w", err)
	}
	for i, a := range t.plan.Acts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		do, known := acts[a.Do]
		if !known {
			continue
		}
		t.figures.acts.Add(1)
		t.log("%d %s %s at %v", i, a.Do, a.Fault, t.clock.now().In(brasilia).Format(time.DateTime))
		if err := do(t, newChance(a.Chance), a); err != nil {
			if d, ok := errors.AsType[*difference](err); ok {
				return &difference{fmt.Sprintf("act %d, %s %s: %s", i, a.Do, a.Fault, d.text)}
			}
			return fmt.Errorf("act %d, %s %s: %w", i, a.Do, a.Fault, err)
		}
	}
	return t.finish()
}

// finish looks at everything once more.
func (t *trial) finish() error {
	if err := t.whole(t.servers[0]); err != nil {
		return err
	}
	if err := t.checkLost(); err != nil {
		return err
	}
	return t.checkWhole()
}

// whole pulls every list from a server.
func (t *trial) whole(s *server) error {
	if err := t.wholeSchools(s); err != nil {
		return err
	}
	return t.wholeLibraries(s)
}

func (t *trial) killServer(c chance, _ Act) error {
	return t.restart(pick(c, t.servers), true)
}
