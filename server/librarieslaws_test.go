package server_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries/librariesdb"
	"github.com/lectern-dev/lectern/server"
	"github.com/lectern-dev/lectern/server/database"
	"github.com/lectern-dev/lectern/server/database/dbtest"
	"github.com/lectern-dev/lectern/server/internal/load"
)

// Random library networks, their feeds in pieces, and the laws that every answer keeps: it is the slow model's, and the
// blocks agree with each other.

// shelvesEnd is the last day of the random networks; the first is six days before the history. The clock stands at noon of
// the day after.
const shelvesEnd = "2026-09-05"

func shelvesNow() time.Time { return time.Date(2026, 9, 6, 15, 20, 0, 0, time.UTC) }

// The rows of a feed; a nil is a null.
type (
	termRow struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	titleRow struct {
		ID         int     `json:"bookId"`
		Title      *string `json:"title"`
		ISBN       *string `json:"isbn"`
		Author     *string `json:"author"`
		Publisher  *int    `json:"publisherId"`
		Categories []int   `json:"categoryIds"`
		Subjects   []int   `json:"subjectIds"`
		Ebook      bool    `json:"hasEbook"`
		Audiobook  bool    `json:"hasAudiobook"`
		Video      bool    `json:"hasVideo"`
		MaxUses    *int    `json:"maxUses"`
		Year       *int    `json:"publicationYear"`
	}
	lineRow struct {
		ID         int     `json:"lineId"`
		Title      int     `json:"bookId"`
		Collection string  `json:"collection"`
		Kind       string  `json:"kind"`
		Number     int     `json:"number"`
		Modality   *string `json:"modality"`
		Copies     *int    `json:"copies"`
		Unit       any     `json:"unitPrice"` // null, a number or a string
		Total      any     `json:"totalPrice"`
		Purchased  string  `json:"purchasedAt"`
		Expires    *string `json:"expiresAt"`
	}
	readerRow struct {
		ID         int     `json:"userId"`
		Name       *string `json:"name"`
		Email      *string `json:"email"`
		Library    *int    `json:"libraryId"`
		AgeGroup   *int    `json:"ageGroupId"`
		City       *string `json:"city"`
		State      *string `json:"state"`
		RA         *string `json:"ra"`
		Gender     *string `json:"gender"`
		Registered string  `json:"registeredAt"`
		Status     string  `json:"status"`
		Deleted    *string `json:"deletedAt"`
		Updated    string  `json:"updatedAt"`
		Confirmed  *string `json:"confirmedAt"`
		LastSignIn *string `json:"lastSignInAt"`
	}
	loanRow struct {
		ID       int     `json:"loanId"`
		Reader   int     `json:"userId"`
		Title    int     `json:"bookId"`
		Borrowed string  `json:"borrowedAt"`
		Due      *string `json:"dueAt"`
		Returned *string `json:"returnedAt"`
		Status   string  `json:"status"`
	}
	renewalRow struct {
		ID     any    `json:"renewalId"` // a string or a number, as of all events
		Loan   int    `json:"loanId"`
		Reader int    `json:"userId"`
		Title  int    `json:"bookId"`
		At     string `json:"renewedAt"`
	}
	holdRow struct {
		ID       int     `json:"reservationId"`
		Reader   int     `json:"userId"`
		Title    int     `json:"bookId"`
		Status   string  `json:"status"`
		Position *int    `json:"position"`
		Reserved string  `json:"reservedAt"`
		Resolved *string `json:"resolvedAt"`
	}
	sessionRow struct {
		ID       any         `json:"sessionId"`
		Reader   int         `json:"userId"`
		Title    int         `json:"bookId"`
		Start    string      `json:"startedAt"`
		Seconds  int         `json:"seconds"`
		Mode     string      `json:"mode"`
		Format   string      `json:"format"`
		Progress json.Number `json:"progress"`
	}
	previewRow struct {
		ID     any    `json:"previewId"`
		Reader int    `json:"userId"`
		Title  int    `json:"bookId"`
		At     string `json:"viewedAt"`
	}
	activityRow struct {
		ID     any    `json:"activityId"`
		Reader int    `json:"userId"`
		At     string `json:"at"`
	}
	channelRow struct {
		Date      string `json:"date"`
		Channel   string `json:"channel"`
		Sessions  int    `json:"sessions"`
		Estimated *bool  `json:"estimated"`
	}
	requestRow struct {
		ID           int     `json:"requestId"`
		Reader       int     `json:"userId"`
		Title        *string `json:"title"`
		Author       *string `json:"author"`
		Publisher    *string `json:"publisher"`
		Term         *string `json:"searchTerm"`
		Availability string  `json:"availability"`
		At           string  `json:"requestedAt"`
	}
)

// pieces are the feeds of a random network, in the order in which they are loaded.
type pieces struct {
	*rand.Rand
	feeds []map[string][]any
	// In which feed a title or reader first is: what names it comes no earlier.
	titleIn, readerIn map[int]int
	loans             []loanRow
	texts             []string // some that a question may ask for
}

// newPieces makes a network and spreads it over n feeds.
func newPieces(r *rand.Rand, n int) *pieces {
	p := &pieces{Rand: r, titleIn: map[int]int{}, readerIn: map[int]int{}}
	for range n {
		p.feeds = append(p.feeds, map[string][]any{})
	}
	p.someTerms()
	p.someTitles(5 + r.IntN(8))
	p.someReaders(5 + r.IntN(26))
	p.someLoans(40)
	p.someReservations(30)
	p.someEvents(150)
	p.someRequests(25)
	p.someChannels()
	for _, feed := range p.feeds {
		for _, resource := range slices.Sorted(maps.Keys(feed)) {
			rows := feed[resource]
			r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		}
	}
	return p
}

