package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A library is what loads have made of a library network: what holds, and what waits for its hour (L1).
type library struct {
	held, next     *shelf
	hour, nextHour time.Time // zero: none
	loaded         bool
}

func (l *library) clone() *library {
	m := *l
	m.held = l.held.clone()
	if l.next != nil {
		m.next = l.next.clone()
	}
	return &m
}

func (l *library) String() string { return line([]any{l.held, l.next, l.hour, l.nextHour}) }

// load folds a feed. A first load and one that is to hold now do so at once; another from the next full hour on.
func (l *library) load(of loading, at time.Time) error {
	l.raise(at)
	base := l.held
	if l.next != nil {
		base = l.next
	}
	s := base.clone()
	erased, err := s.load(of.feed, at, of.skip)
	if err != nil {
		return err
	}
	if !l.loaded || of.now {
		if l.held, l.next, l.loaded = s, nil, true; hourOf(at).After(l.hour) { // the clock may have been put back
			l.hour = hourOf(at)
		}
		l.nextHour = time.Time{} // what waited holds now too
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

// raise lets what waits hold, where its hour has come.
func (l *library) raise(now time.Time) {
	if l.next != nil && !now.Before(l.nextHour) {
		l.held, l.hour, l.next = l.next, l.nextHour, nil
	}
}

// erase takes members of a reader out of every state.
func (l *library) erase(id int, members ...string) {
	for _, s := range []*shelf{l.held, l.next} {
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

// A shelf is one state of a library network: the rows of its registers as the feed had them, and its events.
type shelf struct {
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

func newShelf() *shelf {
	s := &shelf{Names: map[string]map[int]string{}, Books: map[int]row{}, Readers: map[int]row{}, Loans: map[int]row{}, Reservations: map[int]row{},
		Lines: map[int]row{}, Channels: map[string]row{}, Seen: map[string]bool{}, Forgotten: map[int]bool{}}
	for _, name := range vocabularies {
		s.Names[name] = map[int]string{}
	}
	return s
}

func (s *shelf) clone() *shelf {
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

// load folds a feed's rows, and returns the readers whose e-mail is erased.
func (s *shelf) load(feed feed, began time.Time, skip bool) (erased []int, err error) {
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
	late := func(r row, member string) bool { return instant(r, member).After(began.Add(5 * time.Minute)) }
	for _, r := range feed["readers"] {
		if late(r, "updatedAt") && !skip {
			return nil, errBad
		} else if !late(r, "updatedAt") && s.reader(r) && r["status"] == "deleted" {
			erased = append(erased, num(r, "userId"))
		}
	}
	for _, file := range []struct {
		name, key, at, end string
		rows               map[int]row
	}{{"loans", "loanId", "borrowedAt", "returnedAt", s.Loans}, {"reservations", "reservationId", "reservedAt", "resolvedAt", s.Reservations}} {
		for _, r := range feed[file.name] {
			if !s.exists(r) || late(r, file.at) || late(r, file.end) {
				if skip {
					continue
				}
				return nil, errBad
			}
			if dayOf(instant(r, file.at)) >= librariesHistory {
				file.rows[num(r, file.key)] = r
			}
		}
	}
	for _, kind := range []struct{ file, id, at string }{
		{"sessions", "sessionId", "startedAt"}, {"previews", "previewId", "viewedAt"}, {"activity", "activityId", "at"}, {"renewals", "renewalId", "renewedAt"},
		{"suggestions", "requestId", "requestedAt"},
	} {
		for _, r := range feed[kind.file] {
			if (!s.exists(r) || late(r, kind.at)) && !skip {
				return nil, errBad
			} else if s.exists(r) && !late(r, kind.at) {
				s.event(kind.file, fmt.Sprint(r[kind.id]), instant(r, kind.at), r)
			}
		}
	}
	return erased, nil
}

// exists reports whether the reader and the title of a row do.
func (s *shelf) exists(r row) bool {
	_, titled := r["bookId"]
	return s.Readers[num(r, "userId")] != nil && (!titled || s.Books[num(r, "bookId")] != nil)
}

// reader folds a row of readers: the later updatedAt stands (F1). It reports whether the row does.
func (s *shelf) reader(r row) bool {
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

func (s *shelf) event(kind, id string, at time.Time, r row) {
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

// name is what a vocabulary calls a reader's term.
func (s *shelf) name(of string, r row, member string) any {
	if r[member] == nil {
		return nil
	}
	return text(s.Names[of][num(r, member)])
}

// dated is the day of a member that is a time, or null.
func dated(r row, member string) any {
	if str(r, member) == "" {
		return nil
	}
	return dayOf(instant(r, member))
}

// timed is a member that is a time, as the libraries show it, or null.
func timed(r row, member string) any {
	if str(r, member) == "" {
		return nil
	}
	return inBrasilia(instant(r, member))
}

// given is a member, or null.
func given(r row, member string) any { return text(str(r, member)) }

// count is the number of rows for which is reports true.
func count(rows map[int]row, is func(row) bool) (n int) {
	for _, r := range rows {
		if is(r) {
			n++
		}
	}
	return n
}

// active reports whether a reservation is.
func active(r row) bool { return strings.Contains("waiting available", str(r, "status")) }
