package server_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/paging/state/statedb"
)

// line is the model of what is kept (G8): the states of a tenant in their order, and the pulls that use them.
type line struct {
	moments []began
	oldest  int       // the first that is kept
	since   time.Time // when it was raised, zero once what lies below it was removed
	pins    map[string]pin
}

// began is a state, and when it became the present one.
type began struct {
	state string
	began time.Time
}

// pin is a pull as far as it keeps a state.
type pin struct {
	of           int // of the moments
	began, asked time.Time
}

func (l *line) String() string {
	var b strings.Builder
	for i, m := range l.moments {
		fmt.Fprintf(&b, "state %d (kept: %t) since %s\n", i, i >= l.oldest, m.began.Format(time.DateTime))
	}
	for k, p := range l.pins {
		fmt.Fprintf(&b, "state %d was pulled from %s to %s: %s\n", p.of, p.began.Format(time.DateTime), p.asked.Format(time.DateTime), k)
	}
	return b.String()
}

// stateOf is what a snapshot says but for the day or the hour, and the query: numbers of 8 bytes for the registers and the facts.
func stateOf(snapshot string) string { return moment(snapshot)[:16] }

// moment is what a snapshot says but for the query.
func moment(snapshot string) string {
	b, err := base64.RawURLEncoding.DecodeString(snapshot)
	if err != nil || len(b) < 20 {
		panic(fmt.Sprint(snapshot, err))
	}
	return string(b[:20])
}

// became notes which state is the present one.
func (l *line) became(snapshot string, now time.Time) {
	if n := len(l.moments); n == 0 || l.moments[n-1].state != stateOf(snapshot) {
		l.moments = append(l.moments, began{stateOf(snapshot), now})
	}
}

func (l *line) index(snapshot string) int {
	return slices.IndexFunc(l.moments, func(m began) bool { return m.state == stateOf(snapshot) })
}

// kept reports whether a state is readable.
func (l *line) kept(snapshot string) bool { return l.index(snapshot) >= l.oldest }

// used notes that a state was read by its snapshot: it is kept for as long as it is read, up to 24 hours after it was replaced.
func (l *line) used(network, snapshot string, now time.Time) {
	of := l.index(snapshot)
	p, had := l.pins[network+" "+moment(snapshot)]
	if !had || !now.Before(p.began.Add(24*time.Hour)) {
		p = pin{of: of, began: now}
		if of+1 < len(l.moments) {
			p.began = l.moments[of+1].began
		}
		if !now.Before(p.began.Add(24 * time.Hour)) {
			return
		}
	}
	p.asked = now
	l.pins[network+" "+moment(snapshot)] = p
}

// paged notes a page of a pull that pages alone. A daily one is another query tomorrow.
func (l *line) paged(p *onePull, daily bool, now time.Time) {
	k := fmt.Sprint(p.network, " ", p.list, " ", p.size, " ", p.since())
	if daily {
		k += " " + day(p.began)
	}
	if p.page == 1 {
		l.pins[k] = pin{l.index(p.at), now, now}
	} else if was, had := l.pins[k]; had {
		was.asked = now
		l.pins[k] = was
	}
}

// turn is one of removal: the oldest that is kept is what was the present one when the keep began, or what a pull uses.
func (l *line) turn(now time.Time) {
	const window = statedb.DefaultPullWindow + time.Minute
	if !l.since.IsZero() && now.Before(l.since.Add(5*time.Minute)) {
		return
	}
	to := -1
	for i, m := range l.moments {
		if !m.began.After(now.Add(-statedb.DefaultKeep)) {
			to = i
		}
	}
	for _, p := range l.pins {
		if p.of >= l.oldest && now.Before(p.asked.Add(window)) && now.Before(p.began.Add(24*time.Hour)) {
			to = min(to, p.of)
		}
	}
	if l.since = (time.Time{}); to > l.oldest {
		l.oldest, l.since = to, now
	}
}
