package directorydb_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// stage is a partner with a network, a school in it and a class in the school. Their references are their types.
type stage struct {
	*testing.T
	*directorydb.Store
	db *database.DB
	p  directory.PartnerID
}

// newStage adds a partner with a reference, and its three entities.
func newStage(t *testing.T, db *database.DB, ref directory.Ref) stage {
	t.Helper()
	s := stage{t, &directorydb.Store{DB: db.DB}, db, newPartner(t, db, ref)}
	s.entity("network", "network", ref)
	s.entity("school", "school", "network")
	s.entity("class", "class", "school")
	return s
}

// newEntity returns a valid input.
func newEntity(typ string, ref, parent directory.Ref) directory.EntityInput {
	n := newSchool(ref, parent)
	n.EntityType = sent(typ)
	return n
}

// entity creates an entity.
func (s stage) entity(typ string, ref, parent directory.Ref) directory.EntityRecord {
	s.Helper()
	e, err := s.CreateEntity(s.Context(), s.p, newEntity(typ, ref, parent))
	if err != nil {
		s.Fatal(err)
	}
	return e
}

// teacher creates a teacher.
func (s stage) teacher(ref, entity directory.Ref) directory.AccountRecord {
	s.Helper()
	a, err := s.CreateTeacher(s.Context(), s.p, newTeacher(ref, entity))
	if err != nil {
		s.Fatal(err)
	}
	return a
}

// addAccounts adds accounts as a load does.
func (s stage) addAccounts(accounts ...directory.Account) {
	s.Helper()
	must(s, putAccounts(s, s.db, s.p, 1, accounts...))
	must(s, (&directorydb.Write{IDB: s.db, Partner: s.p}).SetCounters(s.Context(), 3, accounts[len(accounts)-1].ID))
}

// TestLevels tests which parents each type may have, and the error for the others (P1, P4).
func TestLevels(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newStage(t, db, "partner")
		const missing, invalid = "does not exist", "is invalid"
		for i, c := range []struct {
			typ     string
			parent  directory.Ref
			message string
		}{
			{"network", "partner", ""}, {"network", "network", invalid}, {"network", "school", invalid}, {"network", "class", invalid}, {"network", "none", missing},
			{"school", "partner", invalid}, {"school", "network", ""}, {"school", "school", invalid}, {"school", "class", invalid}, {"school", "none", missing},
			{"class", "partner", invalid}, {"class", "network", invalid}, {"class", "school", ""}, {"class", "class", invalid}, {"class", "none", missing},
			{"class", "Partner", missing}, {"class", "SCHOOL", missing}, {"class", "a\x00", missing}, {"class", "\xff", missing},
			{"class", directory.Ref(strings.Repeat("x", 256)), missing},
		} {
			_, err := s.CreateEntity(t.Context(), s.p, newEntity(c.typ, directory.Ref(fmt.Sprint("new ", i)), c.parent))
			want := map[string]string{"parent_reference_id": c.message}
			if c.message == "" {
				want = nil
			}
			if got := messages(err); !maps.Equal(got, want) || (err == nil) != (want == nil) {
				t.Errorf("CreateEntity(%s below %q) = %v, want %v", c.typ, c.parent, err, want)
			}
		}
		for ref, parent := range map[directory.Ref]directory.Ref{"network": "partner", "school": "network", "class": "school"} {
			if e, err := s.Entity(t.Context(), s.p, ref); e.ParentRef != parent || err != nil {
				t.Errorf("Entity(%q).ParentRef = %q, %v, want %q", ref, e.ParentRef, err, parent)
			}
		}
	})
}

