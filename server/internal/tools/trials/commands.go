package main

import (
	"strconv"
	"time"
)

// forget erases a person for ever.
func (t *tenant) forget(c chance, _ Step) error {
	people := t.own.people()
	if len(people) == 0 {
		return nil
	}
	n := pick(c, people)
	if err := t.command(nil, "forget", strconv.Itoa(n)); err != nil {
		return err
	}
	t.own.forgotten(n)
	for _, pull := range t.all() {
		pull.erased(n, true, "name", "email")
	}
	return nil
}

// drop withdraws what waits for its hour.
func (t *librarySide) drop(_ chance, _ Step) error {
	at := t.clock.now()
	if err := t.command(nil, "load libraries", "--drop"); err != nil {
		return err
	}
	t.worlds.happens(func(l *library) { l.raise(at); l.next, l.nextHour = nil, time.Time{} })
	return nil
}
