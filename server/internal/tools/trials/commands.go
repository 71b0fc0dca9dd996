package main

import (
	"strconv"
	"time"
)

// forget erases a person for ever.
func (t *tenant) forget(c chance, _ Step) {
	people := t.own.people()
	if len(people) == 0 {
		return
	}
	n := pick(c, people)
	t.command(nil, "forget", strconv.Itoa(n))
	t.own.forgotten(n)
	for _, pull := range t.all() {
		pull.erased(n, true, "name", "email")
	}
}

// drop drops the snapshot that waits for its hour.
func (t *librarySide) drop(_ chance, _ Step) {
	at := t.clock.now()
	t.command(nil, "load libraries", "--drop")
	t.worlds.happens(func(l *library) { l.raise(at); l.next, l.nextHour = nil, time.Time{} })
}
