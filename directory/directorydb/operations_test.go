package directorydb_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
)

// among returns one of the texts.
func (s *session) among(texts ...string) directory.Field { return sent(texts[s.r.IntN(len(texts))]) }

func sent(text string) directory.Field { return directory.Field{Set: true, Text: text} }

// anEntity returns a live entity that passes, rather an early one, or nil.
func (s *session) anEntity(pass func(directory.Entity) bool) *directory.Entity {
	ids := s.model.live(pass)
	if len(ids) == 0 {
		return nil
	}
	return &s.model.entities[ids[min(s.r.IntN(len(ids)), s.r.IntN(len(ids)), s.r.IntN(len(ids)))]-1]
}

func every(directory.Entity) bool { return true }

// reference returns that of some live entity, of none, or the partner's.
func (s *session) reference() directory.Ref {
	e := s.anEntity(every)
	switch n := s.r.IntN(12); {
	case n == 0 || e == nil:
		return s.model.ref
	case n == 1:
		return "none"
	}
	return e.Ref
}

func (s *session) createEntity() (wrote bool) {
	n := directory.EntityInput{
		Name: s.among("Nome", " Outro ", "Mais um", "A", "B", ""), EntityType: s.among("network", "school", "school", "class", "class", "class", "class", "x"),
		Degree: s.among("F", "9", "8", "M1", "5", "?"), City: s.among("", "Bauru"), ReferenceID: sent(fmt.Sprintf("e/%d %%", s.r.IntN(1500))),
	}
	typ, known := directory.ParseEntityType(n.EntityType.Text)
	n.ParentReferenceID = sent(string(s.reference()))
	if want, ok := typ.Parent(); ok && s.r.IntN(8) > 0 {
		if p := s.anEntity(func(e directory.Entity) bool { return e.Type == want }); p != nil {
			n.ParentReferenceID = sent(string(p.Ref))
		}
	} else if typ == directory.Network && s.r.IntN(3) > 0 {
		n.ParentReferenceID = sent(string(s.model.ref))
	}
	want := map[string]string{}
	if n.Name.Text == "" {
		want["name"] = "can't be blank"
	}
	if !known {
		want["entity_type"] = "is invalid"
	}
	if n.Degree.Text == "?" {
		want["degree"] = "is invalid"
	}
	if s.model.entity(directory.Ref(n.ReferenceID.Text)) != nil {
		want["reference_id"] = "has already been taken"
	}
	parent, message := s.parent(typ, directory.Ref(n.ParentReferenceID.Text))
	if message != "" {
		want["parent_reference_id"] = message
	}
	got, err := s.store.CreateEntity(s.Context(), s.partner, n)
	if len(want) > 0 {
		s.tally["entity faults"]++
		s.wantFaults(fmt.Sprintf("CreateEntity(%+v)", n), err, want)
		return false
	}
	e := directory.Entity{
		ID: directory.EntityID(len(s.model.entities) + 1), Ref: directory.Ref(n.ReferenceID.Text), Type: typ, Name: trimmed[n.Name.Text],
		Degree: n.Degree.Text, City: n.City.Text, Parent: parent,
	}
	s.model.entities = append(s.model.entities, e)
	if record := s.model.record(e); err != nil || got != record {
		s.Errorf("CreateEntity(%+v) = %+v, %v, want %+v", n, got, err, record)
	}
	s.tally["entity"]++
	return true
}

// trimmed has the names of the operations as they are kept.
var trimmed = map[string]string{"Nome": "Nome", " Outro ": "Outro", "Mais um": "Mais um", "A": "A", "B": "B"}

// parent returns what an entity of a type hangs below, or the message where it cannot.
func (s *session) parent(typ directory.EntityType, ref directory.Ref) (directory.EntityID, string) {
	e := s.model.entity(ref)
	if typ == directory.Network && ref == s.model.ref {
		return 0, ""
	}
	switch {
	case e == nil && ref != s.model.ref:
		return 0, "does not exist"
	case typ == 0:
		return 0, ""
	case e == nil || e.Type+1 != typ:
		return 0, "is invalid"
	}
	return e.ID, ""
}

func (s *session) wantFaults(what string, err error, want map[string]string) {
	s.Helper()
	if got := messages(err); !maps.Equal(got, want) {
		s.Errorf("%s = %v, want %v", what, err, want)
	}
}

// missing reports whether nothing has the reference, for which the error must be ErrNotFound.
func (s *session) missing(what string, missing bool, err error) bool {
	s.Helper()
	if missing {
		s.tally["not found"]++
	}
	if missing != errors.Is(err, directory.ErrNotFound) {
		s.Errorf("%s = %v, want not found = %t", what, err, missing)
	}
	return missing
}

