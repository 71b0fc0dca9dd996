package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// schoolsWriter writes rows that continue the data of a partner.
type schoolsWriter struct {
	chance
	t *tenant
	p *partner
	f feed
	// for events
	refs  []string
	books []int
}

// chunk makes a feed that continues the data of the partner.
func (t *partnerSide) chunk(c chance) feed {
	w := &schoolsWriter{chance: c, t: t.tenant, p: t.worlds.likely(), f: feed{}}
	for _, a := range w.p.accounts {
		if !a.deleted {
			w.refs = append(w.refs, a.ref)
		}
	}
	for ref := range w.p.owners {
		w.refs = append(w.refs, ref)
	}
	for id := range w.p.books {
		w.books = append(w.books, id)
	}
	slices.Sort(w.refs)
	slices.Sort(w.books)
	w.entities()
	w.accounts()
	w.newBooks()
	w.differ()
	w.events()
	return w.f
}

// differ makes the chance differ between tenants: their first feeds have the same ids and different events.
func (w *schoolsWriter) differ() {
	for range len(w.t.name) {
		w.Uint64()
	}
}

// name returns a name that is used once.
func (w *schoolsWriter) name(what string) string {
	return fmt.Sprint(what, " Nº ", w.t.next(), w.t.tag())
}

var someDegrees = []string{"F", "I", "1", "5", "6", "9", "M", "M2"}

func (w *schoolsWriter) entity(ref, kind, parent string) {
	r := row{"referenceId": ref, "entityType": kind, "name": w.name(kind), "degree": pick(w.chance, someDegrees), "parentReferenceId": parent}
	if kind == "school" && w.one(2) {
		r["inep"], r["state"], r["city"] = strconv.Itoa(10000000+w.IntN(1000)), "PA", "Belém"
	}
	w.f.add("entities", r)
}

// entities adds and changes entities.
func (w *schoolsWriter) entities() {
	if len(w.p.entities) == 0 {
		for _, n := range []string{"n1", "n2"} {
			w.entity(n, "network", "")
			for s := range 2 {
				school := fmt.Sprintf("%s/s%d", n, s)
				w.entity(school, "school", n)
				for c := range 2 {
					w.entity(fmt.Sprintf("%s c%d", school, c), "class", school)
				}
			}
		}
		return
	}
	for _, e := range w.p.entities {
		if e.kind == "network" && e.deleted || !w.one(5) {
			continue
		}
		parent := ""
		if e.parent >= 0 {
			parent = w.p.entities[e.parent].ref
		}
		if all := w.live(parentOf[e.kind]); e.kind != "network" && len(all) > 0 && w.one(4) {
			parent = pick(w.chance, all) // it moves
		}
		w.entity(e.ref, e.kind, parent)
	}
	if schools := w.live("school"); len(schools) > 0 && w.one(3) {
		w.entity(fmt.Sprintf("c-%d", w.t.next()), "class", pick(w.chance, schools))
	}
	if w.one(5) {
		w.entity(fmt.Sprintf("é%%/s-%d", w.t.next()), "school", pick(w.chance, w.live("network")))
	}
}

// live returns the references of the entities of a kind, or of all kinds, that are not deleted.
func (w *schoolsWriter) live(kind string) []string {
	var refs []string
	for _, e := range w.p.entities {
		if !e.deleted && (kind == "" || e.kind == kind) {
			refs = append(refs, e.ref)
		}
	}
	for _, r := range w.f["entities"] {
		if len(w.p.entities) == 0 && (kind == "" || r["entityType"] == kind) {
			refs = append(refs, str(r, "referenceId"))
		}
	}
	return refs
}

func (w *schoolsWriter) account(ref string) {
	kind := "reader"
	if w.one(3) {
		kind = "teacher"
	}
	r := row{"referenceId": ref, "kind": kind, "name": w.name("Ana"), "entityReferenceId": pick(w.chance, w.live("")), "active": !w.one(6)}
	if w.one(2) {
		r["email"], r["phone"] = fmt.Sprintf("a%d@%s.example", w.t.serial, w.t.name), fmt.Sprintf("(91) %d", w.t.serial)
	}
	if w.one(30) {
		delete(r, "entityReferenceId")
		r["kind"] = pick(w.chance, []string{"administrator", "internal"})
	}
	w.f.add("accounts", r)
}