// TestCreateFaults tests that errors that need other rows are returned with all others (P4), and that nothing is
// written.
func TestCreateFaults(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newStage(t, db, "partner")
		before, _ := snapshotdb.ReadCurrent(t.Context(), db, auth.Tenant(s.p))
		n := newEntity("class", "school", "none")
		n.Name, n.Degree = directory.Field{}, sent("10")
		_, err := s.CreateEntity(t.Context(), s.p, n)
		if got, want := messages(err), (map[string]string{
			"name": "can't be blank", "degree": "is invalid", "reference_id": "has already been taken", "parent_reference_id": "does not exist",
		}); !maps.Equal(got, want) {
			t.Errorf("CreateEntity = %v, want %v", got, want)
		}
		n.EntityType = sent("x")
		n.ParentReferenceID = sent("school") // an invalid type may have a parent of any level
		_, err = s.CreateEntity(t.Context(), s.p, n)
		if got, want := messages(err), (map[string]string{
			"name": "can't be blank", "degree": "is invalid", "reference_id": "has already been taken", "entity_type": "is invalid",
		}); !maps.Equal(got, want) {
			t.Errorf("CreateEntity = %v, want %v", got, want)
		}
		s.teacher("ana", "class")
		a := newTeacher("ana", "none")
		a.Email = sent("no address")
		_, err = s.CreateTeacher(t.Context(), s.p, a)
		if got, want := messages(err), (map[string]string{
			"email": "is invalid", "reference_id": "has already been taken", "entity_reference_id": "does not exist",
		}); !maps.Equal(got, want) {
			t.Errorf("CreateTeacher = %v, want %v", got, want)
		}
		_, err = s.CreateTeacher(t.Context(), s.p, newTeacher("beto", "partner"))
		if got := messages(err); got["entity_reference_id"] != "does not exist" {
			t.Errorf("CreateTeacher(at the partner itself) = %v, want does not exist: it is not an entity", err)
		}
		after, _ := snapshotdb.ReadCurrent(t.Context(), db, auth.Tenant(s.p))
		if after.Registers <= before.Registers || after.Facts != before.Facts {
			t.Errorf("versions %+v after %+v, want only Registers raised", after, before)
		}
	})
}

// TestHardReferences tests references that are hard to transport, and where a reference must be unique (P2).
func TestHardReferences(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newStage(t, db, "partner")
		for _, ref := range []directory.Ref{"a/b", "50%", "%2F", " ", "  x ", "ção", "c\u0327a\u0303o", "😀", "Network", "?q=1&r", "'; DROP", "partner", directory.Ref(strings.Repeat("é", 255))} {
			n := newEntity("school", ref, "network")
			if strings.TrimSpace(string(ref)) == "" {
				if _, err := s.CreateEntity(t.Context(), s.p, n); messages(err)["reference_id"] != "can't be blank" {
					t.Errorf("CreateEntity(%q) = %v, want can't be blank", ref, err)
				}
				continue
			}
			e := s.entity("school", ref, "network")
			if got, err := s.Entity(t.Context(), s.p, ref); got != e || got.Ref != ref || err != nil {
				t.Errorf("Entity(%q) = %+v, %v, want %+v", ref, got, err, e)
			}
			a := s.teacher(ref, ref) // an account and an entity may have the same reference
			if got, err := s.Teacher(t.Context(), s.p, ref); got != a || got.EntityRef != ref || err != nil {
				t.Errorf("Teacher(%q) = %+v, %v, want %+v", ref, got, err, a)
			}
		}
		s = newStage(t, db, "other")
		s.addAccounts(directory.Account{ID: 1, Ref: "x", Kind: directory.Internal, AccessToken: "T"})
		if _, err := s.CreateTeacher(t.Context(), s.p, newTeacher("x", "class")); messages(err)["reference_id"] != "has already been taken" {
			t.Errorf("CreateTeacher(reference of another kind's account) = %v, want taken", err)
		}
		if _, err := s.Teacher(t.Context(), s.p, "x"); !errors.Is(err, directory.ErrNotFound) {
			t.Errorf("Teacher(of another kind) = %v, want ErrNotFound", err)
		}
		if err := s.DeleteTeacher(t.Context(), s.p, "x"); !errors.Is(err, directory.ErrNotFound) {
			t.Errorf("DeleteTeacher(of another kind) = %v, want ErrNotFound", err)
		}
	})
}

// TestNotFound tests invalid references, unknown ones, those of another partner, and partners that do not exist (G3).
func TestNotFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s, other := newStage(t, db, "partner"), newStage(t, db, "other")
		other.entity("school", "theirs", "network")
		other.teacher("theirs", "theirs")
		for _, c := range []struct {
			p   directory.PartnerID
			ref directory.Ref
		}{{s.p, "none"}, {s.p, "theirs"}, {s.p, ""}, {s.p, ".."}, {s.p, "a\x00"}, {s.p, "\xff"}, {s.p, "partner"}, {other.p + 1, "network"}, {0, "network"}} {
			at := directory.Cursor{}
			calls := map[string]func() error{
				"Entity":        func() error { _, err := s.Entity(ctx, c.p, c.ref); return err },
				"UpdateEntity":  func() error { _, err := s.UpdateEntity(ctx, c.p, c.ref, directory.EntityInput{}); return err },
				"DeleteEntity":  func() error { return s.DeleteEntity(ctx, c.p, c.ref) },
				"Teacher":       func() error { _, err := s.Teacher(ctx, c.p, c.ref); return err },
				"UpdateTeacher": func() error { _, err := s.UpdateTeacher(ctx, c.p, c.ref, directory.TeacherInput{}); return err },
				"DeleteTeacher": func() error { return s.DeleteTeacher(ctx, c.p, c.ref) },
				"Subtree":       func() error { _, err := s.Subtree(ctx, c.p, c.ref, at); return err },
				"Readers":       func() error { _, err := s.Readers(ctx, c.p, c.ref, at); return err },
				"Teachers":      func() error { _, err := s.Teachers(ctx, c.p, c.ref, at); return err },
			}
			for name, call := range calls {
				if err := call(); !errors.Is(err, directory.ErrNotFound) {
					t.Errorf("%s(%d, %q) = %v, want ErrNotFound", name, c.p, c.ref, err)
				}
			}
		}
		if got, err := other.Entity(ctx, other.p, "theirs"); err != nil || got.Deleted {
			t.Errorf("Entity(theirs) = %+v, %v, want it untouched", got, err)
		}
	})
}

