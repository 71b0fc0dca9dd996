package schools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools/report"
	"github.com/lectern-dev/lectern/schools/schoolsdb"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// partnership is a partner whose API and loads follow a roll's clock, and are held against the roll.
type partnership struct {
	*fixture
	*session
	api *directorydb.Store
	ref directory.Ref
}

func newPartnership(t *testing.T, db *database.DB, ref directory.Ref, s *session) *partnership {
	t.Helper()
	id, err := directorydb.CreatePartner(t.Context(), db, ref, "Acme")
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return s.now }
	store := &schoolsdb.Store{DB: db.DB, Copy: db.Copy, Now: now}
	p := &partnership{&fixture{t, db, store, id, ref}, s, &directorydb.Store{DB: db.DB, Now: now}, ref}
	p.entity("network", "rede", string(ref))
	p.entity("school", "escola", "rede")
	return p
}

// follow does to the product what was done to the roll.
func (p *partnership) follow(a act) {
	p.t.Helper()
	var err error
	switch a.what {
	case "load":
		p.fed(a)
	case "create":
		_, err = p.api.CreateTeacher(p.t.Context(), p.partner, teacher(a.ref, a.class, "Feita"))
	case "put":
		name := p.accounts[p.live(a.to)-1].name
		_, err = p.api.UpdateTeacher(p.t.Context(), p.partner, directory.Ref(a.ref), teacher(a.to, a.class, name))
	case "delete":
		err = p.api.DeleteTeacher(p.t.Context(), p.partner, directory.Ref(a.ref))
	case "create class":
		p.entity("class", a.class, "escola")
	case "delete class":
		err = p.api.DeleteEntity(p.t.Context(), p.partner, directory.Ref(a.class))
	}
	if err != nil {
		p.t.Fatalf("%v: %v", a, err)
	}
}

// entity creates an entity by the API.
func (p *partnership) entity(kind, ref, parent string) {
	p.t.Helper()
	_, err := p.api.CreateEntity(p.t.Context(), p.partner, directory.EntityInput{
		EntityType: text(kind), ReferenceID: text(ref), Name: text(ref), Degree: text("6"), ParentReferenceID: text(parent),
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func text(s string) directory.Field { return directory.Field{Set: true, Text: s} }

func teacher(ref, class, name string) directory.TeacherInput {
	return directory.TeacherInput{Name: text(name), ReferenceID: text(ref), EntityReferenceID: text(class), Email: text("a@example.com"), Phone: text("1")}
}

// fed loads a feed, and fails where the load counts other events than the roll.
func (p *partnership) fed(a act) {
	p.t.Helper()
	totals, err := p.load(a.feed.files(), func(o *load.Options) { o.Now = func() time.Time { return p.now } })
	if err != nil {
		p.t.Fatalf("%v: %v", a, err)
	}
	if totals.New != a.news {
		p.t.Fatalf("%v: the load counts %d", a, totals.New)
	}
}

// files writes a feed.
func (f fed) files() map[string]string {
	var entities, accounts, segments strings.Builder
	line := func(b *strings.Builder, row map[string]any) {
		data, _ := json.Marshal(row)
		fmt.Fprintf(b, "%s\n", data)
	}
	line(&entities, map[string]any{"referenceId": "rede", "entityType": "network", "name": "rede", "degree": "6"})
	line(&entities, map[string]any{"referenceId": "escola", "entityType": "school", "name": "escola", "degree": "6", "parentReferenceId": "rede"})
	for _, c := range f.classes {
		line(&entities, map[string]any{"referenceId": c, "entityType": "class", "name": c, "degree": "6", "parentReferenceId": "escola"})
	}
	for _, r := range f.rows {
		line(&accounts, map[string]any{"referenceId": r.ref, "kind": r.kind, "name": r.name, "entityReferenceId": r.class})
	}
	for _, e := range f.events {
		line(&segments, map[string]any{"segmentId": fmt.Sprint("s", e.id), "account": e.ref, "bookId": 1, "startedAt": e.at.Format(time.RFC3339Nano), "durationMs": 60000, "from": 0, "to": 5, "wpm": 90})
	}
	return map[string]string{
		"entities.ndjson": entities.String(), "accounts.ndjson": accounts.String(), "segments.ndjson": segments.String(), "books.ndjson": good["books.ndjson"],
	}
}

// minute is what a user read on a day.
type minute struct {
	user directory.UserID
	day  calendar.Date
}

// check fails where the product's accounts, or what each has read, differ from the roll's.
func (p *partnership) check(events map[int]time.Time) {
	p.t.Helper()
	var accounts []enrolled
	entities, err := directorydb.Entities(p.t.Context(), p.db, p.partner)
	if err != nil {
		p.t.Fatal(err)
	}
	err = directorydb.Latest(p.db, p.partner).AccountRefs(p.t.Context(), func(a directory.Account) error {
		for len(accounts) < int(a.ID)-1 {
			accounts = append(accounts, enrolled{}) // a number that was not used
		}
		class := entities[slices.IndexFunc(entities, func(e directory.Entity) bool { return e.ID == a.Entity })]
		accounts = append(accounts, enrolled{string(a.Ref), a.Kind.String(), a.Name, string(class.Ref), a.Active, a.Deleted})
		return nil
	})
	for len(accounts) < len(p.accounts) {
		accounts = append(accounts, enrolled{})
	}
	if err != nil || !slices.Equal(accounts, p.accounts) {
		p.t.Fatalf("accounts = %+v, %v\n want %+v", accounts, err, p.accounts)
	}
	want := map[minute]int64{}
	for c := range p.counted {
		want[minute{directory.UserID(c.account), calendar.Day(events[c.event])}] += 10
	}
	if got := p.minutes(); !maps.Equal(got, want) {
		p.t.Fatalf("tenths of a minute by user and day = %v, want %v", got, want)
	}
}

// minutes reads what every user read on every day.
func (p *partnership) minutes() map[minute]int64 {
	p.t.Helper()
	reports := &report.Reports{Store: p.store}
	access := report.Access{Partner: p.partner, Network: 1, At: versions(p.t, p.fixture)}
	whole := calendar.Period{Start: calendar.MustParse("2026-01-01"), End: calendar.MustParse("2026-12-31")}
	e, err := reports.Engagements(p.t.Context(), access, whole, report.Filter{}, paging.Page{Number: 1, Size: 1000})
	if err != nil || e.Total != int64(len(e.Rows)) {
		p.t.Fatalf("engagements: %d rows, total %d, %v", len(e.Rows), e.Total, err)
	}
	got := map[minute]int64{}
	for _, r := range e.Rows {
		got[minute{r.UserID, r.Date}] = int64(r.Minutes)
	}
	return got
}

// TestLoadsFollowCarriers holds the API and the loads against the roll (F4): whatever is renamed, moved, removed or made anew
// between the repetitions of feeds, each load counts what the roll counts, for the same accounts.
func TestLoadsFollowCarriers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(4, seed))
			s := &session{roll: newRoll(), pick: r.IntN}
			p := newPartnership(t, db, directory.Ref(fmt.Sprint("p", seed)), s)
			events := map[int]time.Time{}
			for range 30 {
				a := s.step()
				for _, e := range a.feed.events {
					events[e.id] = e.at
				}
				p.follow(a)
			}
			p.check(events)
		}
	})
}