// put adds a row to a feed, at times twice.
func (p *pieces) put(feed int, resource string, row any) {
	p.feeds[feed][resource] = append(p.feeds[feed][resource], row)
	if p.IntN(12) == 0 {
		p.feeds[feed][resource] = append(p.feeds[feed][resource], row)
	}
}

// from returns a feed that is not before another.
func (p *pieces) from(feed int) int { return feed + p.IntN(len(p.feeds)-feed) }

// after returns a later feed than another, if there is one.
func (p *pieces) after(feed int) (int, bool) {
	if feed+1 == len(p.feeds) {
		return 0, false
	}
	return p.from(feed + 1), true
}

// null is v, or at times nothing.
func null[T any](r *rand.Rand, v T) *T {
	if r.IntN(4) == 0 {
		return nil
	}
	return &v
}

// aDay is a day of the network; those about the first of the history and of the months are frequent.
func (p *pieces) aDay() string {
	if p.IntN(5) == 0 {
		return pick(p.Rand, []string{"2026-07-20", "2026-07-21", "2026-07-31", "2026-08-01", "2026-08-31", "2026-09-01"})
	}
	return plus("2026-07-15", p.IntN(53))
}

// aTime is a time of a day, about midnight in Brasilia one time in three.
func (p *pieces) aTime(d string) time.Time {
	start, _ := time.Parse(time.DateOnly, d)
	start = start.Add(3 * time.Hour)
	if p.IntN(3) == 0 {
		return start.Add(pick(p.Rand, []time.Duration{0, time.Millisecond, time.Second, 24*time.Hour - time.Millisecond}))
	}
	return start.Add(time.Duration(p.IntN(24*3600*1000)) * time.Millisecond)
}

func (p *pieces) someTerms() {
	names := map[string]map[int]string{
		"libraries":  {3: "Central", 9: "Água Fria", 10: "agua  fria", 41: "Norte & Sul"},
		"ageGroups":  {1: "Adulto", 2: "Criança", 7: "adulto"},
		"publishers": {5: "Garnier", 6: "José Olympio", 8: "Ática"},
		"categories": {1: "Romance", 2: "Conto", 12: "Ética", 30: "etica"},
		"subjects":   {4: "Ciúme", 6: "Sertão", 11: "100% mar"},
	}
	for _, resource := range slices.Sorted(maps.Keys(names)) { // in one order, so that a seed makes one network
		for _, id := range slices.Sorted(maps.Keys(names[resource])) {
			p.put(0, resource, termRow{id, names[resource][id]})
			if later, is := p.after(0); is && p.IntN(5) == 0 {
				p.put(later, resource, termRow{id, names[resource][id] + " Nova"})
			}
		}
	}
}

// pickSome returns some of a list.
func pickSome(r *rand.Rand, of []int) []int {
	var some []int
	for _, v := range of {
		if r.IntN(3) == 0 {
			some = append(some, v)
		}
	}
	return some
}

func (p *pieces) someTitles(n int) {
	names := []string{"Dom Casmurro", "Água Viva", "agua  viva", "Vidas \"Secas\"", "100% Água_", "Iracema", "São Bernardo",
		"O Ateneu", "Ñandutí, o mapa", "Senhora"}
	title := func(id int) titleRow {
		r := p.Rand
		return titleRow{
			ID: id, Title: null(r, pick(r, names)), ISBN: null(r, fmt.Sprintf("978-85-%05d-%d", 10000+id*37, id%10)),
			Author:    null(r, pick(r, []string{"Machado de Assis", "Clarice Lispector", "Graça  Aranha"})),
			Publisher: null(r, pick(r, []int{5, 6, 8})), Categories: pickSome(r, []int{1, 2, 12, 30}), Subjects: pickSome(r, []int{4, 6, 11}),
			Ebook: r.IntN(3) > 0, Audiobook: r.IntN(2) > 0, Video: r.IntN(12) == 0,
			MaxUses: null(r, pick(r, []int{0, 1, 2, 40})), Year: null(r, pick(r, []int{1899, 1938, 2020})),
		}
	}
	for range n {
		id := 100 + len(p.titleIn)*7
		p.titleIn[id] = p.from(0) * p.IntN(2)
		p.put(p.titleIn[id], "books", title(id))
		if later, is := p.after(p.titleIn[id]); is && p.IntN(3) == 0 {
			p.put(later, "books", title(id))
		}
		for range pick(p.Rand, []int{0, 1, 1, 2, 3, 8}) {
			p.someLine(id)
		}
	}
	p.texts = append(names, "AGUA", "9788510", "978-85 1", "%", "_", "assis", "graca aranha", "zzz")
}

// someLine adds a line of a title.
func (p *pieces) someLine(title int) {
	r := p.Rand
	id := 1 + r.IntN(1_000_000)
	line := func() lineRow {
		return lineRow{
			ID: id, Title: title,
			Collection: pick(r, []string{"platform", "additional", "external", "manual"}),
			Kind:       pick(r, []string{"purchase", "purchase", "legacy"}),
			Number:     1 + r.IntN(2),
			Modality:   null(r, "Assinatura"),
			Copies:     null(r, pick(r, []int{0, 1, 2, 3, 10})),
			Unit:       pick(r, []any{nil, "12.50", json.Number("3"), json.Number("0.1"), "0", "0.00"}),
			Total:      pick(r, []any{nil, "1000.00", json.Number("25.05")}),
			Purchased:  pick(r, []string{"2024-01-10", "2026-07-20", "2026-07-21", "2026-07-22", "2026-08-15"}),
			Expires:    null(r, pick(r, []string{"2025-12-31", "2026-01-01", "2027-06-30"})),
		}
	}
	p.put(p.titleIn[title], "lines", line())
	if later, is := p.after(p.titleIn[title]); is && p.IntN(3) == 0 {
		p.put(later, "lines", line())
	}
}

