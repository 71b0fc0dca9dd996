package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A library is the model of a library network after loads: the current snapshot, and the next one, not yet in effect (L1).
type library struct {
	current, next  *snapshot
	hour, nextHour time.Time // zero: none
	loaded         bool
}

func (l *library) clone() *library {
	m := *l
	m.current = l.current.clone()
	if l.next != nil {
		m.next = l.next.clone()
	}
	return &m
}

func (l *library) String() string { return line([]any{l.current, l.next, l.hour, l.nextHour}) }

// load adds a feed. A first load, or one with --now, takes effect at once, another at the next full hour.
func (l *library) load(of loading, at time.Time) error {
	l.raise(at)
	base := l.current
	if l.next != nil {
		base = l.next
	}
	s := base.clone()
	erased, err := s.load(of.feed, at, of.skip)
	if err != nil {
		return err
	}
	if !l.loaded || of.now {
		if l.current, l.next, l.loaded = s, nil, true; hourOf(at).After(l.hour) { // the clock may have gone back
			l.hour = hourOf(at)
		}
		l.nextHour = time.Time{} // the current snapshot includes the next one
	} else {
		hour := hourOf(at.Add(10 * time.Second)).Add(time.Hour)
		for _, earlier := range []time.Time{l.hour, l.nextHour} {
			if earlier.After(hour) {
				hour = earlier
			}
		}
		l.next, l.nextHour = s, hour
	}
	for _, id := range erased {
		l.erase(id, "email")
	}
	return nil
}

// raise publishes the next snapshot if its hour has come.
func (l *library) raise(now time.Time) {
	if l.next != nil && !now.Before(l.nextHour) {
		l.current, l.hour, l.next = l.next, l.nextHour, nil
	}
}

// erase deletes members of a reader from both snapshots.
func (l *library) erase(id int, members ...string) {
	for _, s := range []*snapshot{l.current, l.next} {
		if s == nil || s.Readers[id] == nil {
			continue
		}
		r := maps.Clone(s.Readers[id])
		for _, m := range members {
			delete(r, m)
		}
		s.Readers[id] = r
	}
}

// A snapshot of a library network has the rows of its tables, as they are in feeds, and its events.
type snapshot struct {
	Names                                      map[string]map[int]string // by vocabulary
	Books, Readers, Loans, Reservations, Lines map[int]row
	Channels                                   map[string]row // by day and channel
	Requests                                   []row
	Events                                     []event
	Seen                                       map[string]bool
	Forgotten                                  map[int]bool
}

var (
	vocabularies = []string{"libraries", "ageGroups", "publishers", "categories", "subjects"}
	collections  = []string{"platform", "additional", "external", "manual"}
	channels     = []string{"web-mobile", "web-desktop", "web-tablet", "app"}
)

// event is a session, preview, activity record or renewal.
type event struct {
	Kind          string
	Reader, Book  int
	At            time.Time
	Seconds       int
	Progress      int // hundredths of a percent
	Online, Audio bool
}

func newSnapshot() *snapshot {
	s := &snapshot{Names: map[string]map[int]string{}, Books: map[int]row{}, Readers: map[int]row{}, Loans: map[int]row{}, Reservations: map[int]row{},
		Lines: map[int]row{}, Channels: map[string]row{}, Seen: map[string]bool{}, Forgotten: map[int]bool{}}
	for _, name := range vocabularies {
		s.Names[name] = map[int]string{}
	}
	return s
}

func (s *snapshot) clone() *snapshot {
	c := *s
	c.Names = map[string]map[int]string{}
	for name, terms := range s.Names {
		c.Names[name] = maps.Clone(terms)
	}
	c.Books, c.Readers, c.Loans, c.Reservations = maps.Clone(s.Books), maps.Clone(s.Readers), maps.Clone(s.Loans), maps.Clone(s.Reservations)
	c.Lines, c.Channels, c.Requests = maps.Clone(s.Lines), maps.Clone(s.Channels), slices.Clone(s.Requests)
	c.Events, c.Seen, c.Forgotten = slices.Clone(s.Events), maps.Clone(s.Seen), maps.Clone(s.Forgotten)
	return &c
}

