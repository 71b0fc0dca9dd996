package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// run does a plan from its beginning to its end. The error is a *difference where an answer was wrong.
func (t *trial) run(ctx context.Context) error {
	if err := t.begin(); err != nil {
		return fmt.Errorf("beginning: %w", err)
	}
	for i, a := range t.plan.Acts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		k := slices.IndexFunc(kinds, func(k kind) bool { return k.name == a.Do })
		if k < 0 || !kinds[k].fits(t.plan) {
			continue
		}
		t.figures.acts.Add(1)
		t.log("%d %s %s at %v", i, a.Do, a.Fault, t.clock.now().In(brasilia).Format(time.DateTime))
		if err := kinds[k].do(t, newChance(a.Chance), a); err != nil {
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
	if err := t.everything(t.servers[0]); err != nil {
		return err
	}
	if err := t.checkLost(); err != nil {
		return err
	}
	return t.checkWhole()
}

func (t *trial) killServer(c chance, _ Act) error {
	return t.restart(pick(c, t.servers), true)
}