func (s *session) updateEntity() (wrote bool) {
	ref := s.reference()
	e := s.model.entity(ref)
	c := directory.EntityInput{Name: s.among("Nome", "A", "B", " "), City: s.among("", "Bauru", "Betim")}
	want := map[string]string{}
	if c.Name.Text == " " {
		want["name"] = "can't be blank"
	}
	if s.r.IntN(4) == 0 {
		c.ReferenceID, c.EntityType = sent(string(ref)), s.among("school", "class")
		if e != nil && c.EntityType.Text != e.Type.String() {
			want["entity_type"] = "can't be changed"
		}
	}
	got, err := s.store.UpdateEntity(s.Context(), s.partner, ref, c)
	if s.missing("UpdateEntity", e == nil, err) {
		return false
	}
	if len(want) > 0 {
		s.tally["entity change faults"]++
		s.wantFaults(fmt.Sprintf("UpdateEntity(%q, %+v)", ref, c), err, want)
		return false
	}
	was := *e
	e.Name, e.City = c.Name.Text, c.City.Text
	if record := s.model.record(*e); err != nil || got != record {
		s.Errorf("UpdateEntity(%q, %+v) = %+v, %v, want %+v", ref, c, got, err, record)
	}
	s.tally["entity changed"]++
	return *e != was
}

func (s *session) deleteEntity() (wrote bool) {
	ref := s.reference()
	if e := s.anEntity(func(e directory.Entity) bool { return !s.model.hasChildren(e.ID) }); e != nil && s.r.IntN(2) == 0 {
		ref = e.Ref
	}
	e := s.model.entity(ref)
	err := s.store.DeleteEntity(s.Context(), s.partner, ref)
	if s.missing("DeleteEntity", e == nil, err) {
		return false
	}
	if s.model.hasChildren(e.ID) {
		s.tally["has children"]++
		if !errors.Is(err, directory.ErrHasChildren) {
			s.Errorf("DeleteEntity(%q) = %v, want ErrHasChildren", ref, err)
		}
		return false
	}
	if err != nil {
		s.Errorf("DeleteEntity(%q) = %v", ref, err)
	}
	e.Deleted = true
	for i := range s.model.accounts {
		if a := &s.model.accounts[i]; a.Entity == e.ID && (a.Kind == directory.Reader || a.Kind == directory.Teacher) {
			a.Active = false
		}
	}
	maps.DeleteFunc(s.model.evaluations, func(_ int64, of directory.EntityID) bool { return of == e.ID })
	s.tally["entity deleted"]++
	return true
}

// person returns the input of a teacher and the faults that the store must find; self is the teacher to be changed.
func (s *session) person(self *directory.Account) (directory.TeacherInput, map[string]string) {
	c := directory.TeacherInput{
		Name: s.among("Ana", "Beto", "Caio", "Davi", "Eva", ""), Email: s.among("a@b.example", "c@d.example", "c@d.example", "no address"), Phone: s.among("1", "2"),
		ReferenceID: sent(fmt.Sprint("u", s.r.IntN(500))), EntityReferenceID: sent(string(s.reference())),
	}
	if self != nil && s.r.IntN(2) == 0 {
		c.ReferenceID.Text = string(self.Ref)
	}
	want := map[string]string{}
	if c.Name.Text == "" {
		want["name"] = "can't be blank"
	}
	if c.Email.Text == "no address" {
		want["email"] = "is invalid"
	}
	if other := s.model.account(directory.Ref(c.ReferenceID.Text)); other != nil && other != self {
		want["reference_id"] = "has already been taken"
	}
	if s.model.entity(directory.Ref(c.EntityReferenceID.Text)) == nil {
		want["entity_reference_id"] = "does not exist"
	}
	return c, want
}

// put sets what was sent.
func (s *session) put(a *directory.Account, c directory.TeacherInput) {
	a.Name, a.Email, a.Phone, a.Ref = c.Name.Text, c.Email.Text, c.Phone.Text, directory.Ref(c.ReferenceID.Text)
	a.Entity = s.model.entity(directory.Ref(c.EntityReferenceID.Text)).ID
}

