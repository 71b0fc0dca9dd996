package schools

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// State is what a load must know of a partner before it reads a feed.
type State struct {
	Partner  directory.Ref
	At       Versions
	Entities []directory.Entity  // deleted ones too
	Accounts []directory.Account // deleted ones too
	Books    *Books
	// Evaluations are those that there are.
	Evaluations []directory.Evaluation
	Degrees     directory.Degrees
	LastEntity  directory.EntityID
	LastUser    directory.UserID
}

// Intake checks the rows of a feed against a partner's state and settles what they change: which entities and accounts
// are new and which identifiers they take, which rows name something deleted, and what each event refers to.
//
// The methods are called in the order Entities, Accounts, Books, Evaluations; then Segment and Access, from any number
// of goroutines.
type Intake struct {
	State State
	// Today is the day of the load: an event after it is bad (F3). History is the first day that is kept (G6).
	Today, History calendar.Date
	// NewToken makes an account's access_token.
	NewToken func() (string, error)

	// What changes, in the order of creation.
	PutEntities    []directory.Entity
	PutAccounts    []directory.Account
	PutBooks       []Book
	PutEvaluations []directory.Evaluation

	entities map[directory.Ref]directory.Entity // live ones, those of the feed included
	users    map[string]directory.UserID        // live accounts, else the last that carried the reference (F4)
}

// Counts says what became of the rows of one register file.
type Counts struct {
	Rows      int `json:"rows"`
	New       int `json:"new"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted"`
	Bad       int `json:"bad"`
}

// Rejected is told of a bad row (F3). The error that it returns stops the load; nil skips the row.
type Rejected func(line int, field, reason string) error

// EntityRow is a row of entities as the feed has it; empty texts are null.
type EntityRow struct {
	Line                                                  int
	Ref, Type, Name, Degree, INEP, State, City, ParentRef string
}

// reasons in the words of the directory (P4).
const (
	invalid      = "is invalid"
	missing      = "does not exist"
	unchangeable = "can't be changed"
)

// Entities settles the rows of entities. Of rows with one reference the later line stands; new entities take their
// identifiers in the order of level, then of reference (S1).
func (in *Intake) Entities(rows []EntityRow, bad Rejected) (Counts, error) {
	in.entities = map[directory.Ref]directory.Entity{}
	deleted := map[directory.Ref]bool{}
	for _, e := range in.State.Entities {
		if e.Deleted {
			deleted[e.Ref] = true
		} else {
			in.entities[e.Ref] = e
		}
	}
	c := Counts{Rows: len(rows)}
	for _, row := range latest(rows, func(r EntityRow) string { return r.Ref }, byLevel) {
		e, wrong := in.entity(row)
		was, live := in.entities[e.Ref]
		switch {
		case !live && deleted[e.Ref], wrong != nil && wrong.reason == missing && deleted[directory.Ref(row.ParentRef)]:
			c.Deleted++
			deleted[e.Ref] = true // and with it whatever the feed puts below it
			continue
		case wrong != nil:
			c.Bad++
			if err := bad(row.Line, wrong.field, wrong.reason); err != nil {
				return c, err
			}
			continue
		case !live:
			c.New++
			in.State.LastEntity++
			e.ID = in.State.LastEntity
		case was == e:
			c.Unchanged++
			continue
		default:
			c.Changed++
		}
		in.entities[e.Ref] = e
		in.PutEntities = append(in.PutEntities, e)
	}
	return c, nil
}

// byLevel orders entity rows by level, then by reference.
func byLevel(a, b EntityRow) int {
	level := func(r EntityRow) directory.EntityType {
		t, _ := directory.ParseEntityType(r.Type)
		return t
	}
	return cmp.Or(cmp.Compare(level(a), level(b)), strings.Compare(a.Ref, b.Ref))
}

// latest returns the rows that stand: the last of each key, ordered.
func latest[T any](rows []T, key func(T) string, order func(a, b T) int) []T {
	last := make(map[string]T, len(rows))
	for _, r := range rows {
		last[key(r)] = r
	}
	return slices.SortedFunc(maps.Values(last), order)
}

// fault is what is wrong with a row.
type fault struct{ field, reason string }

// entity makes an entity of a row. Its Ref is set whatever the fault.
func (in *Intake) entity(row EntityRow) (directory.Entity, *fault) {
	e := directory.Entity{Ref: directory.Ref(row.Ref), Name: row.Name, Degree: row.Degree, INEP: row.INEP, State: row.State, City: row.City}
	if _, err := directory.ParseRef(row.Ref); err != nil {
		return e, &fault{"referenceId", invalid}
	}
	t, ok := directory.ParseEntityType(row.Type)
	if !ok {
		return e, &fault{"entityType", "must be one of network, school, class"}
	}
	e.Type = t
	if was, live := in.entities[e.Ref]; live {
		if e.ID = was.ID; was.Type != t {
			return e, &fault{"entityType", unchangeable}
		}
	}
	parent, wrong := in.parent(t, row.ParentRef)
	if wrong != nil {
		return e, wrong
	}
	e.Parent = parent
	if errs := e.Validate(in.State.Degrees); errs != nil {
		field, reason := errs.First()
		return e, &fault{feedField(field), reason}
	}
	return e, nil
}