// load adds a feed's rows, and returns the readers whose e-mail is erased.
func (s *snapshot) load(feed feed, began time.Time, skip bool) (erased []int, err error) {
	for name, terms := range s.Names {
		for _, r := range feed[name] {
			terms[num(r, "id")] = str(r, "name")
		}
	}
	for _, r := range feed["books"] {
		s.Books[num(r, "bookId")] = r
	}
	for _, r := range feed["lines"] {
		s.Lines[num(r, "lineId")] = r
	}
	for _, r := range feed["channels"] {
		s.Channels[str(r, "date")+str(r, "channel")] = r
	}
	// good reports whether a row can be loaded: its owner exists, and its times are not in the future.
	good := func(r row, exists bool, times ...string) bool {
		if !exists || slices.ContainsFunc(times, func(member string) bool { return instant(r, member).After(began.Add(5 * time.Minute)) }) {
			err = errBad
			return false
		}
		return true
	}
	for _, r := range feed["readers"] {
		if good(r, true, "updatedAt") && s.reader(r) && r["status"] == "deleted" {
			erased = append(erased, num(r, "userId"))
		}
	}
	for _, file := range []struct {
		name, key, at, end string
		rows               map[int]row
	}{{"loans", "loanId", "borrowedAt", "returnedAt", s.Loans}, {"reservations", "reservationId", "reservedAt", "resolvedAt", s.Reservations}} {
		for _, r := range feed[file.name] {
			if good(r, s.exists(r), file.at, file.end) && dayOf(instant(r, file.at)) >= librariesHistory {
				file.rows[num(r, file.key)] = r
			}
		}
	}
	for _, kind := range []struct{ file, id, at string }{
		{"sessions", "sessionId", "startedAt"}, {"previews", "previewId", "viewedAt"}, {"activity", "activityId", "at"}, {"renewals", "renewalId", "renewedAt"},
		{"suggestions", "requestId", "requestedAt"},
	} {
		for _, r := range feed[kind.file] {
			if good(r, s.exists(r), kind.at) {
				s.event(kind.file, fmt.Sprint(r[kind.id]), instant(r, kind.at), r)
			}
		}
	}
	if skip {
		err = nil
	}
	return erased, err
}

// exists reports whether the reader and the title of a row exist.
func (s *snapshot) exists(r row) bool {
	_, titled := r["bookId"]
	return s.Readers[num(r, "userId")] != nil && (!titled || s.Books[num(r, "bookId")] != nil)
}

// reader loads a row of readers: the later updatedAt counts (F1). It reports whether the row counts.
func (s *snapshot) reader(r row) bool {
	id := num(r, "userId")
	if was := s.Readers[id]; was != nil && instant(was, "updatedAt").After(instant(r, "updatedAt")) {
		return false
	}
	r = maps.Clone(r)
	if r["status"] == "deleted" {
		delete(r, "email")
	}
	if s.Forgotten[id] {
		delete(r, "email")
		delete(r, "name")
	}
	s.Readers[id] = r
	return true
}

func (s *snapshot) event(kind, id string, at time.Time, r row) {
	key := line([]any{kind, id, r["userId"], dayOf(at)})
	if s.Seen[key] || dayOf(at) < librariesHistory {
		return
	}
	s.Seen[key] = true
	if kind == "suggestions" {
		s.Requests = append(s.Requests, r)
		return
	}
	progress, _ := r["progress"].(float64)
	s.Events = append(s.Events, event{Kind: kind, Reader: num(r, "userId"), Book: num(r, "bookId"), At: at, Seconds: num(r, "seconds"),
		Progress: int(progress*100 + 0.5), Online: r["mode"] == "online", Audio: r["format"] == "audiobook"})
}

// name returns the name in a vocabulary of the term that a row has, or null.
func (s *snapshot) name(of string, r row, member string) any {
	if r[member] == nil {
		return nil
	}
	return text(s.Names[of][num(r, member)])
}

// dated and timed return a member that is a time as a day, and as the libraries API shows a time, or null.
func dated(r row, member string) any { return formatted(r, member, dayOf) }
func timed(r row, member string) any { return formatted(r, member, inBrasilia) }

func formatted(r row, member string, format func(time.Time) string) any {
	if str(r, member) == "" {
		return nil
	}
	return format(instant(r, member))
}

// given returns a member, or null.
func given(r row, member string) any { return text(str(r, member)) }

// count returns the number of rows for which is reports true.
func count(rows map[int]row, is func(row) bool) (n int) {
	for _, r := range rows {
		if is(r) {
			n++
		}
	}
	return n
}

// active reports whether a reservation is active.
func active(r row) bool { return strings.Contains("waiting available", str(r, "status")) }
