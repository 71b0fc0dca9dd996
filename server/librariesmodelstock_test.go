package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// linesOf are a title's lines, own or of the platform, in the order in which they are consumed (L8, L9).
func (m *shelves) linesOf(title int, own bool) (lines []lineRow) {
	for _, l := range m.lines {
		exists := l.Kind == "purchase" || l.Collection == "platform" || l.Copies != nil && *l.Copies > 0
		if l.Title == title && exists && own == (l.Collection != "platform") {
			lines = append(lines, l)
		}
	}
	slices.SortFunc(lines, func(a, b lineRow) int {
		return cmp.Or(cmp.Compare(purchased(a), purchased(b)), cmp.Compare(a.Number, b.Number), -cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.ID, b.ID))
	})
	return lines
}

// purchased is the day of purchase that a line shows.
func purchased(l lineRow) string {
	if l.Kind == "legacy" {
		return max(dayOf(l.Purchased), shelvesStart)
	}
	return dayOf(l.Purchased)
}

// model is the loans that a copy of a title is good for.
func model(t titleRow) int {
	if t.MaxUses == nil {
		return 26
	}
	return *t.MaxUses
}

// possible is the readings that an own line can serve.
func (m *shelves) possible(l lineRow) int {
	switch {
	case l.Copies == nil:
		return 0
	case l.Collection == "external":
		return *l.Copies
	}
	return *l.Copies * model(m.titles[l.Title])
}

// capacity is what a title's own lines can serve.
func (m *shelves) capacity(title int) (n int) {
	for _, l := range m.linesOf(title, true) {
		n += m.possible(l)
	}
	return n
}

// origin is the collection that a title shows, nil where it has none.
func (m *shelves) origin(title int) *string {
	if own := m.linesOf(title, true); len(own) > 0 {
		return new(own[0].Collection)
	}
	if len(m.linesOf(title, false)) > 0 {
		return new("platform")
	}
	return nil
}

// lent counts a title's loans.
func (m *shelves) lent(title int, is func(l loanRow) bool) (n int) {
	for _, l := range m.loans {
		n += one(l.Title == title && is(l))
	}
	return n
}

// readings are a title's pairs with progress of 10 or more and a loan (L9).
func (m *shelves) readings(title int) (n int) {
	for p := range m.day10 {
		n += one(p.title == title && m.lent(title, func(l loanRow) bool { return l.Reader == p.reader }) > 0)
	}
	return n
}

// confirmed counts the loans of a title whose reader has a session of it from their day to that of their return (L7).
func (m *shelves) confirmed(title int) int {
	return m.lent(title, func(l loanRow) bool {
		for _, e := range m.events {
			if e.resource == "session" && e.reader == l.Reader && e.title == title && day(e.at) >= dayOf(l.Borrowed) &&
				(l.Status == "active" || day(e.at) <= dayOf(*l.Returned)) {
				return true
			}
		}
		return false
	})
}

// titleMatches reports whether a title passes the filters that books and stock share, but for the collection.
func titleMatches(q url.Values, t titleRow) bool {
	has := func(name string, ids []int) bool {
		return !q.Has(name) || slices.ContainsFunc(ids, func(id int) bool { return q.Get(name) == strconv.Itoa(id) })
	}
	return (!q.Has("search") || finds(q.Get("search"), t.Title, t.ISBN)) && matches(q, "publisherId", t.Publisher) &&
		has("categoryId", t.Categories) &&
		has("subjectId", t.Subjects) && matches(q, "bookId", &t.ID) && matches(q, "publicationYear", t.Year)
}

// ranked is a row with what it is ordered by.
type ranked struct {
	row    object
	column any // the value of the column of its order
	title  string
	id     int
}