// feedField returns the feed's name of a field of the directory.
func feedField(name string) string {
	switch name {
	case "reference_id":
		return "referenceId"
	case "entity_type":
		return "entityType"
	}
	return name
}

// parent resolves a parent's reference: a network's is the partner's, or empty.
func (in *Intake) parent(t directory.EntityType, ref string) (directory.EntityID, *fault) {
	want, ok := t.Parent()
	if !ok {
		if ref != "" && directory.Ref(ref) != in.State.Partner {
			return 0, &fault{"parentReferenceId", "must be the partner's reference, or empty"}
		}
		return 0, nil
	}
	p, live := in.entities[directory.Ref(ref)]
	switch {
	case ref == "":
		return 0, &fault{"parentReferenceId", "is required"}
	case !live:
		return 0, &fault{"parentReferenceId", missing}
	case p.Type != want:
		return 0, &fault{"parentReferenceId", fmt.Sprintf("is a %s, not a %s", p.Type, want)}
	}
	return p.ID, nil
}

// AccountRow is a row of accounts as the feed has it; empty texts are null.
type AccountRow struct {
	Line                                     int
	Ref, Kind, Name, Email, Phone, EntityRef string
	Active                                   bool
}

// Accounts settles the rows of accounts. New ones take their identifiers in the order of reference.
func (in *Intake) Accounts(rows []AccountRow, bad Rejected) (Counts, error) {
	live := make(map[string]directory.Account, len(in.State.Accounts))
	in.users = make(map[string]directory.UserID, len(in.State.Accounts)+len(rows))
	for _, a := range in.State.Accounts { // by identifier, so that the last one with a reference stands
		if a.Deleted {
			if _, ok := live[string(a.Ref)]; !ok {
				in.users[string(a.Ref)] = a.ID
			}
			continue
		}
		live[string(a.Ref)] = a
		in.users[string(a.Ref)] = a.ID
	}
	gone := in.gone()
	c := Counts{Rows: len(rows)}
	for _, row := range latest(rows, func(r AccountRow) string { return r.Ref }, func(a, b AccountRow) int { return strings.Compare(a.Ref, b.Ref) }) {
		was, isLive := live[row.Ref]
		_, known := in.users[row.Ref]
		a, wrong := in.account(row, was)
		switch {
		case known && !isLive, wrong != nil && wrong.reason == missing && gone[directory.Ref(row.EntityRef)]:
			c.Deleted++
			continue
		case wrong != nil:
			c.Bad++
			if err := bad(row.Line, wrong.field, wrong.reason); err != nil {
				return c, err
			}
			continue
		case !isLive:
			c.New++
			in.State.LastUser++
			a.ID = in.State.LastUser
			token, err := in.NewToken()
			if err != nil {
				return c, err
			}
			a.AccessToken = token
			in.users[row.Ref] = a.ID
		case was == a:
			c.Unchanged++
			continue
		default:
			c.Changed++
		}
		in.PutAccounts = append(in.PutAccounts, a)
	}
	return c, nil
}

// gone returns the references of deleted entities that no live one has replaced.
func (in *Intake) gone() map[directory.Ref]bool {
	gone := map[directory.Ref]bool{}
	for _, e := range in.State.Entities {
		if _, live := in.entities[e.Ref]; e.Deleted && !live {
			gone[e.Ref] = true
		}
	}
	return gone
}

// account makes an account of a row; what the feed cannot say is as it was.
func (in *Intake) account(row AccountRow, was directory.Account) (directory.Account, *fault) {
	a := was
	a.Ref, a.Name, a.Email, a.Phone, a.Active = directory.Ref(row.Ref), row.Name, row.Email, row.Phone, row.Active
	if _, err := directory.ParseRef(row.Ref); err != nil {
		return a, &fault{"referenceId", invalid}
	}
	kind, ok := directory.ParseKind(row.Kind)
	if !ok {
		return a, &fault{"kind", "must be one of reader, teacher, administrator, internal"}
	}
	a.Kind, a.Entity = kind, 0
	if f := texts(text{"name", row.Name, 255}, text{"email", row.Email, 255}, text{"phone", row.Phone, 64}); f != nil {
		return a, f
	}
	if row.EntityRef == "" {
		if profileOf(kind) != 0 {
			return a, &fault{"entityReferenceId", "is required"}
		}
		return a, nil
	}
	e, live := in.entities[directory.Ref(row.EntityRef)]
	if !live {
		return a, &fault{"entityReferenceId", missing}
	}
	a.Entity = e.ID
	return a, nil
}

// text is one text of a row with its bound in characters.
type text struct {
	field, value string
	most         int
}

// texts returns the first text that cannot be stored.
func texts(all ...text) *fault {
	for _, t := range all {
		if strings.IndexByte(t.value, 0) >= 0 {
			return &fault{t.field, "must not contain NUL characters"}
		}
		if t.most > 0 && len(t.value) > t.most && len([]rune(t.value)) > t.most {
			return &fault{t.field, fmt.Sprintf("should be at most %d character(s)", t.most)}
		}
	}
	return nil
}

