package main

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// A partner is the model of a partner after feeds and directory writes. It computes the answers of the specification the slow way:
// every answer looks at every event again. Lists are in the order of creation.
type partner struct {
	ref      string
	entities []entity
	accounts []account
	owners   map[string][]ownership // the owners of each reference, in the order of time (F4)
	books    map[int]book
	segments []segment
	accesses []access
	seen     map[string]bool // events by identifier, account and day (F1)

	// The ids that the service assigned, learnt from answers, by the first name that an entity or account had.
	entityNumbers, userNumbers map[string]int
}

type entity struct {
	birth, ref, kind, name, degree, inep, state, city string
	parent                                            int // its index in partner.entities, or -1
	deleted                                           bool
}

type account struct {
	birth, ref, kind, name, email, phone string
	entity                               int // its index in partner.entities, or -1
	active, deleted, forgotten           bool
}

type ownership struct {
	since   time.Time
	account int
}

type book struct {
	title, author, isbn string
	length              int
}

type segment struct {
	account, book     int
	start             time.Time
	ms, from, to      int
	extent, effective bool
}

type access struct {
	account int
	day     string
}

func newPartner(ref string) *partner {
	return &partner{ref: ref, owners: map[string][]ownership{}, books: map[int]book{}, seen: map[string]bool{},
		entityNumbers: map[string]int{}, userNumbers: map[string]int{}}
}

func (p *partner) clone() *partner {
	q := *p
	q.entities, q.accounts = slices.Clone(p.entities), slices.Clone(p.accounts)
	q.segments, q.accesses = slices.Clone(p.segments), slices.Clone(p.accesses)
	q.owners = map[string][]ownership{}
	for ref, list := range p.owners {
		q.owners[ref] = slices.Clone(list)
	}
	q.books, q.seen = maps.Clone(p.books), maps.Clone(p.seen)
	q.entityNumbers, q.userNumbers = maps.Clone(p.entityNumbers), maps.Clone(p.userNumbers)
	return &q
}

// liveEntity and liveAccount return the index of the one that has a reference and is not deleted, or -1.
func (p *partner) liveEntity(ref string) int {
	return slices.IndexFunc(p.entities, func(e entity) bool { return e.ref == ref && !e.deleted })
}

func (p *partner) liveAccount(ref string) int {
	return slices.IndexFunc(p.accounts, func(a account) bool { return a.ref == ref && !a.deleted })
}

// deletedEntity reports whether only deleted entities have a reference.
func (p *partner) deletedEntity(ref string) bool {
	return p.liveEntity(ref) < 0 && slices.ContainsFunc(p.entities, func(e entity) bool { return e.ref == ref })
}

// ownerAt returns the account that had a reference at a time, or -1 (F4).
func (p *partner) ownerAt(ref string, t time.Time) int {
	list := p.owners[ref]
	if len(list) == 0 {
		return -1
	}
	found := list[0].account
	for _, c := range list {
		if !c.since.After(t) {
			found = c.account
		}
	}
	return found
}

// takes notes that an account has a reference from now on.
func (p *partner) takes(ref string, account int, now time.Time) {
	list := p.owners[ref]
	if n := len(list); n > 0 && list[n-1].account == account {
		return
	} else if n > 0 && !now.After(list[n-1].since) {
		now = list[n-1].since.Add(time.Microsecond)
	}
	p.owners[ref] = append(list, ownership{now, account})
}

var (
	errBad      = errors.New("a bad row")
	errMisspelt = errors.New("a misspelt member")
)

