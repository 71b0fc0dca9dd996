package main

import (
	"slices"
	"time"
)

// reply is the expected answer to a write: a status, and the record or the errors by field.
type reply struct {
	status int
	record row
	faults row
}

func fault(field, text string) reply {
	return reply{status: 422, faults: row{field: []any{text}}}
}

// record returns an entity as the directory answers it.
func (p *partner) record(i int, single bool) row {
	e := p.entities[i]
	r := row{"name": e.name, "entity_type": e.kind, "degree": e.degree, "inep": text(e.inep), "state": text(e.state), "city": text(e.city), "reference_id": e.ref}
	if single {
		r["parent_reference_id"] = p.ref
		if e.parent >= 0 {
			r["parent_reference_id"] = p.entities[e.parent].ref
		}
	}
	return r
}

// createEntity models POST /entities.
func (p *partner) createEntity(in row) reply {
	kind, above := str(in, "entity_type"), str(in, "parent_reference_id")
	faults := row{}
	if str(in, "name") == "" {
		faults["name"] = []any{"can't be blank"}
	}
	if p.liveEntity(str(in, "reference_id")) >= 0 {
		faults["reference_id"] = []any{"has already been taken"}
	}
	parent := p.liveEntity(above)
	if parent < 0 && above != p.ref {
		faults["parent_reference_id"] = []any{"does not exist"}
	} else if parent < 0 || p.entities[parent].kind != parentOf[kind] {
		faults["parent_reference_id"] = []any{"is invalid"}
	}
	if len(faults) > 0 {
		return reply{status: 422, faults: faults}
	}
	p.entities = append(p.entities, entity{birth: str(in, "name"), ref: str(in, "reference_id"), kind: kind, name: str(in, "name"),
		degree: str(in, "degree"), city: str(in, "city"), parent: parent})
	return reply{status: 201, record: p.record(len(p.entities)-1, true)}
}

// editEntity models PUT /entities/{ref} with a name and a city. Null clears the city.
func (p *partner) editEntity(ref string, in row) reply {
	i := p.liveEntity(ref)
	if i < 0 {
		return reply{status: 404}
	}
	if name, sent := in["name"]; sent {
		if name == "" || name == nil {
			return fault("name", "can't be blank")
		}
		p.entities[i].name = str(in, "name")
	}
	if _, sent := in["city"]; sent {
		p.entities[i].city = str(in, "city")
	}
	return reply{status: 200, record: p.record(i, true)}
}

// deleteEntity models DELETE /entities/{ref}.
func (p *partner) deleteEntity(ref string) reply {
	i := p.liveEntity(ref)
	if i < 0 {
		return reply{status: 404}
	}
	if slices.ContainsFunc(p.entities, func(e entity) bool { return e.parent == i && !e.deleted }) {
		return fault("entity", "children must be removed first")
	}
	p.entities[i].deleted = true
	for j := range p.accounts {
		if p.accounts[j].entity == i {
			p.accounts[j].active = false
		}
	}
	return reply{status: 204}
}

// teacher returns a teacher as the directory answers it, without the random access token.
func (p *partner) teacher(i int, single bool) row {
	a := p.accounts[i]
	r := row{"entity_reference_id": p.entities[a.entity].ref, "name": text(a.name), "phone": text(a.phone),
		"reference_id": a.ref, "active": a.active}
	if single {
		r["email"] = text(a.email)
	}
	return r
}

// liveTeacher returns the index of the teacher with a reference, or -1.
func (p *partner) liveTeacher(ref string) int {
	if i := p.liveAccount(ref); i >= 0 && p.accounts[i].kind == "teacher" {
		return i
	}
	return -1
}

// putTeacher models POST /teachers if i is -1, otherwise PUT of account i.
func (p *partner) putTeacher(i int, in row, now time.Time) reply {
	a := account{birth: str(in, "name"), kind: "teacher", active: true}
	if i >= 0 {
		a = p.accounts[i]
	}
	a.name, a.email, a.phone = str(in, "name"), str(in, "email"), str(in, "phone")
	taken, e := p.liveAccount(str(in, "reference_id")), p.liveEntity(str(in, "entity_reference_id"))
	faults := row{}
	for _, member := range []string{"name", "reference_id", "entity_reference_id"} {
		if str(in, member) == "" {
			faults[member] = []any{"can't be blank"}
		}
	}
	if taken >= 0 && taken != i {
		faults["reference_id"] = []any{"has already been taken"}
	}
	if e < 0 && str(in, "entity_reference_id") != "" {
		faults["entity_reference_id"] = []any{"does not exist"}
	}
	if len(faults) > 0 {
		return reply{status: 422, faults: faults}
	}
	a.ref, a.entity = str(in, "reference_id"), e
	status := 200
	if i < 0 {
		p.accounts = append(p.accounts, a)
		i, status = len(p.accounts)-1, 201
	}
	p.accounts[i] = a
	p.takes(a.ref, i, now)
	p.erase(i)
	return reply{status: status, record: p.teacher(i, true)}
}

// deleteTeacher models DELETE /teachers/{ref}.
func (p *partner) deleteTeacher(ref string) reply {
	i := p.liveTeacher(ref)
	if i < 0 {
		return reply{status: 404}
	}
	a := &p.accounts[i]
	a.deleted, a.active, a.email, a.phone = true, false, "", ""
	return reply{status: 204}
}

// list returns a list of the directory: the entities of a type, the entities below an entity, or the people of an entity.
func (p *partner) list(of, ref string) (rows []row) {
	for i, e := range p.entities {
		if !e.deleted && (of == "entities" && e.kind == ref || of == "subtree" && e.ref != ref && p.below(i, p.liveEntity(ref))) {
			rows = append(rows, p.record(i, false))
		}
	}
	kind := map[string]string{"readers": "reader", "teachers": "teacher"}[of]
	for i, a := range p.accounts {
		if kind != "" && !a.deleted && a.kind == kind && a.entity == p.liveEntity(ref) {
			rows = append(rows, p.teacher(i, false))
		}
	}
	return rows
}

// below reports whether entity i is top or below it.
func (p *partner) below(i, top int) bool {
	for ; i >= 0; i = p.entities[i].parent {
		if i == top {
			return true
		}
	}
	return false
}