// TestFeedAgain loads a feed, changes the directory, and loads the feed again: it counts nothing that was counted (F4). The
// feed has an event of ana's at 9 o'clock and one of bia's; it is loaded at 12 and, after an act every hour, once more.
func TestFeedAgain(t *testing.T) {
	put := func(ref, to string) act { return act{what: "put", ref: ref, to: to, class: "6a"} }
	create := func(ref string) act { return act{what: "create", ref: ref, class: "6a"} }
	remove := func(ref string) act { return act{what: "delete", ref: ref} }
	tests := []struct {
		rule string
		acts []act
		want []string // the accounts' references, by number; - before a deleted one's
	}{
		{"nothing happened", nil, []string{"ana", "bia"}},
		{"renamed", []act{put("ana", "anita")}, []string{"anita", "bia"}},
		{"renamed twice", []act{put("ana", "anita"), put("anita", "nita")}, []string{"nita", "bia"}},
		{"renamed and back", []act{put("ana", "anita"), put("anita", "ana")}, []string{"ana", "bia"}},
		{"exchanged", []act{put("ana", "x"), put("bia", "ana"), put("x", "bia")}, []string{"bia", "ana"}},
		{"one took the other's", []act{remove("bia"), put("ana", "bia")}, []string{"bia", "-bia", "ana"}},
		{"removed", []act{remove("ana")}, []string{"-ana", "bia"}},
		{"replaced", []act{remove("ana"), create("ana")}, []string{"-ana", "bia", "ana"}},
		{"replaced twice", []act{remove("ana"), create("ana"), remove("ana"), create("ana")}, []string{"-ana", "bia", "-ana", "ana"}},
		{"renamed and replaced", []act{put("ana", "anita"), create("ana")}, []string{"anita", "bia", "ana"}},
		{"renamed and removed", []act{put("ana", "anita"), remove("anita")}, []string{"-anita", "bia"}},
		{"another took the new one too", []act{put("ana", "anita"), remove("anita"), create("anita")}, []string{"-anita", "bia", "anita"}},
	}
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for i, tt := range tests {
			t.Run(tt.rule, func(t *testing.T) {
				s := &session{roll: newRoll()}
				p := newPartnership(t, db, directory.Ref(fmt.Sprint("p", i)), s)
				nine := s.now.Add(-3 * time.Hour)
				feed := act{what: "load", feed: fed{classes: []string{"6a"},
					rows:   []fedRow{{"ana", "teacher", "Ana", "6a"}, {"bia", "teacher", "Bia", "6a"}},
					events: []fedEvent{{1, "ana", nine}, {2, "bia", nine}},
				}}
				var news []int
				for _, a := range slices.Concat([]act{feed}, tt.acts, []act{feed, feed}) {
					s.do(&a)
					p.follow(a)
					if s.now = s.now.Add(time.Hour); a.what == "load" {
						news = append(news, a.news)
					}
				}
				p.check(map[int]time.Time{1: nine, 2: nine})
				if refs := s.references(); !slices.Equal(news, []int{2, 0, 0}) || !slices.Equal(refs, tt.want) {
					t.Errorf("the loads count %v new events, want 2 and none; accounts %v, want %v", news, refs, tt.want)
				}
			})
		}
	})
}

// references returns the references of all accounts, with a - before those of deleted ones.
func (r *roll) references() (refs []string) {
	for _, a := range r.accounts {
		if a.deleted {
			a.ref = "-" + a.ref
		}
		refs = append(refs, a.ref)
	}
	return refs
}
