package main

import (
	"fmt"
	"slices"
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

// most is how many requests may have been counted when an answer was given. The clocks of two servers may differ by a minute.
func (b *budget) most(a *answer) int {
	n := b.unheard
	for m := a.from.Truncate(time.Minute).Add(-time.Minute); !m.After(a.to.Add(time.Minute)); m = m.Add(time.Minute) {
		n += b.minutes[m]
	}
	return n
}

// rated holds what an answer says of the rate against the requests that were made: others' do not count.
func (t *trial) rated(a *answer) error {
	rate := t.plan.rate()
	if a.budget == nil || a.status == 401 || rate == 0 {
		if a.header.Get("RateLimit")+a.header.Get("X-RateLimit-Limit-Public-Default") != "" {
			return differs("%s: %d has rates without a limit: %v", a.what, a.status, a.header)
		}
		return nil
	}
	const name = "X-RateLimit-%s-Public-Default"
	remaining, reset := a.header.Get(fmt.Sprintf(name, "Remaining")), a.header.Get(fmt.Sprintf(name, "Reset"))
	left, _ := strconv.Atoi(remaining)
	seconds, _ := strconv.Atoi(reset)
	got := []string{a.header.Get(fmt.Sprintf(name, "Limit")), a.header.Get("RateLimit-Policy"), a.header.Get("RateLimit")}
	want := []string{strconv.Itoa(rate), fmt.Sprintf(`"default";q=%d;w=60`, rate), fmt.Sprintf(`"default";r=%d;t=%d`, left, seconds)}
	if used := rate - left; !slices.Equal(got, want) || seconds < 1 || seconds > 60 || used < 1 || used > a.budget.most(a) {
		return differs("%s: %v, %s left, for %s seconds, after %d requests, want %v", a.what, got, remaining, reset, a.budget.most(a), want)
	}
	return nil
}