func (p *pieces) someReaders(n int) {
	for id := 1; id <= n; id++ {
		p.readerIn[id] = p.from(0) * p.IntN(2)
		in := p.readerIn[id]
		// All versions have times of their own: which stands must not hang on the order of the feeds.
		for _, second := range p.Perm(3)[:1+p.IntN(3)] {
			p.put(in, "readers", p.reader(id, second))
			in = p.from(in)
		}
	}
}

// reader is a version of a reader, last changed at some second.
func (p *pieces) reader(id, second int) readerRow {
	r := p.Rand
	row := readerRow{
		ID:         id,
		Name:       null(r, fmt.Sprintf("Leitor %d <ç>", id)),
		Email:      null(r, fmt.Sprintf("l%d@rede.example", id)),
		Library:    null(r, pick(r, []int{3, 9, 10, 41})),
		AgeGroup:   null(r, pick(r, []int{1, 2, 7})),
		City:       null(r, pick(r, []string{"Belém", "belem", "Santarém", "São  Paulo"})),
		State:      null(r, pick(r, []string{"PA", "SP"})),
		RA:         null(r, pick(r, []string{"Norte", "Água"})),
		Gender:     null(r, pick(r, []string{"Feminino", "MASCULINO", "nao-binario", "Outro", "não informado"})),
		Registered: pick(r, []string{"2019-03-01", p.aDay(), stamp(r, p.aTime(p.aDay()))}),
		Status:     "active",
		Updated:    stamp(r, time.Date(2026, 8, 1+id%25, 2, 59, 58+second, 0, time.UTC)),
	}
	if r.IntN(2) == 0 {
		row.Confirmed, row.LastSignIn = new(stamp(r, p.aTime("2026-08-01"))), null(r, stamp(r, p.aTime(shelvesEnd)))
	}
	if r.IntN(3) == 0 {
		row.Status = pick(r, []string{"deactivated", "deleted"})
		row.Deleted = new(pick(r, []string{"2026-07-01", p.aDay(), shelvesEnd}))
	}
	return row
}

// pair is a reader and a title, and the first feed that may name both.
func (p *pieces) pair() (reader, title, in int) {
	reader = pick(p.Rand, slices.Sorted(maps.Keys(p.readerIn)))
	title = pick(p.Rand, slices.Sorted(maps.Keys(p.titleIn)))
	return reader, title, max(p.readerIn[reader], p.titleIn[title])
}

func (p *pieces) someLoans(n int) {
	r := p.Rand
	for i := range n {
		reader, title, in := p.pair()
		borrowed := p.aDay()
		loan := loanRow{ID: 1000 - i*3, Reader: reader, Title: title, Borrowed: stamp(r, p.aTime(borrowed)), Status: "active"}
		loan.Due = null(r, plus(borrowed, 14))
		if r.IntN(3) == 0 {
			loan.Due = new(stamp(r, p.aTime(plus(borrowed, 10))))
		}
		came := in
		in = p.from(in)
		p.loans = append(p.loans, loan)
		for range 1 + r.IntN(3) { // versions: it may go on after it ended
			v := loan
			v.Borrowed = stamp(r, instantOf(loan.Borrowed))
			if r.IntN(3) > 0 {
				back := p.aTime(shelvesEnd)
				if d := plus(borrowed, 1+r.IntN(14)); d < shelvesEnd {
					back = p.aTime(d)
				}
				if at := instantOf(loan.Borrowed); back.Before(at) {
					back = at
				}
				v.Status, v.Returned = pick(r, []string{"returned", "expired"}), new(stamp(r, back))
			}
			p.put(in, "loans", v)
			in = p.from(in)
			p.loans[i] = v
		}
		for j := range r.IntN(3) { // before the loan too, and of no loan
			row := renewalRow{fmt.Sprintf("r%d-%d", loan.ID, j), loan.ID + r.IntN(2), loan.Reader, loan.Title, stamp(r, p.aTime(p.aDay()))}
			p.put(p.from(came), "renewals", row)
			if _, title, in := p.pair(); r.IntN(4) == 0 {
				row.Title = title
				p.put(p.from(max(came, in)), "renewals", row)
			}
		}
	}
}

func (p *pieces) someReservations(n int) {
	r := p.Rand
	for i := range n {
		reader, title, in := p.pair()
		made := p.aDay()
		at := p.aTime(made)
		in = p.from(in)
		for range 1 + r.IntN(3) {
			v := holdRow{ID: 500 - i, Reader: reader, Title: title, Reserved: stamp(r, at), Position: null(r, r.IntN(5))}
			v.Status = pick(r, []string{"waiting", "available", "converted", "cancelled", "lost"})
			if !slices.Contains([]string{"waiting", "available"}, v.Status) {
				resolved := p.aTime(max(made, p.aDay()))
				if resolved.Before(at) {
					resolved = at
				}
				v.Resolved = new(stamp(r, resolved))
			}
			p.put(in, "reservations", v)
			in = p.from(in)
		}
	}
}

// anID is the identifier of an event, a string or a number of the same digits. Few are about, so that readers and days
// share them.
func (p *pieces) anID() any {
	n := fmt.Sprint(p.IntN(12))
	if p.IntN(2) == 0 {
		return json.Number(n)
	}
	return n
}

