package server_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/server/database"
)

// TestPullsAreOfOneState runs the model of pulls for the schools: loads and the directory change what is pulled, and a pull is
// of one state whether it sends a snapshot or pages alone.
func TestPullsAreOfOneState(t *testing.T) {
	testPulls(t, 10, func(rt *rapid.T, t *testing.T, dbs []*database.DB, n int) *pulling {
		m := newPulling(rt, dbs, now().Add(55*time.Minute), 14) // or five minutes before midnight
		m.prefix, m.noEmail, m.few = prefix, "null", 9
		ref := directory.Ref(fmt.Sprint("p", n))
		p := &pulledSchools{pulling: m, site: &site{t: t, db: dbs[0], partner: newPartner(t, dbs[0], ref), ref: ref, keys: m.keys, now: m.clock.time}}
		p.world = newWorld(m.rand())
		p.world.segments = p.world.segments[:80]
		p.site.load(p.world)
		m.changing, p.site.during = p, m.during
		return m
	})
}

// pulledSchools is a partner whose data change.
type pulledSchools struct {
	*pulling
	site    *site
	world   *world
	changes int
}

func (p *pulledSchools) questions() (all []question) {
	for network := range p.keys {
		for _, filter := range []string{"", "&profile=teacher"} {
			all = append(all, question{network, "/users?" + filter, 1000})
			for _, period := range []string{"", "&startDate=2026-04-02&endDate=2026-05-04", "&startDate=2026-03-01&" + openEnd} {
				all = append(all, question{network, "/engagements?" + period + filter, 1000}, question{network, "/readings?" + period + filter, 1000})
			}
		}
	}
	slices.SortFunc(all, func(a, b question) int { return strings.Compare(a.network+a.list, b.network+b.list) })
	return all
}

func (p *pulledSchools) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"load":  func(*rapid.T) { p.load() },
		"write": func(*rapid.T) { p.write() },
		"edit":  func(*rapid.T) { p.edit() },
	}
}

func (p *pulledSchools) passed() {}

func (p *pulledSchools) check(question, string) {}

// forget forgets any account, which may be forgotten already, or deleted.
func (p *pulledSchools) forget() {
	of, err := directorydb.PartnerByID(p.Context(), p.site.db, p.site.partner)
	if err != nil {
		p.Fatal(err)
	}
	id := directory.UserID(1 + p.draw("forget", int(of.LastUser)))
	store := &directorydb.Store{DB: p.site.db.DB, Now: p.clock.time}
	fresh, _, err := store.Forget(p.Context(), p.site.partner, id)
	if errors.Is(err, directory.ErrNotFound) {
		return // a number that a load has reserved
	}
	if known := p.forgot[fmt.Sprint(id)]; err != nil || fresh == known {
		p.Fatalf("Forget %d = %t, %v, was forgotten before: %t", id, fresh, err, known)
	}
	p.forgot[fmt.Sprint(id)] = true
	p.record()
}

// load loads a feed that renames and moves a few accounts, and perhaps a book, and has some events more.
func (p *pulledSchools) load() {
	r := p.rand()
	p.changes++
	if r.IntN(3) == 0 {
		title := fmt.Sprint("Livro ", p.changes)
		p.world.books = slices.Clone(p.world.books)
		p.world.books[r.IntN(len(p.world.books))].Title = &title
	}
	more := world{books: p.world.books}
	for range 1 + r.IntN(3) {
		a := pick(r, p.world.accounts)
		name, entity := fmt.Sprint("Carga ", p.changes), pick(r, p.world.entities).Ref
		a.Name, a.Entity = &name, &entity
		more.accounts = append(more.accounts, a)
	}
	slices.SortFunc(more.accounts, func(a, b accountRow) int { return strings.Compare(a.Ref, b.Ref) })
	more.accounts = slices.CompactFunc(more.accounts, func(a, b accountRow) bool { return a.Ref == b.Ref })
	events := world{accounts: p.world.accounts, books: p.world.books}
	events.someEvents(r, 8)
	for _, s := range events.segments {
		s.ID = fmt.Sprint("later ", p.changes, "-", len(more.segments))
		more.segments = append(more.segments, s)
	}
	speed := 200.0
	more.segments = append(more.segments, segmentRow{ // of tomorrow, where it is five minutes to midnight
		ID: fmt.Sprint("ahead ", p.changes), Account: pick(r, p.world.accounts).Ref, Book: pick(r, p.world.books).ID,
		Start: p.clock.now.Add(5 * time.Minute).Format(time.RFC3339), Duration: 60000, From: r.IntN(50), To: 60, WPM: &speed,
	})
	p.site.load(&more)
	p.record()
}

// edit changes a unit: rows of accounts show its name and its degree.
func (p *pulledSchools) edit() {
	p.changes++
	store := &directorydb.Store{DB: p.site.db.DB, Now: p.clock.time}
	text := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
	change := directory.EntityInput{Name: text(fmt.Sprint("Unidade ", p.changes))}
	if p.draw("degree", 2) == 0 {
		change = directory.EntityInput{Degree: text([]string{"1", "9", "M"}[p.changes%3])}
	}
	ref := p.world.entities[p.draw("entity", len(p.world.entities))].Ref
	if _, err := store.UpdateEntity(p.Context(), p.site.partner, directory.Ref(ref), change); err != nil {
		p.Fatal(err)
	}
	p.record()
}

// write changes the directory.
func (p *pulledSchools) write() {
	p.changes++
	store := &directorydb.Store{DB: p.site.db.DB, Now: p.clock.time}
	text := func(s string) directory.Field { return directory.Field{Set: true, Text: s} }
	ref := fmt.Sprint("prof-", p.draw("teacher", 3))
	school := fmt.Sprintf("net-%d/escola %d", p.draw("network", 2), p.draw("school", 2))
	name := fmt.Sprint("Escrita ", p.changes)
	teacher, err := store.Teacher(p.Context(), p.site.partner, directory.Ref(ref))
	switch known := err == nil; {
	case !known:
		_, err = store.CreateTeacher(p.Context(), p.site.partner, directory.TeacherInput{
			Name: text(name), Email: text(name[8:] + "@escola.example"), Phone: text(""), ReferenceID: text(ref), EntityReferenceID: text(school),
		})
	case p.draw("delete", 4) == 0:
		p.erase(int(teacher.ID))
		err = store.DeleteTeacher(p.Context(), p.site.partner, directory.Ref(ref))
	default:
		_, err = store.UpdateTeacher(p.Context(), p.site.partner, directory.Ref(ref), directory.TeacherInput{
			Name: text(name), Email: text("a@escola.example"), Phone: text("1"), ReferenceID: text(ref), EntityReferenceID: text(school),
		})
	}
	if err != nil {
		p.Fatal(err)
	}
	p.record()
}
