package server_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A shelves is what a library network's feeds have said, row by row, and the answers that follow from the specification,
// worked out the slow way: every row is looked at again for every number. It is written from the specification and the
// contract alone, and shares no code with the product.
type shelves struct {
	today   string    // the day of the server's clock
	updated time.Time // the hour of the last load

	terms        map[string]map[int]string // by resource
	titles       map[int]titleRow
	lines        map[int]lineRow
	readers      map[int]readerRow
	loans        map[int]loanRow
	reservations map[int]holdRow
	channels     map[[2]string]channelRow
	events       map[eventKey]eventRow
	requests     map[eventKey]requestRow

	day10, day50 map[pair]string // on which the pair first reached the share: see settle
}

// eventKey is what makes an event one that was loaded already (F1).
type eventKey struct {
	resource, id string
	reader       int
	day          string
}

// eventRow is a renewal, session, preview or activity record.
type eventRow struct {
	resource      string
	reader, title int
	at            time.Time
	session       sessionRow
}

type pair struct{ reader, title int }

// shelvesStart is the first day of the history (G6).
const shelvesStart = "2026-07-21"

func newShelves() *shelves {
	return &shelves{
		terms:  map[string]map[int]string{"libraries": {}, "ageGroups": {}, "publishers": {}, "categories": {}, "subjects": {}},
		titles: map[int]titleRow{}, lines: map[int]lineRow{}, readers: map[int]readerRow{},
		loans: map[int]loanRow{}, reservations: map[int]holdRow{}, channels: map[[2]string]channelRow{},
		events: map[eventKey]eventRow{}, requests: map[eventKey]requestRow{},
	}
}