func (p *pieces) someEvents(n int) {
	r := p.Rand
	for range n {
		reader, title, in := p.pair()
		at := p.aTime(p.aDay())
		if r.IntN(2) == 0 { // of a pair with a loan, often on its first day or about its last
			i := r.IntN(len(p.loans))
			l := p.loans[i]
			reader, title, in = l.Reader, l.Title, max(p.readerIn[l.Reader], p.titleIn[l.Title])
			switch about := r.IntN(6); {
			case about < 2:
				at = p.aTime(dayOf(l.Borrowed))
			case about < 4 && l.Returned != nil:
				at = p.aTime(min(plus(dayOf(*l.Returned), r.IntN(2)), shelvesEnd))
			}
		}
		id := p.anID()
		var resource string
		var row any
		switch r.IntN(5) {
		case 0:
			resource, row = "previews", previewRow{id, reader, title, stamp(r, at)}
		case 1:
			resource, row = "activity", activityRow{id, reader, stamp(r, at)}
		default:
			mode, format := pick(r, []string{"online", "offline"}), pick(r, []string{"ebook", "audiobook"})
			resource, row = "sessions", sessionRow{id, reader, title, stamp(r, at), r.IntN(4000) * r.IntN(3), mode, format, p.progress()}
		}
		in = p.from(in)
		p.put(in, resource, row)
		if later := p.from(in); r.IntN(4) == 0 {
			if session, is := row.(sessionRow); is { // one of the two stands: that of the first feed, within it of the first line
				session.Seconds, session.Progress = session.Seconds+60, "100"
				row = session
			}
			p.put(later, resource, row)
		}
	}
}

func (p *pieces) progress() json.Number {
	if p.IntN(2) == 0 {
		return pick(p.Rand, []json.Number{"0", "9.9999", "10", "10.0", "49.9999", "50", "99.995", "100", "12.345", "33.3349"})
	}
	return json.Number(fmt.Sprintf("%d.%02d", p.IntN(100), p.IntN(100)))
}

func (p *pieces) someRequests(n int) {
	r := p.Rand
	for i := range n {
		reader, _, in := p.pair()
		row := requestRow{
			ID: 900 - i, Reader: reader, Title: null(r, pick(r, []string{"Iracema", "IRACEMA", " iracêma", "O Guarani"})),
			Author:    null(r, pick(r, []string{"Alencar", "alencar"})),
			Publisher: null(r, "Garnier"), Term: null(r, pick(r, []string{"índios", "indios 100%"})),
			Availability: pick(r, []string{"catalog", "marketplace", "none"}), At: stamp(r, p.aTime(p.aDay())),
		}
		in = p.from(in)
		p.put(in, "suggestions", row)
		if later, is := p.after(in); is && r.IntN(4) == 0 { // loaded already, so that the other text is not seen
			row.Title = new("outra")
			p.put(later, "suggestions", row)
		}
	}
}

func (p *pieces) someChannels() {
	for d := shelvesStart; d <= shelvesEnd; d = plus(d, 1) {
		for _, channel := range channelNames {
			if p.IntN(3) > 0 {
				in := p.from(0)
				p.put(in, "channels", channelRow{d, channel, p.IntN(500), new(channel == "app")})
				if later, is := p.after(in); is && p.IntN(6) == 0 {
					p.put(later, "channels", channelRow{d, channel, p.IntN(500), nil})
				}
			}
		}
	}
}