// TestDeleteEntity tests P6 on a school with accounts of several kinds.
func TestDeleteEntity(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s := newStage(t, db, "partner")
		s.addAccounts(
			directory.Account{ID: 1, Ref: "reader", Kind: directory.Reader, AccessToken: "1", Entity: 2, Active: true},
			directory.Account{ID: 2, Ref: "admin", Kind: directory.Administrator, AccessToken: "2", Entity: 2, Active: true},
			directory.Account{ID: 3, Ref: "elsewhere", Kind: directory.Reader, AccessToken: "3", Entity: 1, Active: true},
		)
		ana := s.teacher("ana", "school")
		must(t, inTx(t, db, func(ctx context.Context, tx bun.Tx) error {
			return (&directorydb.Write{IDB: tx, Partner: s.p}).PutEvaluations(ctx, []directory.Evaluation{{ID: 1, Entity: 2}, {ID: 2, Entity: 1}})
		}))
		if err := s.DeleteEntity(ctx, s.p, "school"); !errors.Is(err, directory.ErrHasChildren) {
			t.Fatalf("DeleteEntity(with a class) = %v, want ErrHasChildren", err)
		}
		if got, err := s.Teacher(ctx, s.p, "ana"); got != ana || err != nil {
			t.Errorf("after the refusal, Teacher = %+v, %v, want %+v", got, err, ana)
		}
		must(t, s.DeleteEntity(ctx, s.p, "class"))
		must(t, s.DeleteEntity(ctx, s.p, "school"))
		active := map[directory.Ref]bool{}
		for _, a := range accounts(t, db, s.p) {
			active[a.Ref] = a.Active
		}
		if want := map[directory.Ref]bool{"reader": false, "admin": true, "elsewhere": true, "ana": false}; !maps.Equal(active, want) {
			t.Errorf("active = %v, want %v", active, want)
		}
		ana.Active = false
		if got, err := s.Teacher(ctx, s.p, "ana"); got != ana || got.EntityRef != "school" || err != nil {
			t.Errorf("Teacher = %+v, %v, want %+v, still in the school", got, err, ana)
		}
		if got, err := directorydb.Evaluations(ctx, db, s.p); len(got) != 1 || got[0].ID != 2 || err != nil {
			t.Errorf("Evaluations = %+v, %v, want the network's", got, err)
		}

		again := s.entity("school", "school", "network")
		if again.ID != 4 {
			t.Errorf("the new entity has the number %d, want 4: no number is used twice", again.ID)
		}
		for name, list := range map[string]func(context.Context, directory.PartnerID, directory.Ref, directory.Cursor) (directory.Page[directory.AccountRecord], error){
			"Readers": s.Readers, "Teachers": s.Teachers,
		} {
			if page, err := list(ctx, s.p, "school", directory.Cursor{}); len(page.Rows) != 0 || err != nil {
				t.Errorf("%s(the new entity) = %+v, %v, want none", name, page, err)
			}
		}
		change := newTeacher("ana", "school")
		if got, err := s.UpdateTeacher(ctx, s.p, "ana", change); got.Entity != again.ID || got.Active || got.AccessToken != ana.AccessToken || err != nil {
			t.Errorf("UpdateTeacher = %+v, %v, want inactive in %d", got, err, again.ID)
		}
	})
}

