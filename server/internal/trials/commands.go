package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// forget erases a person for ever, of the partner or of the library network.
func (t *trial) forget(c chance, _ Act) error {
	if !t.product.forget {
		return nil
	}
	if c.one(2) {
		return t.forgetReader(c)
	}
	p := t.schools.worlds.likely()
	var numbers []int
	for _, a := range p.accounts {
		if n := p.userNumbers[a.birth]; n > 0 {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	n := pick(c, numbers)
	if err := t.must(nil, "forget", "--partner", "acme", strconv.Itoa(n)); err != nil {
		return err
	}
	m := &maybe[*partner]{"forget", func(p *partner) *partner {
		for i := range p.accounts {
			if p.userNumbers[p.accounts[i].birth] == n {
				p.accounts[i].forgotten = true
				p.erase(i)
			}
		}
		return p
	}}
	t.schools.worlds.begin(m)
	t.schools.worlds.acknowledged(m)
	for _, pull := range t.pulls(schoolsPrefix) {
		pull.erased(n, true, "name", "email")
	}
	return nil
}

func (t *trial) forgetReader(c chance) error {
	readers := t.libraries.worlds.likely().held.Readers
	var numbers []int
	for id := range readers {
		numbers = append(numbers, id)
	}
	slices.Sort(numbers)
	n := pick(c, numbers)
	if err := t.must(nil, "forget", "--library", "rede", strconv.Itoa(n)); err != nil {
		return err
	}
	m := &maybe[*library]{"forget", func(l *library) *library {
		l.erase(n, "name", "email")
		for _, s := range []*shelf{l.held, l.next} {
			if s != nil {
				s.Forgotten[n] = true
			}
		}
		return l
	}}
	t.libraries.worlds.begin(m)
	t.libraries.worlds.acknowledged(m)
	for _, pull := range t.pulls(librariesPrefix) {
		pull.erased(n, true, "name", "email")
	}
	return nil
}

// export writes the engagements of a network, which are those that the API has.
func (t *trial) export(c chance, _ Act) error {
	if err := t.wholeSchools(t.servers[0]); err != nil { // from which numbers are learnt
		return err
	}
	out, k := t.file(fmt.Sprintf("out-%d", t.next())), pick(c, t.schools.networks)
	if err := t.must(nil, "export", "schools", "--partner", "acme", "--network", k.network, "--format", "ndjson", out); err != nil {
		return err
	}
	defer os.RemoveAll(out)
	body, err := os.ReadFile(filepath.Join(out, "engagements.ndjson"))
	if err != nil {
		return err
	}
	var got []string
	for l := range bytes.Lines(body) {
		r, err := decoded(l)
		if err != nil {
			return differs("export: %v: %s", err, l)
		}
		got = append(got, line(r))
	}
	slices.Sort(got)
	return t.schools.worlds.observe("export", func(p *partner) error {
		want := lines(p.engagements(query{network: k.network, params: map[string]string{"startDate": schoolsHistory}, today: "2099-12-31"}))
		slices.Sort(want)
		if !slices.Equal(got, want) {
			return fmt.Errorf("engagements\n%v, want\n%v", got, want)
		}
		return nil
	})
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
	m := &maybe[*library]{"--drop", func(l *library) *library { l.raise(at); l.next, l.nextHour = nil, time.Time{}; return l }}
	t.libraries.worlds.begin(m)
	t.libraries.worlds.acknowledged(m)
	return nil
}