// inOrder orders rows by their column, then by title and identifier (L15).
func inOrder(rows []ranked, dir string) (sorted []any) {
	slices.SortFunc(rows, func(a, b ranked) int {
		var by int
		switch v := a.column.(type) {
		case string: // the title
			by = cmp.Compare(a.title, b.title)
		case json.Number: // of four decimals each
			by = cmp.Or(cmp.Compare(len(v), len(b.column.(json.Number))), cmp.Compare(v, b.column.(json.Number)))
		case int:
			by = cmp.Compare(v, b.column.(int))
		}
		if dir != "asc" {
			by = -by
		}
		return cmp.Or(by, cmp.Compare(a.title, b.title), cmp.Compare(a.id, b.id))
	})
	for _, r := range rows {
		sorted = append(sorted, r.row)
	}
	return sorted
}

func (m *shelves) books(q url.Values, in func(string) bool) []any {
	var rows []ranked
	for id, t := range m.titles {
		own := m.linesOf(id, true)
		all := append(slices.Clone(own), m.linesOf(id, false)...)
		wanted := q.Get("collection")
		if !titleMatches(q, t) || q.Has("author") && !strings.Contains(plain(textOf(t.Author)), plain(q.Get("author"))) ||
			wanted != "" && wanted != "all" && !slices.ContainsFunc(all, func(l lineRow) bool { return l.Collection == wanted }) ||
			q.Get("format") == "ebook" && !t.Ebook || q.Get("format") == "audiobook" && !t.Audiobook {
			continue
		}
		c := m.count(func(d string, _, title int) bool { return in(d) && title == id })
		active := m.waiting(func(r holdRow) bool { return r.Title == id })
		var uses, copies, consumed, available any
		if len(own) > 0 {
			uses, copies, consumed, available = model(t), m.capacity(id), m.confirmed(id), max(0, m.capacity(id)-m.confirmed(id))
		}
		row := object{
			"bookId", id, "title", textOf(t.Title), "isbn", t.ISBN, "author", t.Author, "publisher", m.term("publishers",
				t.Publisher), "collection", m.origin(id),
			"hasEbook", t.Ebook, "hasAudiobook", t.Audiobook, "model", uses, "copies", copies, "consumedCopies", consumed,
			"availableCopies", available,
			"loans", c.loans, "returns", c.returns, "readings10", c.readings10, "readings50", c.readings50, "renewals", c.renewals,
			"readingSeconds", c.seconds,
			"reservations", c.reservations, "convertedReservations", c.converted, "activeReservations", active,
		}
		rows = append(rows, ranked{row, row.field(cmp.Or(q.Get("orderBy"), "loans")), plain(textOf(t.Title)), id})
	}
	return inOrder(rows, q.Get("orderDir"))
}

// bands are those of consumption (L10), by their upper bounds.
var bands = []struct {
	name string
	upTo int
}{{"1-10", 10}, {"11-20", 20}, {"21-30", 30}, {"31-40", 40}, {"41-50", 50}, {"51-60", 60}, {"61-70", 70}, {"71-80", 80},
	{"81-90", 90}, {"91-100", 100}}

func bandOf(readings, possible int) string {
	if readings == 0 || possible == 0 {
		return "0"
	}
	for _, b := range bands {
		if readings*100 <= b.upTo*possible {
			return b.name
		}
	}
	return "101+"
}

// amount is a price as a line shows it.
func amount(l lineRow, price any) string {
	if l.Kind == "legacy" || price == nil {
		return "0"
	}
	whole, cents, _ := strings.Cut(fmt.Sprint(price), ".")
	if text := whole + "." + (cents + "00")[:2]; text != "0.00" {
		return text
	}
	return "0"
}

// purchases allocates a title's readings to its own lines, oldest first.
func (m *shelves) purchases(title int) (all []object) {
	left := m.readings(title)
	for _, l := range m.linesOf(title, true) {
		consumed := min(left, m.possible(l))
		left -= consumed
		label, copies, expires := fmt.Sprintf("Compra %d", l.Number), l.Copies, dayOrNull(l.Expires)
		if l.Kind == "legacy" {
			label, copies = fmt.Sprintf("Legado %d", l.Number), nil
			if expires != nil && *expires < "2026-01-01" {
				expires = nil
			}
		}
		all = append(all, object{
			"purchaseId", label, "modality", l.Modality, "model", model(m.titles[title]), "copies", copies, "possibleReadings", m.possible(l),
			"consumed", consumed, "percentage", ratio(consumed, m.possible(l)), "purchasedAt", purchased(l),
			"unitPrice", amount(l, l.Unit), "totalPrice", amount(l, l.Total), "expiresAt", expires,
		})
	}
	return all
}

