package main

import (
	"fmt"
	"net/url"
	"slices"
	"time"
)

// A write is a call that changes the directory, and its effect on the model.
type write struct {
	method, path string
	body         row
	do           func(*partner) reply
	teacher      int // the number of the teacher that is removed, or 0
}

// someWrite returns a write, mostly a valid one.
func (t *partnerSide) someWrite(c chance) write {
	p := t.worlds.likely()
	var entities, teachers []string
	for _, e := range p.entities {
		if !e.deleted || c.one(8) {
			entities = append(entities, e.ref)
		}
	}
	for _, e := range t.partners[0].worlds.likely().entities { // of another partner, unless t is the first
		if c.one(12) {
			entities = append(entities, e.ref)
		}
	}
	for _, a := range p.accounts {
		if a.kind == "teacher" && !a.forgotten && (!a.deleted || c.one(8)) {
			teachers = append(teachers, a.ref)
		}
	}
	switch n := c.IntN(12); {
	case n < 3:
		return t.newEntity(c, entities)
	case n < 5:
		return t.changedEntity(c, pick(c, entities))
	case n < 6:
		ref := pick(c, entities)
		if i := p.liveEntity(ref); i >= 0 && p.entities[i].kind == "network" && len(p.list("subtree", ref)) == 0 {
			return t.changedEntity(c, ref) // deleting it would end its keys
		}
		return write{method: "DELETE", path: "/entities/" + url.PathEscape(ref), do: func(p *partner) reply { return p.deleteEntity(ref) }}
	case n < 8 || len(teachers) == 0:
		in := t.teacherInput(c, entities)
		return write{method: "POST", path: "/teachers", body: in, do: func(p *partner) reply { return p.putTeacher(-1, in, t.clock.now()) }}
	case n < 11:
		return t.changedTeacher(c, pick(c, teachers), entities)
	}
	ref := pick(c, teachers)
	w := write{method: "DELETE", path: "/teachers/" + url.PathEscape(ref), do: func(p *partner) reply { return p.deleteTeacher(ref) }}
	if i := p.liveTeacher(ref); i >= 0 {
		w.teacher = p.userNumbers[p.accounts[i].birth]
	}
	return w
}

func (t *partnerSide) newEntity(c chance, entities []string) write {
	n := t.next()
	in := row{"name": fmt.Sprint("Unidade ", n, t.tag()), "entity_type": pick(c, []string{"school", "class", "class"}), "degree": pick(c, someDegrees),
		"reference_id": fmt.Sprintf("d/%d", n), "parent_reference_id": pick(c, entities)}
	switch c.IntN(12) {
	case 0:
		in["reference_id"] = pick(c, entities)
	case 1:
		in["name"] = ""
	case 2:
		in["parent_reference_id"] = "nowhere"
	}
	return write{method: "POST", path: "/entities", body: in, do: func(p *partner) reply { return p.createEntity(in) }}
}

func (t *partnerSide) changedEntity(c chance, ref string) write {
	in := row{"name": fmt.Sprint("Outra ", t.next(), t.tag())}
	switch c.IntN(4) {
	case 0:
		in["city"] = "Óbidos"
	case 1:
		in = row{"city": nil}
	}
	return write{method: "PUT", path: "/entities/" + url.PathEscape(ref), body: in, do: func(p *partner) reply { return p.editEntity(ref, in) }}
}

func (t *partnerSide) teacherInput(c chance, entities []string) row {
	n := t.next()
	return row{"name": fmt.Sprint("Rui ", n, t.tag()), "email": fmt.Sprintf("r%d@%s.example", n, t.name), "phone": fmt.Sprint(n),
		"reference_id": fmt.Sprintf("t-%d", n), "entity_reference_id": pick(c, entities)}
}

// changedTeacher changes a teacher, moves it, or gives it another reference: a new one, or one that an account has or had.
func (t *partnerSide) changedTeacher(c chance, ref string, entities []string) write {
	in := t.teacherInput(c, entities)
	if !c.one(3) {
		in["reference_id"] = ref
	} else if c.one(3) {
		var refs []string
		for r := range t.worlds.likely().owners {
			refs = append(refs, r)
		}
		slices.Sort(refs)
		in["reference_id"] = pick(c, refs)
	}
	return write{method: "PUT", path: "/teachers/" + url.PathEscape(ref), body: in, do: func(p *partner) reply {
		i := p.liveTeacher(ref)
		if i < 0 {
			return reply{status: 404}
		}
		return p.putTeacher(i, in, t.clock.now())
	}}
}