// writePiece writes a feed, each file as NDJSON or CSV.
func writePiece(t *testing.T, r *rand.Rand, feed map[string][]any) string {
	t.Helper()
	dir := t.TempDir()
	for _, resource := range slices.Sorted(maps.Keys(feed)) {
		rows := feed[resource]
		var b bytes.Buffer
		name := resource + ".ndjson"
		if r.IntN(2) == 0 {
			name = resource + ".csv"
			w := csv.NewWriter(&b)
			w.Write(cells(rows[0], func(f reflect.StructField, _ any) string { return f.Tag.Get("json") }))
			for _, row := range rows {
				w.Write(cells(row, csvCell))
			}
			w.Flush()
		} else {
			enc := json.NewEncoder(&b)
			for _, row := range rows {
				if err := enc.Encode(row); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// cells returns a text for each field of a row.
func cells(row any, text func(f reflect.StructField, v any) string) (all []string) {
	v := reflect.ValueOf(row)
	for i := range v.NumField() {
		all = append(all, text(v.Type().Field(i), v.Field(i).Interface()))
	}
	return all
}

// csvCell is the CSV form of a value.
func csvCell(_ reflect.StructField, v any) string {
	r := reflect.ValueOf(v)
	switch {
	case v == nil || r.Kind() == reflect.Pointer && r.IsNil():
		return ""
	case r.Kind() == reflect.Pointer:
		return fmt.Sprint(r.Elem().Interface())
	case r.Kind() == reflect.Slice:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ";")
	}
	return fmt.Sprint(v)
}

// shelf is a server on a database with a library network that was loaded piece by piece, and the model of it.
type shelf struct {
	network
	*shelves
	pieces *pieces
}

// newShelf serves an empty network and loads nothing yet.
func newShelf(t *testing.T, db *database.DB, slug string, p *pieces, c server.Config) *shelf {
	t.Helper()
	s := &shelf{network: network{T: t, db: db, clock: &clock{shelvesNow()}}, shelves: newShelves(), pieces: p}
	s.keys = &authdb.Store{DB: db.DB, Now: s.clock.time}
	if c.LibrariesRate == 0 {
		c.LibrariesRate = -1
	}
	c.DB, c.Now = db, s.clock.time
	var err error
	if s.server, err = server.New(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.today = day(shelvesNow())
	s.north = s.create(slug)
	s.key = s.issue(s.north)
	return s
}

// feed loads a feed at a time, at once, and tells the model.
func (s *shelf) feed(at time.Time, feed map[string][]any) {
	s.Helper()
	then := func() time.Time { return at }
	o := load.Options{Now: then, Immediately: true}
	folder := writePiece(s.T, s.pieces.Rand, feed)
	if _, err := load.Libraries(s.Context(), &librariesdb.Store{DB: s.db.DB, Copy: s.db.Copy, Now: then}, s.north, os.DirFS(folder), o); err != nil {
		s.Fatal(err)
	}
	s.shelves.load(at.Truncate(time.Hour), feed)
}

// all loads every piece, the last within the present hour.
func (s *shelf) all() {
	s.Helper()
	for i, feed := range s.pieces.feeds {
		s.feed(shelvesNow().Add(time.Duration(i+1-len(s.pieces.feeds))*time.Hour), feed)
	}
}

// ask calls a route with parameters.
func (s *shelf) ask(route string, q url.Values) *httptest.ResponseRecorder {
	s.Helper()
	return s.get(s.key, librariesPrefix+"/"+route+"?"+q.Encode())
}

// agrees checks that a route answers as the model does.
func (s *shelf) agrees(route string, q url.Values) {
	s.Helper()
	w := s.ask(route, q)
	want := s.answer(route, q)
	if w.Code != 200 || w.Body.String() != want {
		got, want := apart(w.Body.String(), want)
		s.Errorf("GET %s?%s = %d\n got …%s\nwant …%s", route, q.Encode(), w.Code, got, want)
	}
}

// apart cuts two texts down to where they begin to differ.
func apart(a, b string) (string, string) {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-300)
	return a[from:min(len(a), i+200)], b[from:min(len(b), i+200)]
}

// parameters says how to make a random value of each parameter.
func (s *shelf) parameters() map[string]func() string {
	r := s.pieces.Rand
	id := func(m map[int]int) func() string {
		return func() string { return fmt.Sprint(pick(r, append(slices.Sorted(maps.Keys(m)), 999_999))) }
	}
	number := func(of ...int) func() string { return func() string { return fmt.Sprint(pick(r, of)) } }
	name := func(of ...string) func() string { return func() string { return pick(r, of) } }
	aDay := func() string { return plus("2026-07-10", r.IntN(70)) }
	return map[string]func() string{
		"startDate": aDay, "endDate": aDay, "registeredFrom": aDay, "registeredTo": aDay,
		"updatedSince":  func() string { return plus("2026-08-01", r.IntN(26)) },
		"purchasedFrom": name("2024-01-01", "2026-07-20", "2026-07-21", "2026-07-22", "2026-08-16"),
		"purchasedTo":   name("2026-01-01", "2026-07-20", "2026-07-21", "2026-07-22", "2026-08-15"),
		"userId":        id(s.pieces.readerIn), "bookId": id(s.pieces.titleIn), "libraryId": number(3, 9, 10, 77), "ageGroupId": number(1, 2, 7),
		"publisherId": number(5, 6, 77), "categoryId": number(1, 2, 12, 77), "subjectId": number(4, 6), "publicationYear": number(1899, 2020, 1),
		"state": name("PA", "pa", "SP", "XX"), "city": name("BELEM", "Santarém", "sao paulo"), "gender": name("Feminino",
			"nao informado", "NÃO-BINÁRIO", "x"),
		"newUsers": name("true", "true", "false"), "groupBy": name("library", "state", "city", "ageGroup"),
		"search": name(s.pieces.texts...), "author": name("ASSIS", "graça aranha", " alencar "), "title": name("iracema ",
			"IRACEMA", "o guarani"),
		"format": name("ebook", "audiobook"), "channel": name(channelNames...), "orderDir": name("asc", "desc"),
		"consumptionBand": name("0", "1-10", "11-20", "21-30", "41-50", "91-100", "101+"),
	}
}

// routeParameters are the parameters of each route, in the specification's order, but for the page.
var routeParameters = map[string]string{
	"summary":                      "startDate endDate groupBy libraryId state city ageGroupId gender newUsers",
	"engagements":                  "userId",
	"users":                        "userId status libraryId registeredFrom registeredTo updatedSince",
	"dimensions":                   "",
	"datasets/books":               "startDate endDate search author publisherId categoryId subjectId collection format bookId publicationYear orderBy orderDir",
	"datasets/stock":               "purchasedFrom purchasedTo consumptionBand search publisherId categoryId subjectId collection bookId publicationYear orderBy orderDir",
	"datasets/loans":               "startDate endDate userId bookId status",
	"datasets/reservations":        "startDate endDate userId bookId status",
	"datasets/logins":              "userId",
	"datasets/channels":            "channel",
	"datasets/suggestions":         "startDate endDate search",
	"datasets/suggestion-requests": "startDate endDate title author userId",
}

// choices are the values of parameters that differ by route.
var choices = map[string]string{
	"users status": "active deactivated deleted", "datasets/loans status": "active returned expired",
	"datasets/reservations status": "waiting available converted cancelled lost",
	"datasets/books collection":    "all platform additional external manual", "datasets/stock collection": "additional external manual",
	"datasets/books orderBy": "title loans returns readings10 readings50 readingSeconds renewals reservations activeReservations convertedReservations",
	"datasets/stock orderBy": "title activeLoans readings possibleReadings percentage activeReservations",
}

// question is a random one: about two parameters of a route, and a page.
func (s *shelf) question(route string) url.Values {
	r, values, q := s.pieces.Rand, s.parameters(), url.Values{}
	names := strings.Fields(routeParameters[route])
	for _, name := range names {
		if r.IntN(len(names)) > 2 {
			continue
		}
		if of := choices[route+" "+name]; of != "" {
			q.Set(name, pick(r, strings.Fields(of)))
		} else {
			q.Set(name, values[name]())
		}
	}
	if route == "engagements" || route == "datasets/logins" || route == "datasets/channels" {
		start := values["startDate"]()
		q.Set("startDate", start)
		q.Set("endDate", plus(start, r.IntN(31)))
	}
	if strings.HasPrefix(route, "datasets/") && r.IntN(4) == 0 { // of the vocabulary, but another dataset's
		if !slices.Contains(names, "channel") {
			q.Set("channel", "anything")
		}
	}
	if r.IntN(2) == 0 && route != "dimensions" && (route != "summary" || q.Has("groupBy")) {
		q.Set("pageSize", fmt.Sprint(pick(r, []int{1, 2, 7, 100})))
		q.Set("page", fmt.Sprint(1+r.IntN(4)))
	}
	return q
}

// Every answer to random questions is the slow model's, to the byte, after each piece of the feed.
func TestLibrariesAnswersAreTheModels(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				s := newShelf(t, db, fmt.Sprint("rede-", seed), newPieces(rand.New(rand.NewPCG(seed, 26)), 1+int(seed)), server.Config{})
				for i, feed := range s.pieces.feeds {
					s.feed(shelvesNow().Add(time.Duration(i+1-len(s.pieces.feeds))*time.Hour), feed)
					for _, route := range slices.Sorted(maps.Keys(routeParameters)) {
						for range 40 / len(s.pieces.feeds) {
							s.agrees(route, s.question(route))
						}
						if t.Failed() {
							return // the others say the same again
						}
					}
				}
			})
		}
	})
}