func (w *schoolsWriter) accounts() {
	for _, ref := range w.refs {
		if w.one(6) {
			w.account(ref)
		}
	}
	n := w.IntN(3)
	if len(w.refs) == 0 {
		n = 12
	}
	for range n {
		ref := fmt.Sprintf("u-%d", w.t.next())
		w.account(ref)
		w.refs = append(w.refs, ref)
	}
	if w.one(4) { // of two rows the later one counts
		w.account(pick(w.chance, w.refs))
	}
}

func (w *schoolsWriter) newBooks() {
	for _, id := range w.books {
		if w.one(12) {
			w.book(id)
		}
	}
	for range 1 + w.IntN(2) {
		id := 10 * w.t.next()
		w.book(id)
		w.books = append(w.books, id)
	}
}

func (w *schoolsWriter) book(id int) {
	r := row{"bookId": id, "title": w.name("Livro"), "length": pick(w.chance, []int{1, 7, 100, 333, 1000})}
	if w.one(2) {
		r["author"], r["isbn"] = "Autora", "9788535902778"
	}
	w.f.add("books", r)
}

// instant returns a time before that to which the clock was set, and not near a change of a reference's owner.
func (w *schoolsWriter) instant() time.Time {
	back := time.Duration(w.IntN(72*60)) * time.Minute
	switch {
	case w.one(3):
		back = time.Duration(w.IntN(40*24*60)) * time.Minute
	case w.one(40): // before the history
		back = 400 * 24 * time.Hour
	}
	at := w.t.clock.base.Add(-10*time.Minute - back - time.Duration(w.IntN(60_000))*time.Millisecond)
	for i := 0; i < 20 && w.near(at); i++ {
		at = at.Add(-3 * time.Minute)
	}
	return at
}

// near reports whether a reference got another owner at about that time. The model does not know it to the second.
func (w *schoolsWriter) near(at time.Time) bool {
	for _, list := range w.p.owners {
		for _, c := range list[1:] {
			if at.Sub(c.since).Abs() < 2*time.Minute {
				return true
			}
		}
	}
	return false
}

// stamp writes a time in UTC or with an offset.
func (w *schoolsWriter) stamp(at time.Time) string {
	if w.one(2) {
		at = at.In(brasilia)
	} else {
		at = at.UTC()
	}
	return at.Format("2006-01-02T15:04:05.000Z07:00")
}

func (w *schoolsWriter) events() {
	for range 5 + w.IntN(30) {
		w.segment()
	}
	for range w.IntN(6) {
		w.f.add("accesses", row{"accessId": w.id(), "account": pick(w.chance, w.refs), "at": w.stamp(w.instant()),
			"kind": pick(w.chance, []string{"login", "session", "audiobook", "activity", "assessment", "recommendation-received", "activity-received"})})
	}
}

// id returns a number or a text, and sometimes an id that was used before.
func (w *schoolsWriter) id() string {
	n := w.t.next()
	switch {
	case w.one(4):
		return fmt.Sprintf("x-%d", n)
	case w.one(10):
		return strconv.Itoa(1 + w.IntN(n))
	}
	return strconv.Itoa(n)
}

func (w *schoolsWriter) segment() {
	r := row{"segmentId": w.id(), "account": pick(w.chance, w.refs), "bookId": pick(w.chance, w.books), "startedAt": w.stamp(w.instant()),
		"durationMs": pick(w.chance, []int{0, 2999, 3000, 5999, 6000, 61234, 600000, w.IntN(200000)})}
	if !w.one(8) {
		r["from"] = w.IntN(900)
		r["to"] = num(r, "from") + w.IntN(300)
	}
	if !w.one(4) {
		r["wpm"] = pick(w.chance, []float64{0, 4.9, 5, 120, 800, 800.1, 1500})
	}
	w.f.add("segments", r)
}
