package server_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A world is a network as its feed tells it, and the answers that follow from the specification, worked out the slow
// way: every segment is looked at again for every question.
type world struct {
	// assigned, if not nil, has the identifiers of entities and accounts that came in several loads.
	assigned *identifiers
	entities []entityRow
	accounts []accountRow
	books    []bookRow
	segments []segmentRow
	accesses []accessRow
}

type entityRow struct {
	Ref    string `json:"referenceId"`
	Type   string `json:"entityType"`
	Name   string `json:"name"`
	Degree string `json:"degree"`
	Parent string `json:"parentReferenceId,omitempty"`
}

type accountRow struct {
	Ref    string  `json:"referenceId"`
	Kind   string  `json:"kind"`
	Name   *string `json:"name"`
	Email  *string `json:"email"`
	Entity *string `json:"entityReferenceId"`
	Active bool    `json:"active"`
}

type bookRow struct {
	ID     int     `json:"bookId"`
	Title  *string `json:"title"`
	Author *string `json:"author"`
	ISBN   *string `json:"isbn"`
	Length int     `json:"length"`
}

type segmentRow struct {
	ID       string   `json:"segmentId"`
	Account  string   `json:"account"`
	Book     int      `json:"bookId"`
	Start    string   `json:"startedAt"`
	Duration int      `json:"durationMs"`
	From     int      `json:"from"`
	To       int      `json:"to"`
	WPM      *float64 `json:"wpm"`
	at       time.Time
}

type accessRow struct {
	ID      string `json:"accessId"`
	Account string `json:"account"`
	At      string `json:"at"`
	Kind    string `json:"kind"`
	at      time.Time
}

// first is the first day of the random worlds; their days follow it.
var first = time.Date(2026, 3, 30, 0, 0, 0, 0, time.UTC)

// worldDays is the number of days of a random world.
const worldDays = 40

// newWorld makes a world of two networks whose books are short, so that coverage meets itself, and whose times lie about
// midnight in Brasilia often.
func newWorld(r *rand.Rand) *world {
	w := &world{}
	degrees := []string{"I", "1", "5", "6", "9", "M", "M2", "F"}
	for n := range 2 {
		network := fmt.Sprintf("net-%d", n)
		w.entities = append(w.entities, entityRow{network, "network", "Rede " + network, "F", ""})
		for s := range 2 {
			school := fmt.Sprintf("%s/escola %d", network, s)
			w.entities = append(w.entities, entityRow{school, "school", "Escola " + school, "F", network})
			for c := range 2 {
				w.entities = append(w.entities, entityRow{fmt.Sprintf("%s-%c", school, 'a'+c), "class", fmt.Sprintf("Turma %d", c), pick(r, degrees), school})
			}
		}
	}
	kinds := []string{"reader", "reader", "reader", "teacher", "administrator", "internal"}
	for i := range 24 {
		e := pick(r, w.entities).Ref
		w.accounts = append(w.accounts, accountRow{fmt.Sprintf("conta-%02d", r.IntN(10)*10+i%10+i/10*100), pick(r, kinds), maybe(r, fmt.Sprintf("Nome %d", i)), maybe(r, fmt.Sprintf("n%d@example.com", i)), &e, r.IntN(5) > 0})
	}
	slices.SortFunc(w.accounts, func(a, b accountRow) int { return cmp.Compare(a.Ref, b.Ref) })
	w.accounts = slices.CompactFunc(w.accounts, func(a, b accountRow) bool { return a.Ref == b.Ref })
	for i := range 8 {
		w.books = append(w.books, bookRow{100 + 7*i, maybe(r, fmt.Sprintf("Livro \"%d\" <ç>", i)), maybe(r, "Autora"), maybe(r, "9780000000000"), 1 + r.IntN(60)})
	}
	w.someEvents(r, 600)
	return w
}

// someEvents adds n segments and a few accesses.
func (w *world) someEvents(r *rand.Rand, n int) {
	speeds := []float64{0, 4.999, 5, 5.5, 90, 250, 590, 800, 800.001, 1200}
	durations := []int{0, 1, 2999, 3000, 3001, 5999, 6000, 12345, 61000, 200000, 599999}
	for range n {
		s := segmentRow{Account: pick(r, w.accounts).Ref, Book: pick(r, w.books).ID, Duration: pick(r, durations), at: someTime(r)}
		s.ID = fmt.Sprintf("s%d", len(w.segments))
		s.Start = stamp(r, s.at)
		s.From = r.IntN(70)
		s.To = s.From + r.IntN(20)
		if r.IntN(4) > 0 {
			v := pick(r, speeds)
			s.WPM = &v
		}
		w.segments = append(w.segments, s)
	}
	kinds := []string{"login", "session", "reading", "audiobook", "activity", "assessment", "recommendation-received", "activity-received"}
	for range n / 8 {
		a := accessRow{ID: fmt.Sprintf("a%d", len(w.accesses)), Account: pick(r, w.accounts).Ref, Kind: pick(r, kinds), at: someTime(r)}
		a.At = stamp(r, a.at)
		w.accesses = append(w.accesses, a)
	}
}