// instantOf is the time of a feed's text.
func instantOf(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

// dayOf is the day of a feed's text, which is one or a time.
func dayOf(s string) string {
	if len(s) == len("2006-01-02") {
		return s
	}
	return day(instantOf(s))
}

// plus returns the day n days after another.
func plus(d string, n int) string {
	t, err := time.Parse(time.DateOnly, d)
	if err != nil {
		panic(err)
	}
	return t.AddDate(0, 0, n).Format(time.DateOnly)
}

// load takes a feed: of each resource its rows, in the order of their lines.
func (m *shelves) load(updated time.Time, feed map[string][]any) {
	m.updated = updated
	for name := range m.terms {
		for _, row := range feed[name] {
			m.terms[name][row.(termRow).ID] = row.(termRow).Name
		}
	}
	for _, row := range slices.Concat(feed["books"], feed["lines"], feed["channels"], feed["readers"], feed["loans"], feed["reservations"]) {
		m.register(row)
	}
	for _, row := range slices.Concat(feed["renewals"], feed["sessions"], feed["previews"], feed["activity"], feed["suggestions"]) {
		m.event(row)
	}
	m.settle()
}

// register takes a row that replaces the former one of its key (F1).
func (m *shelves) register(row any) {
	switch r := row.(type) {
	case titleRow:
		m.titles[r.ID] = r
	case lineRow:
		m.lines[r.ID] = r
	case channelRow:
		m.channels[[2]string{r.Date, r.Channel}] = r
	case readerRow:
		if had, known := m.readers[r.ID]; known && instantOf(r.Updated).Before(instantOf(had.Updated)) {
			return
		}
		if r.Status == "deleted" {
			r.Email = nil
		}
		m.readers[r.ID] = r
	case loanRow:
		if dayOf(r.Borrowed) >= shelvesStart {
			m.loans[r.ID] = r
		}
	case holdRow:
		if dayOf(r.Reserved) >= shelvesStart {
			m.reservations[r.ID] = r
		}
	}
}

// event takes a row that is ignored where its id, reader and day were loaded already, or before the history (F1, G6).
func (m *shelves) event(row any) {
	var id any
	var e eventRow
	switch r := row.(type) {
	case renewalRow:
		id, e = r.ID, eventRow{"renewal", r.Reader, r.Title, instantOf(r.At), sessionRow{}}
	case sessionRow:
		id, e = r.ID, eventRow{"session", r.Reader, r.Title, instantOf(r.Start), r}
	case previewRow:
		id, e = r.ID, eventRow{"preview", r.Reader, r.Title, instantOf(r.At), sessionRow{}}
	case activityRow:
		id, e = r.ID, eventRow{"activity", r.Reader, 0, instantOf(r.At), sessionRow{}}
	case requestRow:
		id, e = r.ID, eventRow{"suggestion", r.Reader, 0, instantOf(r.At), sessionRow{}}
	}
	key := eventKey{e.resource, fmt.Sprint(id), e.reader, day(e.at)}
	if key.day < shelvesStart {
		return
	}
	if r, is := row.(requestRow); is {
		if _, loaded := m.requests[key]; !loaded {
			m.requests[key] = r
		}
		return
	}
	if _, loaded := m.events[key]; !loaded {
		m.events[key] = e
	}
}

// settle finds the day on which each pair first reached 10 and 50 percent (L4).
func (m *shelves) settle() {
	m.day10, m.day50 = map[pair]string{}, map[pair]string{}
	for _, e := range m.events {
		if e.resource != "session" {
			continue
		}
		p, d := pair{e.reader, e.title}, day(e.at)
		for share, first := range map[int]map[pair]string{10_0000: m.day10, 50_0000: m.day50} {
			if was, reached := first[p]; tenThousandths(e.session.Progress) >= share && (!reached || d < was) {
				first[p] = d
			}
		}
	}
}

// tenThousandths is a share of at most four decimals, exactly.
func tenThousandths(n json.Number) int {
	whole, decimals, _ := strings.Cut(n.String(), ".")
	v, err := strconv.Atoi(whole + (decimals + "0000")[:4])
	if err != nil || len(decimals) > 4 {
		panic("progress " + n.String())
	}
	return v
}

// seenAt lists the times of a reader's activity by day (L3).
func (m *shelves) seenAt() map[int]map[string][]time.Time {
	all := map[int]map[string][]time.Time{}
	see := func(reader int, at time.Time) {
		if all[reader] == nil {
			all[reader] = map[string][]time.Time{}
		}
		all[reader][day(at)] = append(all[reader][day(at)], at)
	}
	for _, e := range m.events {
		see(e.reader, e.at)
	}
	for _, l := range m.loans {
		see(l.Reader, instantOf(l.Borrowed))
		if l.Status == "returned" {
			see(l.Reader, instantOf(*l.Returned))
		}
	}
	for _, r := range m.reservations {
		see(r.Reader, instantOf(r.Reserved))
	}
	return all
}

// counts are what is counted in a scope.
type counts struct {
	logins, loans, returns, readings10, readings50, previews, seconds, renewals, reservations int
	// The first of those made on a day of the scope, the others of those resolved on one.
	convertedOfMade, converted, cancelled, lost int
	modeSessions, modeSeconds                   map[string]int
	listened                                    int
	present, listeners, read                    map[int]bool // readers, readers, titles
}

// count counts what in includes; the title of a day of activity is 0.
func (m *shelves) count(in func(day string, reader, title int) bool) counts {
	c := counts{modeSessions: map[string]int{}, modeSeconds: map[string]int{}, present: map[int]bool{},
		listeners: map[int]bool{}, read: map[int]bool{}}
	for reader, days := range m.seenAt() {
		for d := range days {
			if in(d, reader, 0) {
				c.logins++
				c.present[reader] = true
			}
		}
	}
	for _, l := range m.loans {
		c.loans += one(in(dayOf(l.Borrowed), l.Reader, l.Title))
		c.returns += one(l.Returned != nil && in(dayOf(*l.Returned), l.Reader, l.Title))
	}
	for p, d := range m.day10 {
		c.readings10 += one(in(d, p.reader, p.title))
	}
	for p, d := range m.day50 {
		c.readings50 += one(in(d, p.reader, p.title))
	}
	for _, r := range m.reservations {
		made := in(dayOf(r.Reserved), r.Reader, r.Title)
		resolved := r.Resolved != nil && in(dayOf(*r.Resolved), r.Reader, r.Title)
		c.reservations += one(made)
		c.convertedOfMade += one(made && r.Status == "converted")
		c.converted += one(resolved && r.Status == "converted")
		c.cancelled += one(resolved && r.Status == "cancelled")
		c.lost += one(resolved && r.Status == "lost")
	}
	for _, e := range m.events {
		if !in(day(e.at), e.reader, e.title) {
			continue
		}
		c.previews += one(e.resource == "preview")
		c.renewals += one(e.resource == "renewal")
		if e.resource != "session" {
			continue
		}
		c.read[e.title] = true
		c.seconds += e.session.Seconds
		c.modeSessions[e.session.Mode]++
		c.modeSeconds[e.session.Mode] += e.session.Seconds
		if e.session.Format == "audiobook" {
			c.listened += e.session.Seconds
			c.listeners[e.reader] = true
		}
	}
	return c
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// waiting counts the reservations that are active now.
func (m *shelves) waiting(of func(r holdRow) bool) (n int) {
	for _, r := range m.reservations {
		n += one((r.Status == "waiting" || r.Status == "available") && of(r))
	}
	return n
}

// Texts.

// plain folds a text (L15).
func plain(s string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	return strings.Join(strings.Fields(strings.ToLower(letters)), " ")
}

// textOf is a nullable text, empty where it is null.
func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// finds reports whether a search finds a text, or an ISBN by its digits (L15).
func finds(search string, text, isbn *string) bool {
	if strings.Contains(plain(textOf(text)), plain(search)) {
		return true
	}
	digits := strings.NewReplacer("-", "", " ", "")
	wanted := digits.Replace(search)
	return wanted != "" && strings.Trim(wanted, "0123456789") == "" && strings.Contains(digits.Replace(textOf(isbn)), wanted)
}

// ratio is a fraction with four decimals, rounded half up, 0 without a whole (G5, L9).
func ratio(part, whole int) json.Number {
	if whole == 0 {
		return "0.0000"
	}
	n := (part*20000 + whole) / (2 * whole)
	return json.Number(fmt.Sprintf("%d.%04d", n/10000, n%10000))
}

// object is a JSON object with its keys in order: key, value, key, value…
type object []any

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, v := range o {
		b.WriteByte("{:,:"[min(i, 2+i%2)])
		if err := enc.Encode(v); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// field is the value of a key.
func (o object) field(key string) any { return o[slices.Index(o, any(key))+1] }

// Questions.

// matches reports whether a filter that may be absent is a value that may be null.
func matches(q url.Values, name string, value *int) bool {
	return !q.Has(name) || value != nil && q.Get(name) == strconv.Itoa(*value)
}

// period is that of a question on a route where both days are optional (L2).
func (m *shelves) period(q url.Values) (from, to string) {
	to = cmp.Or(q.Get("endDate"), m.today)
	from = cmp.Or(q.Get("startDate"), plus(to, -30))
	return min(from, to), max(from, to)
}

// between returns the test whether a day is in a filter that may be open (L2).
func between(from, to string) func(d string) bool {
	if from != "" && to != "" && from > to {
		from, to = to, from
	}
	return func(d string) bool { return (from == "" || d >= from) && (to == "" || d <= to) }
}

type pageJSON struct {
	Page      int `json:"page"`
	PageSize  int `json:"pageSize"`
	TotalRows int `json:"totalRows"`
}

// cut returns the page of a question.
func cut(q url.Values, rows []any) ([]any, *pageJSON) {
	number, _ := strconv.Atoi(cmp.Or(q.Get("page"), "1"))
	size, _ := strconv.Atoi(cmp.Or(q.Get("pageSize"), "100"))
	from := min((number-1)*size, len(rows))
	return rows[from:min(from+size, len(rows))], &pageJSON{number, size, len(rows)}
}

// answer is the whole body that a route answers a question with.
func (m *shelves) answer(route string, q url.Values) string {
	type periodJSON struct {
		Start string `json:"startDate"`
		End   string `json:"endDate"`
	}
	var body struct {
		Meta struct {
			Updated *string     `json:"updatedAt"`
			Period  *periodJSON `json:"period,omitempty"`
			Page    *pageJSON   `json:"page,omitempty"`
		} `json:"meta"`
		Data any `json:"data"`
	}
	if !m.updated.IsZero() {
		body.Meta.Updated = new(datetime(m.updated))
	}
	from, to := m.period(q)
	if route != "users" && route != "dimensions" && route != "datasets/stock" { // L21
		body.Meta.Period = &periodJSON{from, to}
	}
	switch route {
	case "summary":
		body.Data, body.Meta.Page = m.summary(q)
	case "dimensions":
		body.Data = m.dimensions()
	default:
		rows := m.rows(route, q)
		if route != "datasets/channels" {
			rows, body.Meta.Page = cut(q, rows)
		}
		body.Data = map[string]any{"rows": append([]any{}, rows...)}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// datetime writes a time in Brasilia.
func datetime(t time.Time) string {
	return t.UTC().Add(-3 * time.Hour).Format(time.DateTime)
}

func datetimeOrNull(s *string) *string {
	if s == nil {
		return nil
	}
	return new(datetime(instantOf(*s)))
}

func dayOrNull(s *string) *string {
	if s == nil {
		return nil
	}
	return new(dayOf(*s))
}

// rows are all rows of a list.
func (m *shelves) rows(route string, q url.Values) []any {
	from, to := m.period(q)
	in := between(from, to)
	switch route {
	case "engagements":
		return m.engagements(q, from, to)
	case "users":
		return m.users(q)
	case "datasets/books":
		return m.books(q, in)
	case "datasets/stock":
		return m.stock(q)
	case "datasets/loans":
		return m.loanRows(q, in)
	case "datasets/reservations":
		return m.reservationRows(q, in)
	case "datasets/logins":
		return m.logins(q, from, to)
	case "datasets/channels":
		return m.channelRows(q, in)
	case "datasets/suggestions":
		return m.suggestions(q, in)
	case "datasets/suggestion-requests":
		return m.requestRows(q, in)
	}
	panic(route)
}

func (m *shelves) engagements(q url.Values, from, to string) (rows []any) {
	for d := from; d <= to; d = plus(d, 1) {
		for _, reader := range slices.Sorted(maps.Keys(m.readers)) {
			if !matches(q, "userId", &reader) {
				continue
			}
			c := m.count(func(day string, r, _ int) bool { return day == d && r == reader })
			metrics := object{"logins", c.logins, "loans", c.loans, "returns", c.returns, "readings10", c.readings10, "readings50", c.readings50,
				"previews", c.previews, "distinctBooks", len(c.read), "readingSeconds", c.seconds, "renewals", c.renewals,
				"reservations", c.reservations,
				"reservationsConverted", c.convertedOfMade}
			if slices.ContainsFunc(metrics, func(v any) bool { n, is := v.(int); return is && n != 0 }) {
				rows = append(rows, append(object{"date", d, "userId", reader}, metrics...))
			}
		}
	}
	return rows
}

// genderOf is the canonical gender of a reader (L18).
func genderOf(r readerRow) string {
	for _, g := range []string{"Feminino", "Masculino", "Não-binário", "Outro"} {
		if plain(textOf(r.Gender)) == plain(g) {
			return g
		}
	}
	return "Não informado"
}

// term is the name of a reader's or title's term, nil without one.
func (m *shelves) term(resource string, id *int) *string {
	if id == nil {
		return nil
	}
	return new(m.terms[resource][*id])
}

func (m *shelves) users(q url.Values) (rows []any) {
	registered := between(q.Get("registeredFrom"), q.Get("registeredTo"))
	for _, id := range slices.Sorted(maps.Keys(m.readers)) {
		r := m.readers[id]
		if !matches(q, "userId", &id) || !matches(q, "libraryId", r.Library) || q.Has("status") && q.Get("status") != r.Status ||
			!registered(dayOf(r.Registered)) || dayOf(r.Updated) < q.Get("updatedSince") {
			continue
		}
		rows = append(rows, object{
			"userId", id, "name", textOf(r.Name), "email", textOf(r.Email), "library", m.term("libraries", r.Library), "ageGroup",
			m.term("ageGroups", r.AgeGroup),
			"city", r.City, "state", r.State, "gender", genderOf(r), "registeredAt", dayOf(r.Registered), "status", r.Status,
			"deletedAt", dayOrNull(r.Deleted),
			"updatedAt", instantOf(r.Updated).UTC().Format("2006-01-02T15:04:05Z"),
			"confirmedAt", datetimeOrNull(r.Confirmed), "lastSignInAt", datetimeOrNull(r.LastSignIn), "totalLoans", m.loansOf(id),
		})
	}
	return rows
}

// loansOf counts the loans of a reader, ever.
func (m *shelves) loansOf(reader int) (n int) {
	for _, l := range m.loans {
		n += one(l.Reader == reader)
	}
	return n
}

// Stock.