// body is an answer, decoded.
type body struct {
	Meta struct {
		Period *struct{ StartDate, EndDate string }
		Page   *struct{ Page, PageSize, TotalRows int }
	}
	Data map[string]any
}

// told is the answer to a question, which must be good.
func (s *shelf) told(route string, q url.Values) (b body) {
	s.Helper()
	w := s.ask(route, q)
	if err := json.Unmarshal(w.Body.Bytes(), &b); w.Code != 200 || err != nil {
		s.Fatalf("GET %s?%s = %d %s (%v)", route, q.Encode(), w.Code, w.Body, err)
	}
	return b
}

// pulled pages through a whole list and checks that every page tells one total and holds what it should.
func (s *shelf) pulled(route string, q url.Values, size int) (rows []map[string]any) {
	s.Helper()
	q = maps.Clone(q)
	list := "rows"
	if route == "summary" {
		list = "breakdown"
	}
	for number := 1; ; number++ {
		q.Set("page", fmt.Sprint(number))
		q.Set("pageSize", fmt.Sprint(size))
		b := s.told(route, q)
		page := b.Data[list].([]any)
		for _, row := range page {
			rows = append(rows, row.(map[string]any))
		}
		total := b.Meta.Page.TotalRows
		if b.Meta.Page.Page != number || b.Meta.Page.PageSize != size || len(page) != max(0, min(size, total-(number-1)*size)) {
			s.Fatalf("%s?%s: %+v with %d rows", route, q.Encode(), b.Meta.Page, len(page))
		}
		if len(page) == 0 {
			if len(rows) != total {
				s.Errorf("%s?%s: the pages hold %d rows, totalRows is %d", route, q.Encode(), len(rows), total)
			}
			return rows
		}
	}
}

// sum adds a number of each row.
func sum(rows []map[string]any, field string) (n float64) {
	for _, row := range rows {
		n += row[field].(float64)
	}
	return n
}

// during is a question about a period.
func during(from, to string) url.Values {
	return url.Values{"startDate": {from}, "endDate": {to}}
}

// theShelf is a whole random network.
func theShelf(t *testing.T, db *database.DB, seed uint64) *shelf {
	s := newShelf(t, db, "rede", newPieces(rand.New(rand.NewPCG(seed, 27)), 3), server.Config{})
	s.all()
	return s
}

// sameSums checks that the rows' sums are the numbers of a block.
func (s *shelf) sameSums(law string, rows []map[string]any, block map[string]any, fields string) {
	s.Helper()
	for _, f := range strings.Fields(fields) {
		if got, want := sum(rows, f), block[f].(float64); got != want {
			s.Errorf("%s: the rows' %s add up to %v, want %v", law, f, got, want)
		}
	}
}

// The engagement rows of a day, as many as they are, add up to the summary of the day in the nine metrics of the
// specification, and the rows of logins are as many as its logins.
func TestLibrariesDaysAddUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := theShelf(t, db, 1)
		active := 0.0
		for d := "2026-07-19"; d <= "2026-09-07"; d = plus(d, 1) {
			rows := s.pulled("engagements", during(d, d), 1000)
			general := s.told("summary", during(d, d)).Data["general"].(map[string]any)
			s.sameSums(d, rows, general, "logins loans returns readings10 readings50 previews readingSeconds renewals reservations")
			if n := len(s.pulled("datasets/logins", during(d, d), 1000)); float64(n) != general["logins"] ||
				general["usersWithLogin"] != general["logins"] {
				t.Errorf("%s: %d rows of logins, %v logins of %v readers, want one number", d, n, general["logins"], general["usersWithLogin"])
			}
			active += general["logins"].(float64)
		}
		if active < 50 {
			t.Errorf("the network has %v logins, want enough to add up", active)
		}
	})
}

// With every filter the groups of a breakdown add up to general in what is additive, and titles do to the whole base.
func TestLibrariesGroupsAddUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := theShelf(t, db, 2)
		for range 60 {
			q := s.question("summary")
			q.Set("groupBy", pick(s.pieces.Rand, []string{"library", "state", "city", "ageGroup"}))
			var metrics []map[string]any
			for _, group := range s.pulled("summary", q, 100) {
				metrics = append(metrics, group["metrics"].(map[string]any))
			}
			for _, page := range []string{"page", "pageSize"} {
				q.Del(page)
			}
			s.sameSums(q.Encode(), metrics, s.told("summary", q).Data["general"].(map[string]any),
				"registeredUsers logins usersWithLogin loans returns readings10 readings50 previews "+
					"readingSeconds renewals reservations activeReservations convertedReservations")
		}
		q := during("2026-07-21", shelvesEnd)
		s.sameSums("titles", s.pulled("datasets/books", q, 100), s.told("summary", q).Data["general"].(map[string]any),
			"loans returns readings10 readings50 renewals readingSeconds reservations activeReservations")
	})
}

// The months of a period add up to the period, where it lies in the history.
func TestLibrariesMonthsAddUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := theShelf(t, db, 3)
		for range 40 {
			from := plus("2026-07-10", s.pieces.IntN(60))
			q := during(from, plus(from, s.pieces.IntN(40)))
			data := s.told("summary", q).Data
			var months []map[string]any
			for _, m := range data["monthly"].([]any) {
				months = append(months, m.(map[string]any))
			}
			s.sameSums(q.Encode(), months, data["general"].(map[string]any), "loans readings10 readings50 renewals readingSeconds")
		}
	})
}

