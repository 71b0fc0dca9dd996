package main

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// forget erases a person for ever, of the partner or of the library network.
func (t *trial) forget(c chance, _ Act) error {
	if !t.product.forget {
		return nil
	}
	args, prefix := []string{"forget", "--library", "rede"}, librariesPrefix
	numbers := slices.Sorted(maps.Keys(t.libraries.worlds.likely().held.Readers))
	if c.one(2) {
		args, prefix = []string{"forget", "--partner", "acme"}, schoolsPrefix
		if numbers = slices.Sorted(maps.Values(t.schools.worlds.likely().userNumbers)); len(numbers) == 0 {
			return nil
		}
	}
	n := pick(c, numbers)
	if err := t.must(nil, append(args, strconv.Itoa(n))...); err != nil {
		return err
	}
	if prefix == schoolsPrefix {
		t.schools.worlds.happens(func(p *partner) {
			for i := range p.accounts {
				if p.userNumbers[p.accounts[i].birth] == n {
					p.accounts[i].forgotten = true
					p.erase(i)
				}
			}
		})
	} else {
		t.libraries.worlds.happens(func(l *library) {
			l.erase(n, "name", "email")
			for _, s := range []*shelf{l.held, l.next} {
				if s != nil {
					s.Forgotten[n] = true
				}
			}
		})
	}
	for _, pull := range t.pulls(prefix) {
		pull.erased(n, true, "name", "email")
	}
	return nil
}

// migrate brings up to date what is.
func (t *trial) migrate(_ chance, _ Act) error { return t.must(nil, "migrate") }

// drop withdraws what waits for its hour.
func (t *trial) drop(_ chance, _ Act) error {
	if !t.product.check {
		return nil
	}
	at := t.clock.now()
	if err := t.must(nil, "load", "libraries", "--library", "rede", "--drop"); err != nil {
		return err
	}
	t.libraries.worlds.happens(func(l *library) { l.raise(at); l.next, l.nextHour = nil, time.Time{} })
	return nil
}
