package main

import (
	"strconv"
	"time"
)

// A budget counts the requests that share a rate, by the minutes in which a server may have judged them (H6).
type budget struct {
	minutes map[time.Time]int
	unheard int // of those that were not answered, which may count later
}

// spend notes a call.
func (b *budget) spend(a *answer, sent int) {
	if b == nil {
		return
	}
	if b.minutes == nil {
		b.minutes = map[time.Time]int{}
	}
	if a.status == 0 {
		b.unheard += sent
	}
	for m := a.from.Truncate(time.Minute); !m.After(a.to); m = m.Add(time.Minute) {
		b.minutes[m] += sent
	}
}

// most is how many requests a server may have counted when it gave an answer.
func (b *budget) most(a *answer) (n int) {
	for m := a.from.Truncate(time.Minute); !m.After(a.to); m = m.Add(time.Minute) {
		n = max(n, b.minutes[m])
	}
	return n + b.unheard
}

// rated holds what an answer says of the rate against the requests that were made: others' do not count.
func (t *trial) rated(a *answer) error {
	const name = "X-Ratelimit-"
	limit, remaining, reset := a.header.Get(name+"Limit-Public-Default"), a.header.Get(name+"Remaining-Public-Default"), a.header.Get(name+"Reset-Public-Default")
	if a.budget == nil || a.status == 401 || t.plan.rate() == 0 {
		if limit+remaining+reset != "" {
			return differs("%s: %d has rates without a limit: %v", a.what, a.status, a.header)
		}
		return nil
	}
	left, err := strconv.Atoi(remaining)
	seconds, err2 := strconv.Atoi(reset)
	used := t.plan.rate() - left
	if limit != strconv.Itoa(t.plan.rate()) || err != nil || err2 != nil || seconds < 1 || seconds > 60 || used < 1 || used > a.budget.most(a) {
		return differs("%s: %s of %s requests are left, for %s seconds, after %d requests", a.what, remaining, limit, reset, a.budget.most(a))
	}
	return nil
}