// A title's purchases add up to its possible readings, no line serves more than it can, and an older line is full before
// the next one serves any; summary.stock has the sums.
func TestLibrariesStockAddsUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		for seed := range uint64(6) {
			s := newShelf(t, db, fmt.Sprint("rede-", seed), newPieces(rand.New(rand.NewPCG(seed, 28)), 2), server.Config{})
			s.all()
			rows := s.pulled("datasets/stock", url.Values{}, 100)
			allocated := 0.0
			for _, row := range rows {
				var lines []map[string]any
				for _, p := range row["purchases"].([]any) {
					lines = append(lines, p.(map[string]any))
				}
				s.sameSums(fmt.Sprint("title ", row["bookId"]), lines, row, "possibleReadings")
				consumed := sum(lines, "consumed")
				if want := min(row["readings"].(float64), row["possibleReadings"].(float64)); consumed != want {
					t.Errorf("title %v: %v allocated, want %v", row["bookId"], consumed, want)
				}
				allocated += consumed
				for i, p := range lines {
					if p["consumed"].(float64) > p["possibleReadings"].(float64) {
						t.Errorf("title %v: line %v serves more than it can", row["bookId"], p)
					}
					if i > 0 && (lines[i-1]["purchasedAt"].(string) > p["purchasedAt"].(string) ||
						p["consumed"].(float64) > 0 && lines[i-1]["consumed"].(float64) < lines[i-1]["possibleReadings"].(float64)) {
						t.Errorf("title %v: line %v comes before %v is full", row["bookId"], p, lines[i-1])
					}
				}
			}
			stock := s.told("summary", url.Values{}).Data["stock"].(map[string]any)
			s.sameSums("summary", rows, stock, "readings possibleReadings")
			var histogram []map[string]any
			for _, band := range stock["histogram"].([]any) {
				b := band.(map[string]any)
				histogram = append(histogram, b)
				if n := len(s.pulled("datasets/stock", url.Values{"consumptionBand": {b["band"].(string)}}, 100)); float64(n) != b["count"] {
					t.Errorf("band %v has %d rows, the histogram says %v", b["band"], n, b["count"])
				}
			}
			if n := sum(histogram, "count"); n != float64(len(rows)) {
				t.Errorf("the histogram counts %v titles of %d", n, len(rows))
			}
			if share := stock["percentage"].(float64); share < 0 || share > 1 || (allocated > 0) != (share > 0) {
				t.Errorf("%v allocated make %v, want a share of 0 to 1", allocated, share)
			}
		}
	})
}

// The pages of every size are one list: of 1, 2 and the largest.
func TestLibrariesPagesAreOneList(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := theShelf(t, db, 5)
		largest := map[string]int{"summary": 100, "datasets/books": 100, "datasets/stock": 100, "datasets/suggestions": 100}
		for _, route := range slices.Sorted(maps.Keys(routeParameters)) {
			if route == "dimensions" || route == "datasets/channels" {
				continue
			}
			q := url.Values{}
			switch route {
			case "summary":
				q.Set("groupBy", "city")
			case "engagements", "datasets/logins":
				q = during("2026-08-01", "2026-08-20")
			}
			whole := s.pulled(route, q, cmp.Or(largest[route], 1000))
			if len(whole) < 3 {
				t.Errorf("%s has %d rows, want some pages of 2", route, len(whole))
			}
			for _, size := range []int{1, 2} {
				if paged := s.pulled(route, q, size); !reflect.DeepEqual(paged, whole) {
					t.Errorf("%s: the pages of %d are\n%v\nwant\n%v", route, size, paged, whole)
				}
			}
		}
	})
}

// Two networks have readers, titles and loans of the same identifiers, and neither sees anything of the other: each answers
// as its own model, also to the identifiers that the other alone has (G3).
func TestLibrariesNetworksAreApart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		a := newShelf(t, db, "norte", newPieces(rand.New(rand.NewPCG(7, 29)), 2), server.Config{})
		b := newShelf(t, db, "sul", newPieces(rand.New(rand.NewPCG(6, 29)), 2), server.Config{})
		b.server = a.server // one server, which keeps answers of both
		for i := range 2 {
			at := shelvesNow().Add(time.Duration(i-1) * time.Hour)
			a.feed(at, a.pieces.feeds[i])
			b.feed(at, b.pieces.feeds[i])
		}
		for _, s := range []*shelf{a, b, a} { // the third time from what was kept
			for _, route := range slices.Sorted(maps.Keys(routeParameters)) {
				for range 5 {
					q := s.question(route)
					for _, of := range []*shelf{a, b} {
						of.agrees(route, q)
					}
				}
			}
		}
		alone := 0
		for of, other := range map[*shelf]*shelf{a: b, b: a} {
			for id := range other.readers {
				if _, both := of.readers[id]; both {
					continue
				}
				alone++
				q := url.Values{"userId": {fmt.Sprint(id)}}
				for _, route := range []string{"users", "datasets/loans", "datasets/logins", "datasets/reservations", "datasets/suggestion-requests"} {
					if rows := of.told(route, q).Data["rows"].([]any); len(rows) != 0 {
						t.Errorf("%s of a reader of the other network has %v, want no row", route, rows)
					}
				}
			}
		}
		if alone == 0 {
			t.Error("no network has a reader of its own")
		}
	})
}

