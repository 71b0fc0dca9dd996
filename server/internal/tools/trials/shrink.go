package main

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A scenario is shrunk for so long, and a smaller one is run so often before it counts as good: the moment of a kill differs
// from one run to the next.
const (
	shrinking = 3 * time.Minute
	tries     = 2
)

// shrunk returns the smallest scenario found that still finds a difference. It removes steps, fewer at a time, and then faults.
func (r *runner) shrunk(ctx context.Context, s Scenario, found error) (Scenario, error) {
	until := time.Now().Add(shrinking)
	fails := func(smaller Scenario) bool {
		for range tries {
			if time.Now().After(until) || ctx.Err() != nil {
				return false
			}
			if err := r.run(ctx, smaller); isDifference(err) {
				s, found = smaller, err
				return true
			}
		}
		return false
	}
	for size := (len(s.Steps) + 1) / 2; size > 0; size /= 2 {
		for from := 0; from < len(s.Steps); {
			smaller := s
			smaller.Steps = slices.Delete(slices.Clone(s.Steps), from, min(from+size, len(s.Steps)))
			if !fails(smaller) {
				from += size
			}
		}
	}
	for i, step := range s.Steps {
		calmer := s
		calmer.Steps = slices.Clone(s.Steps)
		if calmer.Steps[i].Fault = ""; step.Fault != "" {
			fails(calmer)
		}
	}
	return s, found
}

func isDifference(err error) bool {
	_, ok := errors.AsType[*difference](err)
	return ok
}