// load adds the feed of a load that began at a time (F3).
func (p *partner) load(l loading, began time.Time) error {
	feed, good := l.feed, true
	if slices.ContainsFunc(feed["segments"], func(r row) bool { return r["duration"] != nil }) {
		return errMisspelt // --skip-bad does not skip it
	}
	gone := map[string]bool{} // references of entities that are not created, since they are below deleted ones
	for _, kind := range []string{"network", "school", "class"} {
		for _, r := range byReference(feed["entities"]) {
			good = (str(r, "entityType") != kind || p.loadEntity(r, gone)) && good
		}
	}
	skipped := map[string]bool{} // references of accounts that are not created, since their entity is deleted
	for _, r := range byReference(p.moved(feed["accounts"])) {
		good = p.loadAccount(r, began, gone, skipped) && good
	}
	for _, r := range feed["books"] {
		p.books[num(r, "bookId")] = book{str(r, "title"), str(r, "author"), str(r, "isbn"), num(r, "length")}
	}
	for _, r := range feed["segments"] {
		good = p.loadSegment(r, began, skipped) && good
	}
	for _, r := range feed["accesses"] {
		good = p.loadAccess(r, began, skipped) && good
	}
	if !good && !l.skip {
		return errBad
	}
	return nil
}

// byReference returns rows in the order in which new ones are created. Of rows with
// the same reference the last one that is not skipped counts.
func byReference(rows []row) []row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(str(a, "referenceId"), str(b, "referenceId")) })
	return rows
}

var parentOf = map[string]string{"school": "network", "class": "school"}

// loadEntity loads a row of entities. It reports whether the row is good.
func (p *partner) loadEntity(r row, gone map[string]bool) bool {
	ref, kind, above := str(r, "referenceId"), str(r, "entityType"), str(r, "parentReferenceId")
	if p.deletedEntity(ref) || gone[above] || p.deletedEntity(above) {
		gone[ref] = p.liveEntity(ref) < 0
		return true
	}
	parent := -1
	if kind == "network" && above != "" && above != p.ref {
		return false
	}
	if kind != "network" {
		if parent = p.liveEntity(above); parent < 0 || p.entities[parent].kind != parentOf[kind] {
			return false
		}
	}
	e := entity{birth: str(r, "name"), ref: ref, kind: kind, name: str(r, "name"), degree: str(r, "degree"), inep: str(r, "inep"),
		state: str(r, "state"), city: str(r, "city"), parent: parent}
	if kind != "school" {
		e.inep = ""
	}
	if _, known := degrees[e.degree]; !known || e.name == "" {
		return false
	}
	if i := p.liveEntity(ref); i >= 0 {
		if p.entities[i].kind != kind {
			return false
		}
		e.birth = p.entities[i].birth
		p.entities[i] = e
		return true
	}
	p.entities = append(p.entities, e)
	return true
}

// moved returns rows of accounts with the current references of accounts that changed theirs through the directory.
func (p *partner) moved(rows []row) []row {
	named := map[string]bool{}
	for _, r := range rows {
		named[str(r, "referenceId")] = true
	}
	moved := make([]row, len(rows))
	for i, r := range rows {
		ref := str(r, "referenceId")
		if list := p.owners[ref]; len(list) > 0 { // the account that gave it up keeps it until another takes it
			if keeper := p.accounts[list[len(list)-1].account]; !keeper.deleted && !named[keeper.ref] {
				r = maps.Clone(r)
				r["referenceId"] = keeper.ref
			}
		}
		moved[i] = r
	}
	return moved
}

func (p *partner) loadAccount(r row, began time.Time, gone, skipped map[string]bool) bool {
	ref, of := str(r, "referenceId"), str(r, "entityReferenceId")
	i, list := p.liveAccount(ref), p.owners[ref]
	if i < 0 && len(list) > 0 && p.accounts[list[len(list)-1].account].deleted || of != "" && (gone[of] || p.deletedEntity(of)) {
		skipped[ref] = len(list) == 0
		return true
	}
	kind := str(r, "kind")
	a := account{birth: str(r, "name"), ref: ref, kind: kind, name: str(r, "name"), email: str(r, "email"), phone: str(r, "phone"),
		entity: -1, active: r["active"] != false}
	if of != "" {
		a.entity = p.liveEntity(of)
	}
	if a.entity < 0 && (of != "" || kind == "reader" || kind == "teacher") {
		return false
	}
	if i < 0 {
		for slices.ContainsFunc(p.accounts, func(o account) bool { return o.birth == a.birth }) {
			a.birth += "'" // a row with a reference that its account gave up creates another account
		}
		p.accounts = append(p.accounts, a)
		p.takes(ref, len(p.accounts)-1, began)
		return true
	}
	was := p.accounts[i]
	a.birth, a.forgotten = was.birth, was.forgotten
	p.accounts[i] = a
	p.erase(i)
	return true
}