// TestDeleteNetwork tests that deleting a network revokes only the schools keys of that network (G3).
func TestDeleteNetwork(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s := newStage(t, db, "partner")
		deleted := s.entity("network", "gone", "partner")
		keys := &authdb.Store{DB: db.DB}
		issue := func(network directory.EntityID) string {
			text, _, err := keys.Issue(ctx, keys.DB, authdb.IssueParams{Tenant: auth.Tenant(s.p), API: auth.Schools, Network: int64(network)})
			must(t, err)
			return text
		}
		kept, revoked := issue(1), issue(deleted.ID)
		s.Now = func() time.Time { return time.Now().Add(-time.Second) }
		must(t, s.DeleteEntity(ctx, s.p, "gone"))
		if _, err := keys.Check(ctx, revoked, auth.Schools); !errors.Is(err, authdb.ErrKey) {
			t.Errorf("Check(key of the deleted network) = %v, want ErrKey", err)
		}
		if _, err := keys.Check(ctx, kept, auth.Schools); err != nil {
			t.Errorf("Check(key of the other network) = %v, want nil", err)
		}
	})
}

// TestTeacherDeleted tests that the reference is free, and that the row stays without e-mail and phone (P7).
func TestTeacherDeleted(t *testing.T) {
	dbtest.Everywhere(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s := newStage(t, db, "partner")
		first := s.teacher("ana", "school")
		must(t, s.DeleteTeacher(ctx, s.p, "ana"))
		if err := s.DeleteTeacher(ctx, s.p, "ana"); !errors.Is(err, directory.ErrNotFound) {
			t.Errorf("DeleteTeacher(again) = %v, want ErrNotFound", err)
		}
		second := s.teacher("ana", "school")
		if second.ID != first.ID+1 || second.AccessToken == first.AccessToken || !second.Active {
			t.Errorf("CreateTeacher = %+v after %+v, want another account", second, first)
		}
		all := accounts(t, db, s.p)
		first.Deleted, first.Active, first.Email, first.Phone = true, false, "", ""
		if len(all) != 2 || all[0] != first.Account || all[1] != second.Account {
			t.Errorf("accounts = %+v, want %+v and %+v", all, first.Account, second.Account)
		}
		page, err := s.Teachers(ctx, s.p, "school", directory.Cursor{})
		if err != nil || len(page.Rows) != 1 || page.Rows[0] != second {
			t.Errorf("Teachers = %+v, %v, want %+v", page, err, second)
		}
	})
}

// TestRefOwners tests that each new owner of a reference is recorded with its time. An account owns a reference that it
// gave up until another takes it. A reference with only one owner is not recorded until it is given up (F4).
func TestRefOwners(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newStage(t, db, "partner")
		other := newStage(t, db, "other")
		other.teacher("ana", "school")
		now := time.UnixMicro(0)
		s.Now = func() time.Time { now = now.Add(time.Second); return now }
		ana, bia := s.teacher("ana", "school").ID, s.teacher("bia", "school").ID
		rename := func(from, to directory.Ref) {
			t.Helper()
			n := newTeacher(to, "school")
			_, err := s.UpdateTeacher(t.Context(), s.p, from, n)
			must(t, err)
		}
		type seconds = map[int64]directory.UserID // 0 is the beginning, 1 the first change of owner after it
		want := func(want map[directory.Ref]seconds) {
			t.Helper()
			history, err := directorydb.RefOwners(t.Context(), db, s.p)
			got := map[directory.Ref]seconds{}
			times := []int64{0}
			for _, list := range history {
				for _, c := range list {
					times = append(times, c.Since.Unix())
				}
			}
			slices.Sort(times)
			times = slices.Compact(times)
			for ref, list := range history {
				got[ref] = seconds{}
				for _, c := range list {
					got[ref][int64(slices.Index(times, c.Since.Unix()))] = c.Account
				}
			}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("RefOwners = %v, %v, want %v", got, err, want)
			}
		}
		want(map[directory.Ref]seconds{})
		rename("ana", "ana-2")
		rename("ana-2", "ana-3")
		want(map[directory.Ref]seconds{"ana": {0: ana}, "ana-2": {0: ana}})
		rename("bia", "ana-2") // takes a reference that ana gave up
		want(map[directory.Ref]seconds{"ana": {0: ana}, "ana-2": {0: ana, 1: bia}, "bia": {0: bia}})
		rename("ana-3", "ana") // takes back its own reference
		want(map[directory.Ref]seconds{"ana": {0: ana}, "ana-2": {0: ana, 1: bia}, "bia": {0: bia}, "ana-3": {0: ana}})
		must(t, s.DeleteTeacher(t.Context(), s.p, "ana-2"))
		caio := s.teacher("ana-2", "school").ID // takes a reference with a history from a deleted account
		davi := s.teacher("davi", "school").ID
		must(t, s.DeleteTeacher(t.Context(), s.p, "davi"))
		eva := s.teacher("davi", "school").ID // takes a reference without a history
		all := map[directory.Ref]seconds{"ana": {0: ana}, "ana-2": {0: ana, 1: bia, 2: caio}, "bia": {0: bia}, "ana-3": {0: ana}, "davi": {0: davi, 3: eva}}
		want(all)
		rename("ana", "ana") // a change that keeps the reference
		want(all)
		if got, err := directorydb.RefOwners(t.Context(), db, other.p); err != nil || len(got) != 0 {
			t.Errorf("RefOwners of the other partner = %v, %v, want none", got, err)
		}
	})
}

