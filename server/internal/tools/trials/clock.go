package main

import "time"

// turnClock puts the clock forward, by an hour or so or over midnight, and starts the servers again.
func (t *harness) turnClock(c chance, _ Step) {
	now := t.clock.now()
	to := now.Add(40 * time.Minute)
	switch c.IntN(4) {
	case 0:
		to = hourOf(now).Add(time.Hour + 7*time.Minute)
	case 1:
		to = now.Add(150 * time.Minute)
	case 2:
		to = midnight(now).Add(9 * time.Minute)
	}
	t.putClock(c, to)
}

// midnight is the next one in Brasilia.
func midnight(now time.Time) time.Time {
	day, _ := time.ParseInLocation(dayForm, addDays(dayOf(now), 1), brasilia)
	return day
}

// putClock puts the clock and starts the servers again, one after the other.
func (t *harness) putClock(c chance, to time.Time) {
	t.clock.put(to)
	for _, s := range t.servers {
		t.restart(s, c.one(4))
	}
	t.calm()
}

// clockBack puts the clock back by some hours.
func (t *harness) clockBack(c chance, _ Step) {
	t.putClock(c, t.clock.now().Add(-time.Duration(1+c.IntN(3))*time.Hour-11*time.Minute))
}

// leaseEnds puts the clock of loads forward until the lease of one that died or stopped has run out.
func (t *harness) leaseEnds() { t.clock.offset += 70 * time.Second }

// turn has an hour, or a day, begin while the servers run and are asked.
func (t *harness) turn(c chance, _ Step) {
	next := hourOf(t.clock.now()).Add(time.Hour)
	if c.one(2) {
		next = midnight(t.clock.now())
	}
	t.putClock(c, next.Add(-1500*time.Millisecond))
	for t.clock.now().Before(next.Add(500 * time.Millisecond)) {
		t.something(c)
	}
	t.putClock(c, next.Add(8*time.Minute))
}