// BookRow is a row of books as the feed has it.
type BookRow struct {
	Line int
	Book Book
}

// Books settles the rows of books.
func (in *Intake) Books(rows []BookRow, bad Rejected) (Counts, error) {
	c := Counts{Rows: len(rows)}
	last := make(map[int64]BookRow, len(rows))
	for _, r := range rows {
		last[r.Book.ID] = r
	}
	for _, id := range slices.Sorted(maps.Keys(last)) {
		row := last[id]
		wrong := texts(text{"title", row.Book.Title, 0}, text{"author", row.Book.Author, 0}, text{"isbn", row.Book.ISBN, 0})
		if row.Book.Length < 1 {
			wrong = &fault{"length", "must be a positive integer"}
		}
		was := in.State.Books.Book(id)
		switch {
		case wrong != nil:
			c.Bad++
			if err := bad(row.Line, wrong.field, wrong.reason); err != nil {
				return c, err
			}
			continue
		case was == nil:
			c.New++
		case *was == row.Book:
			c.Unchanged++
			continue
		default:
			c.Changed++
		}
		in.State.Books.Add(row.Book)
		in.PutBooks = append(in.PutBooks, row.Book)
	}
	return c, nil
}

// EvaluationRow is a row of evaluations as the feed has it.
type EvaluationRow struct {
	Line      int
	ID        int64
	EntityRef string
	Title     string
	AppliedAt time.Time
}

// Evaluations settles the rows of evaluations.
func (in *Intake) Evaluations(rows []EvaluationRow, bad Rejected) (Counts, error) {
	c := Counts{Rows: len(rows)}
	gone := in.gone()
	had := make(map[int64]directory.Evaluation, len(in.State.Evaluations))
	for _, e := range in.State.Evaluations {
		had[e.ID] = e
	}
	last := make(map[int64]EvaluationRow, len(rows))
	for _, r := range rows {
		last[r.ID] = r
	}
	for _, id := range slices.Sorted(maps.Keys(last)) {
		row := last[id]
		e, live := in.entities[directory.Ref(row.EntityRef)]
		wrong := texts(text{"title", row.Title, 255})
		if !live {
			if gone[directory.Ref(row.EntityRef)] {
				c.Deleted++
				continue
			}
			wrong = &fault{"entityReferenceId", missing}
		}
		if wrong != nil {
			c.Bad++
			if err := bad(row.Line, wrong.field, wrong.reason); err != nil {
				return c, err
			}
			continue
		}
		now := directory.Evaluation{ID: id, Entity: e.ID, Title: row.Title, AppliedAt: row.AppliedAt.UTC().Truncate(time.Microsecond)}
		switch was, known := had[id]; {
		case !known:
			c.New++
		case was.Entity == now.Entity && was.Title == now.Title && was.AppliedAt.Equal(now.AppliedAt):
			c.Unchanged++
			continue
		default:
			c.Changed++
		}
		in.PutEvaluations = append(in.PutEvaluations, now)
	}
	return c, nil
}

// ErrBeforeHistory is returned for an event before the history: it is skipped and counted, not bad (G6).
var ErrBeforeHistory = fmt.Errorf("before the history")

// FaultError is what is wrong with an event's row.
type FaultError struct{ Field, Reason string }

func (e *FaultError) Error() string { return e.Field + " " + e.Reason }

// maxDurationMS is the longest that a segment may last: one day (F3).
const maxDurationMS = 24 * 60 * 60 * 1000

// Segment makes an event of a segment's row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Segment(id, account []byte, book int64, s reading.Segment) (Event, error) {
	user, ok := in.users[string(account)]
	switch {
	case !ok:
		return Event{}, &FaultError{"account", missing}
	case in.State.Books.Book(book) == nil:
		return Event{}, &FaultError{"bookId", missing}
	case s.DurationMS > maxDurationMS:
		return Event{}, &FaultError{"durationMs", "must not be above one day"}
	case s.From > s.To:
		return Event{}, &FaultError{"from", "must not be above to"}
	}
	return in.dated(NewSegment(NewEventID('s', id), user, book, s), "startedAt")
}

// Access makes an event of an access record's row. The error is ErrBeforeHistory or a *FaultError.
func (in *Intake) Access(id, account []byte, at time.Time, kind []byte) (Event, error) {
	user, ok := in.users[string(account)]
	if !ok {
		return Event{}, &FaultError{"account", missing}
	}
	k, ok := ParseAccessKind(kind)
	if !ok {
		return Event{}, &FaultError{"kind", "must be one of " + strings.Join(accessKinds[1:], ", ")}
	}
	return in.dated(NewAccess(NewEventID('a', id), user, at, k), "at")
}

func (in *Intake) dated(e Event, field string) (Event, error) {
	if e.Day > in.Today {
		return Event{}, &FaultError{field, "must not be after the day of the load"}
	}
	if e.Day < in.History {
		return Event{}, ErrBeforeHistory
	}
	return e, nil
}