// erase deletes the name, e-mail and phone of an erased account.
func (p *partner) erase(i int) {
	if a := &p.accounts[i]; a.forgotten {
		a.name, a.email, a.phone = "", "", ""
	}
}

// eventOf returns the account of an event, whether the row is good, and whether the event counts.
func (p *partner) eventOf(ref string, at, began time.Time, skipped map[string]bool) (account int, good, counts bool) {
	asOf := at
	if asOf.After(began) {
		asOf = began
	}
	if account = p.ownerAt(ref, asOf); account < 0 {
		return account, skipped[ref], false
	}
	if at.After(began.Add(5 * time.Minute)) {
		return account, false, false
	}
	return account, true, dayOf(at) >= schoolsHistory
}

func (p *partner) first(id string, account int, day string) bool {
	key := line([]any{id, p.accounts[account].birth, day})
	was := p.seen[key]
	p.seen[key] = true
	return !was
}

func (p *partner) loadSegment(r row, began time.Time, skipped map[string]bool) bool {
	start := instant(r, "startedAt")
	i, good, counts := p.eventOf(str(r, "account"), start, began, skipped)
	s := segment{account: i, book: num(r, "bookId"), start: start, ms: num(r, "durationMs")}
	if _, known := p.books[s.book]; !known || s.ms < 0 {
		return false
	}
	if _, extent := r["from"]; extent {
		s.extent, s.from, s.to = true, num(r, "from"), num(r, "to")
	}
	if s.extent && s.from > s.to {
		return false
	}
	if wpm, recorded := r["wpm"].(float64); recorded {
		s.effective = wpm >= 5 && wpm <= 800
	} else {
		s.effective = s.ms >= 3000
	}
	if good && counts && p.first("s"+str(r, "segmentId"), i, dayOf(start)) {
		p.segments = append(p.segments, s)
		p.accesses = append(p.accesses, access{i, dayOf(start)})
	}
	return good
}

func (p *partner) loadAccess(r row, began time.Time, skipped map[string]bool) bool {
	at, kind := instant(r, "at"), str(r, "kind")
	i, good, counts := p.eventOf(str(r, "account"), at, began, skipped)
	if good && counts && p.first("a"+str(r, "accessId"), i, dayOf(at)) && !strings.HasSuffix(kind, "-received") {
		p.accesses = append(p.accesses, access{i, dayOf(at)})
	}
	return good
}

// above returns the entity of a kind at or above one, which may be deleted, or -1.
func (p *partner) above(e int, kind string) int {
	for ; e >= 0; e = p.entities[e].parent {
		if p.entities[e].kind == kind {
			return e
		}
	}
	return -1
}

// degrees maps a degree to its stage and grade (P3).
var degrees = map[string]struct {
	stage string
	grade int
}{
	"I": {"INFANTIL", 0}, "F": {}, "M": {"MEDIO", 0}, "M1": {"MEDIO", 0}, "M2": {"MEDIO", 0}, "M3": {"MEDIO", 0},
	"1": {"FUNDAMENTAL 1", 1}, "2": {"FUNDAMENTAL 1", 2}, "3": {"FUNDAMENTAL 1", 3}, "4": {"FUNDAMENTAL 1", 4}, "5": {"FUNDAMENTAL 1", 5},
	"6": {"FUNDAMENTAL 2", 6}, "7": {"FUNDAMENTAL 2", 7}, "8": {"FUNDAMENTAL 2", 8}, "9": {"FUNDAMENTAL 2", 9},
}

func compareInts(a, b row, keys ...string) int {
	for _, k := range keys {
		if c := cmp.Compare(num(a, k), num(b, k)); c != 0 {
			return c
		}
	}
	return 0
}