// TestSameTwice tests that a change to the stored values writes nothing, so that replicas need not read again.
func TestSameTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		s := newStage(t, db, "partner")
		s.teacher("ana", "school")
		bia := s.teacher("bia", "school") // erased, so that no name comes back
		if _, _, err := s.Forget(ctx, s.p, bia.ID); err != nil {
			t.Fatal(err)
		}
		before, _ := snapshotdb.ReadCurrent(ctx, db, auth.Tenant(s.p))
		if _, err := s.UpdateEntity(ctx, s.p, "school", directory.EntityInput{Name: sent(" Escola "), ReferenceID: sent("school")}); err != nil {
			t.Error(err)
		}
		for _, ref := range []directory.Ref{"ana", "bia"} {
			if _, err := s.UpdateTeacher(ctx, s.p, ref, newTeacher(ref, "school")); err != nil {
				t.Error(err)
			}
		}
		if after, err := snapshotdb.ReadCurrent(ctx, db, auth.Tenant(s.p)); after != before || err != nil {
			t.Errorf("versions = %+v, %v, want %+v", after, err, before)
		}
	})
}

// TestOwnDegrees tests that the partner's own vocabulary applies (P3).
func TestOwnDegrees(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newStage(t, db, "partner")
		exec(t, db, `INSERT INTO degrees (tenant_id, code, stage, grade, position) VALUES (?, 'Z', 'MEDIO', 0, 1)`, s.p)
		for degree, message := range map[string]string{"Z": "", "F": "is invalid"} {
			_, err := s.UpdateEntity(t.Context(), s.p, "class", directory.EntityInput{Degree: sent(degree)})
			if got := messages(err)["degree"]; got != message {
				t.Errorf("UpdateEntity(degree %q) = %v, want %q", degree, err, message)
			}
		}
		if _, err := s.UpdateEntity(t.Context(), s.p, "school", directory.EntityInput{City: sent("Bauru")}); err != nil {
			t.Errorf("UpdateEntity(city, with a degree outside the vocabulary) = %v, want nil", err)
		}
	})
}

// TestCancelled tests that a cancelled request leaves nothing behind, and that the next one succeeds.
func TestCancelled(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newStage(t, db, "partner")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.CreateEntity(ctx, s.p, newEntity("school", "x", "network")); !errors.Is(err, context.Canceled) {
			t.Errorf("CreateEntity(cancelled) = %v, want context.Canceled", err)
		}
		if e := s.entity("school", "x", "network"); e.ID != 4 {
			t.Errorf("CreateEntity = %+v, want number 4", e)
		}
	})
}

func ExampleStore() {
	ctx := context.Background()
	db, stop := exampleDatabase()
	defer stop()
	partner, _ := directorydb.CreatePartner(ctx, db, "rede-sul", "Rede Sul")
	store := &directorydb.Store{DB: db.DB}

	text := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
	network, err := store.CreateEntity(ctx, partner, directory.EntityInput{
		Name: text("Sul"), EntityType: text("network"), Degree: text("F"), ReferenceID: text("sul"), ParentReferenceID: text("rede-sul"),
	})
	fmt.Println(network.Type, network.Ref, "below", network.ParentRef, err)
	_, err = store.CreateEntity(ctx, partner, directory.EntityInput{
		Name: text("Turma 7A"), EntityType: text("class"), Degree: text("7"), ReferenceID: text("7a"), ParentReferenceID: text("sul"),
	})
	fmt.Println(err)
	page, err := store.Entities(ctx, partner, directory.Network, directory.Cursor{})
	fmt.Println(len(page.Rows), page.HasAfter, err)
	// Output:
	// network sul below rede-sul <nil>
	// parent_reference_id is invalid
	// 1 false <nil>
}
