package main

import (
	"context"
	"errors"
	"slices"
	"time"
)

// shrinking is how long a plan is made smaller, and tries how often a smaller one may pass before it counts as good: moments
// of kills differ from one time to the next.
const (
	shrinking = 3 * time.Minute
	tries     = 2
)

// shrunk is the smallest plan found that still finds a difference: acts are left out, ever fewer at a time, and then faults.
func (r *runner) shrunk(ctx context.Context, plan Plan, found error) (Plan, error) {
	until := time.Now().Add(shrinking)
	fails := func(p Plan) bool {
		for range tries {
			if time.Now().After(until) || ctx.Err() != nil {
				return false
			}
			if err := r.try(ctx, p); isDifference(err) {
				found = err
				return true
			}
		}
		return false
	}
	for size := (len(plan.Acts) + 1) / 2; size > 0; size /= 2 {
		for from := 0; from < len(plan.Acts); {
			smaller := plan
			smaller.Acts = slices.Delete(slices.Clone(plan.Acts), from, min(from+size, len(plan.Acts)))
			if fails(smaller) {
				plan = smaller
			} else {
				from += size
			}
		}
	}
	for i, a := range plan.Acts {
		calmer := plan
		calmer.Acts = slices.Clone(plan.Acts)
		if calmer.Acts[i].Fault = ""; a.Fault != "" && fails(calmer) {
			plan = calmer
		}
	}
	return plan, found
}

func isDifference(err error) bool {
	_, ok := errors.AsType[*difference](err)
	return ok
}