// directory sends a write, into which a fault may be injected.
func (t *partnerSide) directory(c chance, a Step) {
	w, s := t.someWrite(c), pick(c, t.servers)
	t.counts.writes.Add(1)
	over := t.inject(c, a.Fault, s)
	got := t.signed(s, w.method, w.path, w.body)
	over()
	t.log("%s %s: %d %s %v", got.what, line(w.body), got.status, got.body, got.err)
	if !t.allowed(got) {
		t.unanswered(w, s)
		return
	}
	if a.Fault != "" && t.trouble {
		t.calm()
	}
	t.answered(w, got)
	t.erasedTeacher(w, got.status == 204)
}

// inject injects a fault into the middle of a call. The function that it returns waits for the end of the fault.
func (t *partnerSide) inject(c chance, fault string, s *server) (over func()) {
	moment := time.Duration(c.IntN(12_000)) * time.Microsecond
	done := make(chan error, 1)
	after := func(f func()) func() {
		t.trouble = true
		go func() { time.Sleep(moment); done <- caught(f) }()
		return func() { check(<-done) }
	}
	switch {
	case fault == "kill server":
		return after(func() { t.restart(s, true) })
	case fault == "cut" && t.scenario.Engine == postgres:
		return after(t.cut)
	case fault == "lost":
		return after(s.proxy.Cut)
	}
	return func() {}
}

// unanswered notes a write that had no answer. It kills the server, so that the write cannot happen later.
func (t *partnerSide) unanswered(w write, s *server) {
	m := &maybe[*partner]{what: w.method + " " + w.path, do: func(p *partner) *partner { w.do(p); return p }}
	t.worlds.begin(m)
	t.restart(s, true)
	t.quiet()
	t.worlds.unknown(m)
	t.erasedTeacher(w, false)
	t.recovered()
}

// erasedTeacher deletes the e-mail of a removed teacher from the rows that pulls expect: a removal erases it from every snapshot.
func (t *partnerSide) erasedTeacher(w write, certain bool) {
	for _, p := range t.all() {
		p.erased(w.teacher, certain, "email")
	}
}

// answered compares the answer to a write with the model.
func (t *partnerSide) answered(w write, got *answer) {
	t.worlds.observe(got.what, func(p *partner) error {
		want := w.do(p)
		if got.status != want.status {
			return fmt.Errorf("%d %s, want %d %v", got.status, got.body, want.status, want.faults)
		}
		if got.status == 204 || got.status == 404 {
			return nil
		}
		r, err := decoded(got.body)
		if err != nil {
			return err
		}
		if want.faults != nil {
			if line(r["errors"]) != line(want.faults) {
				return fmt.Errorf("%s, want %s", got.body, line(want.faults))
			}
			return nil
		}
		record, _ := r["data"].(row)
		delete(record, "access_token")
		if line(record) != line(want.record) {
			return fmt.Errorf("%s, want %s", line(record), line(want.record))
		}
		return nil
	})
}

// pullDirectory pulls a list by its cursors.
func (t *partnerSide) pullDirectory(c chance, _ Step) {
	of, ref := pick(c, []string{"entities", "subtree", "readers", "teachers"}), pick(c, []string{"network", "school", "class"})
	if of != "entities" {
		refs := append(t.worlds.likely().list("subtree", "n1"), row{"reference_id": "n2"})
		ref = str(pick(c, refs), "reference_id")
	}
	t.pullList(pick(c, t.servers), of, ref)
}

// pullList pulls the entities of a type, the entities below an entity, or the people of an entity.
func (t *partnerSide) pullList(s *server, of, ref string) {
	path, more := "/entities?after=", "&entity_type="+ref // an empty cursor counts as absent; ask sorts parameters
	if of != "entities" {
		path, more = "/entities/"+url.PathEscape(ref)+"/"+of+"?after=", ""
	}
	var rows []row
	for cursor := ""; ; {
		p := t.page(t.signed(s, "GET", path+url.QueryEscape(cursor)+more, nil))
		if p == nil {
			return
		}
		for _, r := range p.rows {
			delete(r, "access_token") // which is random
			rows = append(rows, r)
		}
		if cursor = str(p.meta, "after"); cursor == "" {
			break
		}
	}
	t.worlds.observe("the directory's "+path, func(p *partner) error {
		got, want := lines(rows), lines(p.list(of, ref))
		if !slices.Equal(got, want) {
			return fmt.Errorf("got\n%v, want\n%v", got, want)
		}
		return nil
	})
}
