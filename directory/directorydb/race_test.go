package directorydb_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
)

// race runs two operations at the same time and returns their errors.
func race(a, b func() error) (errA, errB error) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	wg.Go(func() { <-start; errA = a() })
	wg.Go(func() { <-start; errB = b() })
	close(start)
	wg.Wait()
	return errA, errB
}

// contest is a new partner with a network and a school, and two stores as on two replicas.
type contest struct {
	*testing.T
	p    directory.PartnerID
	db   *database.DB
	a, b *directorydb.Store
}

// races runs a contest many times on both engines and checks after each that nothing lacks a parent. It logs how often
// each outcome occurred.
func races(t *testing.T, f func(c contest) (outcome string)) {
	const times = 40
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		second := openAgain(t, db)
		outcomes := map[string]int{}
		for i := range times {
			p := newPartner(t, db, directory.Ref(fmt.Sprint("p", i)))
			c := contest{t, p, db, &directorydb.Store{DB: db.DB}, &directorydb.Store{DB: second.DB}}
			if i%2 == 1 {
				c.a, c.b = c.b, c.a
			}
			network := newSchool("rede", directory.Ref(fmt.Sprint("p", i)))
			network.EntityType = sent("network")
			_, err := c.a.CreateEntity(t.Context(), p, network)
			must(t, err)
			_, err = c.a.CreateEntity(t.Context(), p, newSchool("escola", "rede"))
			must(t, err)
			outcomes[f(c)]++
			c.checkNoOrphans()
		}
		t.Logf("outcomes: %v", outcomes)
	})
}

// openAgain opens a database a second time, as another replica does.
func openAgain(t *testing.T, db *database.DB) *database.DB {
	t.Helper()
	again, err := database.Open(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

// checkNoOrphans checks that every live entity is below a live one or the partner, and that every active account is in
// a live entity.
func (c contest) checkNoOrphans() {
	c.Helper()
	var orphans int
	err := c.db.NewRaw(`
		SELECT (SELECT count(*) FROM entities e
		         WHERE e.tenant_id = ?0 AND NOT e.deleted AND e.parent_id <> 0
		           AND NOT EXISTS (SELECT 1 FROM entities p WHERE p.tenant_id = ?0 AND p.entity_id = e.parent_id AND NOT p.deleted))
		     + (SELECT count(*) FROM accounts a
		         WHERE a.tenant_id = ?0 AND a.active
		           AND NOT EXISTS (SELECT 1 FROM entities p WHERE p.tenant_id = ?0 AND p.entity_id = a.entity_id AND NOT p.deleted))`,
		c.p).Scan(c.Context(), &orphans)
	if err != nil || orphans > 0 {
		c.Errorf("%d orphans, %v, want none", orphans, err)
	}
}

// createEntity, deleteEntity and moveTeacher return the operations that race.
func (c contest) createEntity(s *directorydb.Store, n directory.EntityInput) func() error {
	return func() error { _, err := s.CreateEntity(c.Context(), c.p, n); return err }
}

func (c contest) deleteEntity(s *directorydb.Store, ref directory.Ref) func() error {
	return func() error { return s.DeleteEntity(c.Context(), c.p, ref) }
}

func (c contest) moveTeacher(s *directorydb.Store, ref, entity directory.Ref) func() error {
	return func() error {
		_, err := s.UpdateTeacher(c.Context(), c.p, ref, newTeacher(ref, entity))
		return err
	}
}

// newTeacher returns the input of a teacher.
func newTeacher(ref, entity directory.Ref) directory.TeacherInput {
	return directory.TeacherInput{Name: sent("Ana"), Email: sent("ana@escola.example"), Phone: sent("1"), ReferenceID: sent(string(ref)), EntityReferenceID: sent(string(entity))}
}

// one returns which of two operations succeeded. Exactly one must succeed, and the other's error must match.
func (c contest) one(errA, errB error, a, b func(error) bool) string {
	c.Helper()
	switch {
	case errA == nil && b(errB):
		return "first"
	case errB == nil && a(errA):
		return "second"
	}
	c.Errorf("errors = %v and %v, want exactly one operation to succeed", errA, errB)
	return "wrong"
}

// says returns a function that reports whether an error has exactly one fault, with this message.
func says(field, message string) func(error) bool {
	return func(err error) bool { m := messages(err); return len(m) == 1 && m[field] == message }
}

func is(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }

// TestRaceCreateDelete tests that of creating a child and deleting its parent at the same time exactly one succeeds.
func TestRaceCreateDelete(t *testing.T) {
	races(t, func(c contest) string {
		class := newSchool("turma", "escola")
		class.EntityType, class.Degree = sent("class"), sent("9")
		errA, errB := race(c.createEntity(c.a, class), c.deleteEntity(c.b, "escola"))
		return c.one(errA, errB, says("parent_reference_id", "does not exist"), is(directory.ErrHasChildren))
	})
}

// TestRaceMove tests that a teacher moved into an entity that is being deleted either stays in the old one, or moves
// and becomes inactive.
func TestRaceMove(t *testing.T) {
	races(t, func(c contest) string {
		if _, err := c.a.CreateTeacher(c.Context(), c.p, newTeacher("ana", "rede")); err != nil {
			c.Fatal(err)
		}
		errMove, errDelete := race(c.moveTeacher(c.a, "ana", "escola"), c.deleteEntity(c.b, "escola"))
		if errDelete != nil {
			c.Errorf("DeleteEntity = %v, want nil", errDelete)
		}
		got, err := c.a.Teacher(c.Context(), c.p, "ana")
		if err != nil {
			c.Fatal(err)
		}
		moved := got.EntityRef == "escola" && !got.Active
		stayed := got.EntityRef == "rede" && got.Active
		if errMove == nil && !moved || errMove != nil && (!stayed || !says("entity_reference_id", "does not exist")(errMove)) {
			c.Errorf("UpdateTeacher = %v, then Teacher = %+v, want inactive if moved, and unchanged if not", errMove, got)
		}
		return fmt.Sprint("moved: ", errMove == nil)
	})
}