func (m *shelves) stock(q url.Values) []any {
	var rows []ranked
	bought := between(q.Get("purchasedFrom"), q.Get("purchasedTo"))
	for id, t := range m.titles {
		readings, possible := m.readings(id), m.capacity(id)
		if !titleMatches(q, t) || q.Has("consumptionBand") && q.Get("consumptionBand") != bandOf(readings, possible) ||
			!slices.ContainsFunc(m.linesOf(id, true), func(l lineRow) bool {
				return bought(purchased(l)) && (!q.Has("collection") || q.Get("collection") == l.Collection)
			}) {
			continue
		}
		row := object{
			"bookId", id, "title", textOf(t.Title), "activeLoans", m.lent(id,
				func(l loanRow) bool { return l.Status == "active" }), "readings", readings,
			"possibleReadings", possible, "percentage", ratio(readings, possible),
			"activeReservations", m.waiting(func(r holdRow) bool { return r.Title == id }), "purchases", m.purchases(id),
		}
		rows = append(rows, ranked{row, row.field(cmp.Or(q.Get("orderBy"), "percentage")), plain(textOf(t.Title)), id})
	}
	return inOrder(rows, q.Get("orderDir"))
}

// Registers and lists.

// together is the highest share that a reader reached of a title, and the time that they read it.
func (m *shelves) together(reader, title int) (percent json.Number, seconds int) {
	highest := 0
	for _, e := range m.events {
		if e.resource == "session" && e.reader == reader && e.title == title {
			seconds += e.session.Seconds
			highest = max(highest, tenThousandths(e.session.Progress))
		}
	}
	n := (highest + 50) / 100
	return json.Number(fmt.Sprintf("%d.%02d", n/100, n%100)), seconds
}

func (m *shelves) loanRows(q url.Values, in func(string) bool) (rows []any) {
	for _, l := range slices.SortedFunc(maps.Values(m.loans), func(a, b loanRow) int {
		return cmp.Or(cmp.Compare(dayOf(a.Borrowed), dayOf(b.Borrowed)), cmp.Compare(a.ID, b.ID))
	}) {
		if in(dayOf(l.Borrowed)) && matches(q, "userId", &l.Reader) && matches(q, "bookId", &l.Title) && (!q.Has("status") ||
			q.Get("status") == l.Status) {
			t := m.titles[l.Title]
			percent, seconds := m.together(l.Reader, l.Title)
			rows = append(rows, object{
				"loanId", l.ID, "userId", l.Reader, "bookId", l.Title, "title", textOf(t.Title), "isbn", t.ISBN, "author", t.Author,
				"borrowedAt", dayOf(l.Borrowed),
				"dueAt", dayOrNull(l.Due), "returnedAt", dayOrNull(l.Returned), "status", l.Status, "readingSeconds", seconds, "progress", percent,
			})
		}
	}
	return rows
}

func (m *shelves) reservationRows(q url.Values, in func(string) bool) (rows []any) {
	for _, r := range slices.SortedFunc(maps.Values(m.reservations), func(a, b holdRow) int {
		return cmp.Or(cmp.Compare(dayOf(a.Reserved), dayOf(b.Reserved)), cmp.Compare(a.ID, b.ID))
	}) {
		if in(dayOf(r.Reserved)) && matches(q, "userId", &r.Reader) && matches(q, "bookId", &r.Title) && (!q.Has("status") ||
			q.Get("status") == r.Status) {
			t := m.titles[r.Title]
			position := r.Position
			if r.Status != "waiting" && r.Status != "available" {
				position = nil
			}
			rows = append(rows, object{
				"reservationId", r.ID, "userId", r.Reader, "bookId", r.Title, "title", textOf(t.Title), "isbn", t.ISBN, "status",
				r.Status, "position", position,
				"titleQueue", m.waiting(func(other holdRow) bool { return other.Title == r.Title }), "reservedAt", dayOf(r.Reserved),
				"resolvedAt", dayOrNull(r.Resolved),
			})
		}
	}
	return rows
}