// someTime is a time of the world's days, about midnight in Brasilia (03:00 UTC) one time in three.
func someTime(r *rand.Rand) time.Time {
	day := first.AddDate(0, 0, r.IntN(worldDays))
	if r.IntN(3) == 0 {
		return day.Add(3*time.Hour + time.Duration(r.IntN(5)-2)*time.Second)
	}
	return day.Add(time.Duration(r.IntN(24*3600*1000)) * time.Millisecond)
}

// stamp writes a time with one of several offsets.
func stamp(r *rand.Rand, t time.Time) string {
	zones := []*time.Location{time.UTC, time.FixedZone("", -3*3600), time.FixedZone("", 5*3600+1800)}
	return t.In(pick(r, zones)).Format("2006-01-02T15:04:05.000Z07:00")
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func maybe(r *rand.Rand, s string) *string {
	if r.IntN(4) == 0 {
		return nil
	}
	return &s
}

// day is the Brasilia day of a time.
func day(t time.Time) string { return t.UTC().Add(-3 * time.Hour).Format("2006-01-02") }

// query is one question to the model: a network and the filters of the API.
type query struct {
	network      string
	start, end   string
	user, school int // 0: not filtered
	profile      string
}

// identifiers are those that the service assigned, by reference.
type identifiers struct{ entities, accounts map[string]int }

// ids numbers entities and accounts as one load of everything does: by level, then reference.
func (w *world) ids() (entities, accounts map[string]int) {
	if w.assigned != nil {
		return w.assigned.entities, w.assigned.accounts
	}
	entities, accounts = map[string]int{}, map[string]int{}
	sorted := slices.Clone(w.entities)
	level := map[string]int{"network": 1, "school": 2, "class": 3}
	slices.SortFunc(sorted, func(a, b entityRow) int {
		return cmp.Or(cmp.Compare(level[a.Type], level[b.Type]), cmp.Compare(a.Ref, b.Ref))
	})
	for i, e := range sorted {
		entities[e.Ref] = i + 1
	}
	refs := make([]string, len(w.accounts))
	for i, a := range w.accounts {
		refs[i] = a.Ref
	}
	slices.Sort(refs)
	for i, ref := range refs {
		accounts[ref] = i + 1
	}
	return entities, accounts
}

func (w *world) entity(ref string) entityRow {
	i := slices.IndexFunc(w.entities, func(e entityRow) bool { return e.Ref == ref })
	if i < 0 {
		return entityRow{}
	}
	return w.entities[i]
}

// above returns the entity of the wanted type at or above one, or none.
func (w *world) above(ref, kind string) entityRow {
	for e := w.entity(ref); e.Ref != ""; e = w.entity(e.Parent) {
		if e.Type == kind {
			return e
		}
	}
	return entityRow{}
}

// chosen returns the accounts that a query sees, by userId.
func (w *world) chosen(q query) []accountRow {
	entities, ids := w.ids()
	var chosen []accountRow
	for _, a := range w.accounts {
		profile := map[string]string{"reader": "student", "teacher": "teacher"}[a.Kind]
		school := w.above(*a.Entity, "school")
		if profile == "" || w.above(*a.Entity, "network").Ref != q.network ||
			q.profile != "" && profile != q.profile ||
			q.user != 0 && ids[a.Ref] != q.user ||
			q.school != 0 && (school.Ref == "" || entities[school.Ref] != q.school) {
			continue
		}
		chosen = append(chosen, a)
	}
	slices.SortFunc(chosen, func(a, b accountRow) int { return cmp.Compare(ids[a.Ref], ids[b.Ref]) })
	return chosen
}

// effective is the rule of the specification.
func (s segmentRow) effective() bool {
	if s.WPM == nil {
		return s.Duration >= 3000
	}
	return *s.WPM >= 5 && *s.WPM <= 800
}

// users are the rows of the register.
func (w *world) users(q query) []string {
	entities, ids := w.ids()
	grades := map[string]string{
		"I": `null,"stage":"INFANTIL"`, "1": `1,"stage":"FUNDAMENTAL 1"`, "5": `5,"stage":"FUNDAMENTAL 1"`, "6": `6,"stage":"FUNDAMENTAL 2"`,
		"9": `9,"stage":"FUNDAMENTAL 2"`, "M": `null,"stage":"MEDIO"`, "M2": `null,"stage":"MEDIO"`, "F": `null,"stage":null`, "": `null,"stage":null`,
	}
	unit := func(e entityRow) string {
		if e.Ref == "" {
			return "null"
		}
		return fmt.Sprintf(`{"id":%d,"name":%s}`, entities[e.Ref], quote(&e.Name))
	}
	var rows []string
	for _, a := range w.chosen(q) {
		profile := map[string]string{"reader": "student", "teacher": "teacher"}[a.Kind]
		class := w.above(*a.Entity, "class")
		rows = append(rows, fmt.Sprintf(`{"userId":%d,"name":%s,"email":%s,"profile":"%s","school":%s,"class":%s,"grade":%s,"active":%t}`,
			ids[a.Ref], quote(a.Name), quote(a.Email), profile, unit(w.above(*a.Entity, "school")), unit(class), grades[class.Degree], a.Active))
	}
	return rows
}

func quote(s *string) string {
	if s == nil {
		return "null"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(*s) + `"`
}

// tenths shares the minutes of an account's day out among its books: largest remainder, ties to the lower book.
func (w *world) tenths(account, date string) map[int]int {
	ms := map[int]int{}
	total := 0
	for _, s := range w.segments {
		if s.Account == account && s.effective() && day(s.at) == date {
			ms[s.Book] += s.Duration
			total += s.Duration
		}
	}
	left := (total + 3000) / 6000
	share := map[int]int{}
	var books []int
	for book, n := range ms {
		share[book] = n / 6000
		left -= n / 6000
		books = append(books, book)
	}
	slices.SortFunc(books, func(a, b int) int { return cmp.Or(cmp.Compare(ms[b]%6000, ms[a]%6000), cmp.Compare(a, b)) })
	for _, book := range books[:left] {
		share[book]++
	}
	return share
}

// dates lists the days of the world that lie in the query's period.
func (q query) dates() []string {
	var dates []string
	for i := -2; i < worldDays+2; i++ {
		if d := first.AddDate(0, 0, i).Format("2006-01-02"); d >= q.start && d <= q.end {
			dates = append(dates, d)
		}
	}
	return dates
}

// engagements are the rows of days with access.
func (w *world) engagements(q query) []string {
	_, ids := w.ids()
	var rows []string
	for _, date := range q.dates() {
		for _, a := range w.chosen(q) {
			access := slices.ContainsFunc(w.segments, func(s segmentRow) bool { return s.Account == a.Ref && day(s.at) == date }) ||
				slices.ContainsFunc(w.accesses, func(x accessRow) bool {
					return x.Account == a.Ref && day(x.at) == date && !strings.HasSuffix(x.Kind, "-received")
				})
			if !access {
				continue
			}
			sum := 0
			for _, n := range w.tenths(a.Ref, date) {
				sum += n
			}
			rows = append(rows, fmt.Sprintf(`{"date":"%s","userId":%d,"readingMinutes":%d.%d}`, date, ids[a.Ref], sum/10, sum%10))
		}
	}
	return rows
}

// readings are the rows of what was read.
func (w *world) readings(q query) []string {
	_, ids := w.ids()
	var rows []string
	for _, a := range w.chosen(q) {
		minutes := map[int]int{}
		for _, date := range q.dates() {
			for book, n := range w.tenths(a.Ref, date) {
				minutes[book] += n
			}
		}
		for _, b := range w.books {
			if row := w.reading(q, a, b, minutes[b.ID]); row != "" {
				rows = append(rows, strings.Replace(row, "USER", fmt.Sprint(ids[a.Ref]), 1))
			}
		}
	}
	return rows
}

// reading is one row, or nothing where the account has no effective segment of the book in the period.
func (w *world) reading(q query, a accountRow, b bookRow, tenths int) string {
	read := make([]bool, b.Length)
	var starts []time.Time
	for _, s := range w.segments {
		if s.Account != a.Ref || s.Book != b.ID || !s.effective() || day(s.at) < q.start || day(s.at) > q.end {
			continue
		}
		starts = append(starts, s.at)
		for i := s.From; i < s.To && i < b.Length; i++ {
			read[i] = true
		}
	}
	if len(starts) == 0 {
		return ""
	}
	covered := 0
	for _, r := range read {
		if r {
			covered++
		}
	}
	percent := (covered*20000 + b.Length) / (2 * b.Length) // hundredths, half up
	slices.SortFunc(starts, time.Time.Compare)
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
	return fmt.Sprintf(`{"userId":USER,"book":{"id":%d,"title":%s,"author":%s,"isbn":%s},"percent":%d.%02d,"readingMinutes":%d.%d,"firstReadAt":"%s","lastReadAt":"%s","finished":%t}`,
		b.ID, quote(b.Title), quote(b.Author), quote(b.ISBN), percent/100, percent%100, tenths/10, tenths%10,
		at(starts[0]), at(starts[len(starts)-1]), percent >= 5000)
}