// Whatever is wrong with a key, the answer is one: another API's, altered, revoked, expired or absent (G3).
func TestLibrariesRefusalsAreOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db, server.Config{})
		n := newNetwork(t, db, server.Config{})
		revoked, expires := n.issue(n.north), n.clock.now.Add(time.Minute)
		if err := n.keys.Revoke(t.Context(), keyID(revoked)); err != nil {
			t.Fatal(err)
		}
		expired, _, err := n.keys.Issue(t.Context(), n.keys.DB, authdb.IssueParams{Tenant: auth.Tenant(n.north), API: auth.Libraries, Expires: expires})
		if err != nil {
			t.Fatal(err)
		}
		n.clock.now = expires.Add(time.Second)
		const want = `{"statusCode":401,"error":"Unauthorized","message":"missing or invalid API key"}`
		for rule, key := range map[string]string{"the schools'": f.north, "altered": altered(n.key), "revoked": revoked,
			"expired": expired, "none": "", "no key": "x"} {
			for _, route := range slices.Sorted(maps.Keys(routeParameters)) {
				if w := n.get(key, librariesPrefix+"/"+route+"?nothing=x"); w.Code != 401 || w.Body.String() != want ||
					w.Header().Get("x-ratelimit-limit-public-default") != "" {
					t.Errorf("%s: GET %s = %d %s %v, want 401 %s and no rate", rule, route, w.Code, w.Body, w.Header(), want)
				}
			}
		}
		for _, path := range []string{"/users", "/engagements", "/readings"} {
			if w := n.get(n.key, prefix+path); w.Code != 401 || w.Body.String() != want {
				t.Errorf("a libraries key at the schools' %s = %d %s, want 401 %s", path, w.Code, w.Body, want)
			}
		}
	})
}

// 60 answers a minute are shared by the keys of a network, whatever the answers are, and all tell what is left (H6).
func TestLibrariesBudgetIsShared(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		n := newNetwork(t, db, server.Config{})
		keys := []string{n.key, n.issue(n.north)}
		targets := []struct {
			path string
			want int
		}{{"/dimensions", 200}, {"/users?page=0", 400}, {"/datasets/nothing", 404}, {"/summary", 200}}
		for i := range server.DefaultLibrariesRate + 4 {
			target := targets[i%len(targets)]
			w := n.get(keys[i%3%2], librariesPrefix+target.path)
			want, left := target.want, max(0, server.DefaultLibrariesRate-1-i)
			if i >= server.DefaultLibrariesRate {
				want = 429
			}
			h := w.Header()
			if w.Code != want || h.Get("x-ratelimit-limit-public-default") != "60" ||
				h.Get("x-ratelimit-remaining-public-default") != fmt.Sprint(left) ||
				h.Get("x-ratelimit-reset-public-default") != "30" || (h.Get("Retry-After") == "30") != (want == 429) {
				t.Fatalf("request %d: GET %s = %d %v, want %d and %d left", i+1, target.path, w.Code, h, want, left)
			}
		}
		const want = `{"statusCode":429,"error":"Too Many Requests","message":"rate limit exceeded; retry after 30 seconds"}`
		if w := n.get(n.key, librariesPrefix+"/dimensions"); w.Body.String() != want {
			t.Errorf("past the rate = %s, want %s", w.Body, want)
		}
	})
}

// Under a legacy prefix every answer is the same to the byte.
func TestLibrariesLegacyPrefixAnswersAlike(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShelf(t, db, "rede", newPieces(rand.New(rand.NewPCG(8, 29)), 1), server.Config{LegacyPrefixes: []string{"/rede-antiga"}})
		s.all()
		for _, route := range slices.Sorted(maps.Keys(routeParameters)) {
			question := "/libraries/v1/" + route + "?" + s.question(route).Encode()
			for target, want := range map[string]int{question: 200, question + "&nothing=x": 400} {
				a, b := s.get(s.key, "/api-platform"+target), s.get(s.key, "/rede-antiga"+target)
				if a.Code != want || a.Code != b.Code ||
					a.Body.String() != b.Body.String() || a.Header().Get("ETag") != b.Header().Get("ETag") {
					t.Errorf("GET %s = %d %s, under the legacy prefix %d %s", target, a.Code, a.Body, b.Code, b.Body)
				}
			}
		}
	})
}

// Of 64 pages of users at once, with a queue that lets one run and one wait, some are told to come back, and none is
// wrong; afterwards all are good (L17).
func TestLibrariesParallelPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *database.DB) {
		s := newShelf(t, db, "rede", newPieces(rand.New(rand.NewPCG(9, 29)), 2),
			server.Config{UsersQueue: server.UsersQueue{AtATime: 1, Waiting: 1, Wait: time.Minute}, CacheBytes: 1})
		s.all()
		const pages = 64
		var questions [pages]url.Values
		var want [pages]string
		for i := range questions {
			questions[i] = url.Values{"page": {fmt.Sprint(1 + i/4)}, "pageSize": {fmt.Sprint(1 + i%4)}}
			want[i] = s.answer("users", questions[i])
		}
		const later = `{"statusCode":503,"error":"Service Unavailable","message":"too many heavy queries; try again later"}`
		good, refused := 0, 0
		for round := 0; round < 50 && (good == 0 || refused == 0); round++ { // it takes three at the same moment, which one round all but has
			var answers [pages]*httptest.ResponseRecorder
			var all sync.WaitGroup
			start := make(chan struct{})
			for i := range questions {
				all.Go(func() {
					<-start
					answers[i] = s.ask("users", questions[i])
				})
			}
			close(start)
			all.Wait()
			for i, w := range answers {
				switch {
				case w.Code == 200 && w.Body.String() == want[i]:
					good++
				case w.Code == 503 && w.Body.String() == later && w.Header().Get("Retry-After") == "5":
					refused++
				default:
					t.Errorf("users?%s = %d %v\n%s\nwant 200\n%s\nor 503", questions[i].Encode(), w.Code, w.Header(), w.Body, want[i])
				}
			}
		}
		if good == 0 || refused == 0 {
			t.Errorf("%d pages were good and %d told to come back, want some of both", good, refused)
		}
		for _, q := range questions {
			s.agrees("users", q)
		}
	})
}