func (s *session) createTeacher() (wrote bool) {
	c, want := s.person(nil)
	got, err := s.store.CreateTeacher(s.Context(), s.partner, directory.TeacherInput(c))
	if len(want) > 0 {
		s.tally["teacher faults"]++
		s.wantFaults(fmt.Sprintf("CreateTeacher(%+v)", c), err, want)
		return false
	}
	a := directory.Account{ID: directory.UserID(len(s.model.accounts) + 1), Kind: directory.Teacher, Active: true, AccessToken: got.AccessToken}
	s.put(&a, c)
	for _, other := range s.model.accounts {
		if len(a.AccessToken) != 16 || other.AccessToken == a.AccessToken {
			s.Errorf("CreateTeacher gives the token %q", a.AccessToken)
		}
	}
	s.model.accounts = append(s.model.accounts, a)
	if record := s.model.person(a); err != nil || got != record {
		s.Errorf("CreateTeacher(%+v) = %+v, %v, want %+v", c, got, err, record)
	}
	s.tally["teacher"]++
	return true
}

// aTeacher returns the reference of a live teacher, of another account, or of none.
func (s *session) aTeacher() directory.Ref {
	if n := len(s.model.accounts); n > 0 && s.r.IntN(10) > 0 {
		return s.model.accounts[s.r.IntN(n)].Ref
	}
	return "none"
}

func (s *session) updateTeacher() (wrote bool) {
	ref := s.aTeacher()
	a := s.model.teacher(ref)
	c, want := s.person(a)
	got, err := s.store.UpdateTeacher(s.Context(), s.partner, ref, c)
	if s.missing("UpdateTeacher", a == nil, err) {
		return false
	}
	if len(want) > 0 {
		s.tally["teacher change faults"]++
		s.wantFaults(fmt.Sprintf("UpdateTeacher(%q, %+v)", ref, c), err, want)
		return false
	}
	was := *a
	s.put(a, c)
	if record := s.model.person(*a); err != nil || got != record {
		s.Errorf("UpdateTeacher(%q, %+v) = %+v, %v, want %+v", ref, c, got, err, record)
	}
	s.tally["teacher moved"]++
	return *a != was
}

func (s *session) deleteTeacher() (wrote bool) {
	ref := s.aTeacher()
	a := s.model.teacher(ref)
	err := s.store.DeleteTeacher(s.Context(), s.partner, ref)
	if s.missing("DeleteTeacher", a == nil, err) {
		return false
	}
	if err != nil {
		s.Errorf("DeleteTeacher(%q) = %v", ref, err)
	}
	a.Deleted, a.Active, a.Email, a.Phone = true, false, "", ""
	s.tally["teacher deleted"]++
	return true
}

// feed puts accounts and evaluations in as a load does, and moves a school to another network.
func (s *session) feed() (wrote bool) {
	if s.anEntity(every) == nil {
		return false
	}
	var accounts []directory.Account
	for range s.r.IntN(5) {
		ref := directory.Ref(fmt.Sprint("u", 500+s.r.IntN(500)))
		if s.model.account(ref) != nil {
			continue
		}
		a := directory.Account{
			ID: directory.UserID(len(s.model.accounts) + 1), Ref: ref, Name: "Aluno", Active: s.r.IntN(4) > 0, Entity: s.anEntity(every).ID,
			Kind: []directory.Kind{directory.Reader, directory.Reader, directory.Reader, directory.Administrator}[s.r.IntN(4)],
		}
		a.AccessToken = fmt.Sprint("fed ", a.ID)
		s.model.accounts, accounts = append(s.model.accounts, a), append(accounts, a)
	}
	evaluation := directory.Evaluation{ID: s.r.Int64N(1000), Entity: s.anEntity(every).ID}
	s.model.evaluations[evaluation.ID] = evaluation.Entity
	var moved []directory.Entity
	school := s.anEntity(func(e directory.Entity) bool { return e.Type == directory.School })
	if school != nil && s.r.IntN(2) == 0 {
		school.Parent = s.anEntity(func(e directory.Entity) bool { return e.Type == directory.Network }).ID
		moved = append(moved, *school)
	}
	err := inTx(s, s.db, func(ctx context.Context, tx bun.Tx) error {
		h, err := snapshotdb.Lock(ctx, tx, auth.Tenant(s.partner))
		if err != nil {
			return err
		}
		h.Registers, h.Facts = snapshotdb.NextNumber(h.Registers), snapshotdb.NextNumber(h.Facts)
		w := &directorydb.Write{IDB: tx, Partner: s.partner, Version: h.Registers}
		return errors.Join(
			w.PutEntities(ctx, moved), w.PutAccounts(ctx, accounts), w.PutEvaluations(ctx, []directory.Evaluation{evaluation}),
			w.SetCounters(ctx, directory.EntityID(len(s.model.entities)), directory.UserID(len(s.model.accounts))),
			h.Publish(ctx, tx, auth.Tenant(s.partner), time.Now()))
	})
	if err != nil {
		s.Fatal(err)
	}
	s.tally["fed"]++
	return true
}