func (m *shelves) logins(q url.Values, from, to string) (rows []any) {
	seen := m.seenAt()
	for d := from; d <= to; d = plus(d, 1) {
		for _, reader := range slices.Sorted(maps.Keys(seen)) {
			if times := seen[reader][d]; len(times) > 0 && matches(q, "userId", &reader) {
				rows = append(rows, object{"userId", reader, "date", d, "firstSeenAt", datetime(slices.MinFunc(times, time.Time.Compare)),
					"lastSeenAt", datetime(slices.MaxFunc(times, time.Time.Compare)), "events", len(times)})
			}
		}
	}
	return rows
}

// channelNames are the channels in the order of the specification.
var channelNames = []string{"web-mobile", "web-desktop", "web-tablet", "app"}

func (m *shelves) channelRows(q url.Values, in func(string) bool) (rows []any) {
	for _, r := range slices.SortedFunc(maps.Values(m.channels), func(a, b channelRow) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), slices.Index(channelNames, a.Channel)-slices.Index(channelNames, b.Channel))
	}) {
		if in(r.Date) && (!q.Has("channel") || q.Get("channel") == r.Channel) {
			r.Estimated = new(r.Channel == "app")
			rows = append(rows, r)
		}
	}
	return rows
}

// requested are the requests of a period, the oldest first.
func (m *shelves) requested(in func(string) bool) (all []requestRow) {
	for _, r := range m.requests {
		if in(dayOf(r.At)) {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b requestRow) int {
		return cmp.Or(instantOf(a.At).Compare(instantOf(b.At)), cmp.Compare(a.ID, b.ID))
	})
	return all
}

func (m *shelves) suggestions(q url.Values, in func(string) bool) (rows []any) {
	groups := map[[4]string][]requestRow{} // each with the oldest first
	for _, r := range m.requested(in) {
		if !q.Has("search") || finds(q.Get("search"), r.Title, nil) || finds(q.Get("search"), r.Term, nil) {
			k := [4]string{plain(textOf(r.Title)), plain(textOf(r.Author)), plain(textOf(r.Publisher)), plain(textOf(r.Term))}
			groups[k] = append(groups[k], r)
		}
	}
	last := func(k [4]string) requestRow { return groups[k][len(groups[k])-1] }
	for _, k := range slices.SortedFunc(maps.Keys(groups), func(a, b [4]string) int {
		by := cmp.Or(-cmp.Compare(len(groups[a]), len(groups[b])), -cmp.Compare(dayOf(last(a).At), dayOf(last(b).At)))
		for i := range a {
			by = cmp.Or(by, one(a[i] == "")-one(b[i] == ""), cmp.Compare(a[i], b[i]))
		}
		return by
	}) {
		readers := map[int]bool{}
		for _, r := range groups[k] {
			readers[r.Reader] = true
		}
		r := last(k)
		rows = append(rows, object{"title", r.Title, "author", r.Author, "publisher", r.Publisher, "searchTerm", r.Term,
			"requestsCount", len(groups[k]),
			"uniqueUsers", len(readers), "availability", r.Availability, "lastRequestedAt", dayOf(r.At)})
	}
	return rows
}

func (m *shelves) requestRows(q url.Values, in func(string) bool) (rows []any) {
	whole := func(name string, s *string) bool {
		bare := func(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
		return !q.Has(name) || s != nil && bare(*s) == bare(q.Get(name))
	}
	for _, r := range m.requested(in) {
		if matches(q, "userId", &r.Reader) && whole("title", r.Title) && whole("author", r.Author) {
			rows = append(rows, object{"userId", r.Reader, "title", r.Title, "author", r.Author, "searchTerm", r.Term, "requestedAt", dayOf(r.At)})
		}
	}
	return rows
}

// The summary and the dimensions.
