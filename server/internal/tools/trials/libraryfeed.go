package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// libraryWriter writes rows that continue the data of a library network.
type libraryWriter struct {
	schoolsWriter  // its chance, times and names
	s              *snapshot
	readers, books []int
}

// chunk makes a feed that continues the data of the library network.
func (t *librarySide) chunk(c chance) feed {
	l := t.worlds.likely()
	s := l.current
	if l.next != nil {
		s = l.next
	}
	w := &libraryWriter{schoolsWriter: schoolsWriter{chance: c, t: t.tenant, p: newPartner(""), f: feed{}}, s: s}
	w.readers, w.books = slices.Sorted(maps.Keys(s.Readers)), slices.Sorted(maps.Keys(s.Books))
	for _, name := range vocabularies {
		for id := 1; id <= 3 && (len(w.books) == 0 || w.one(30)); id++ {
			w.f.add(name, row{"id": id, "name": w.name(pick(c, []string{"Árvore", "arte", "Éden"}))})
		}
	}
	w.registers()
	w.differ()
	w.lending()
	for range 4 + w.IntN(20) {
		w.happening()
	}
	w.besides()
	return w.f
}

func (w *libraryWriter) registers() {
	for _, id := range w.readers {
		if w.one(5) {
			w.reader(id)
		}
	}
	for range more0(len(w.readers), 8) + w.IntN(3) {
		id := w.t.next()
		w.reader(id)
		w.readers = append(w.readers, id)
	}
	for _, id := range w.books {
		if w.one(8) {
			w.title(id)
		}
	}
	for range more0(len(w.books), 4) + w.IntN(2) {
		id := w.t.next()
		w.books = append(w.books, id)
		w.title(id)
	}
}

// more0 returns n if there is nothing yet, otherwise 0.
func more0(have, n int) int {
	if have > 0 {
		return 0
	}
	return n
}

// title writes a title and up to two lines of it.
func (w *libraryWriter) title(id int) {
	r := row{"bookId": id, "title": w.name("Título"), "hasEbook": w.one(2), "hasAudiobook": w.one(2), "hasVideo": w.one(9), "publicationYear": 2000 + w.IntN(4)}
	if w.one(2) {
		r["isbn"], r["author"], r["publisherId"], r["maxUses"] = "9788535902778", pick(w.chance, []string{"Zé Só", "ana"}), 1+w.IntN(3), 1+w.IntN(5)
	}
	if w.one(2) {
		r["categoryIds"], r["subjectIds"] = []int{1 + w.IntN(2), 3}, []int{1 + w.IntN(3)}
	}
	w.f.add("books", r)
	for range w.IntN(3) {
		w.line(id)
	}
}

func (w *libraryWriter) line(book int) {
	kind := pick(w.chance, []string{"purchase", "legacy"})
	r := row{"lineId": w.t.next(), "bookId": book, "collection": pick(w.chance, collections), "kind": kind, "number": 1 + w.IntN(5), "copies": 1 + w.IntN(3),
		"purchasedAt": dayOf(w.instant())}
	switch {
	case kind == "purchase":
		r["modality"], r["unitPrice"], r["totalPrice"] = "Por empréstimos", "12.50", "37.00"
	case w.one(3):
		delete(r, "copies")
	}
	if w.one(2) {
		r["expiresAt"] = pick(w.chance, []string{"2025-12-31", "2026-01-01", "2027-03-01"})
	}
	w.f.add("lines", r)
}

func (w *libraryWriter) reader(id int) {
	at := w.instant()
	r := row{"userId": id, "name": w.name("Bia"), "registeredAt": "2026-08-0" + strconv.Itoa(1+id%9), "status": "active", "updatedAt": w.stamp(at)}
	if w.one(4) {
		r["registeredAt"] = dayOf(at)
	}
	if !w.one(4) {
		r["email"] = fmt.Sprintf("b%d@%s.example", w.t.serial, w.t.name)
	}
	if !w.one(3) {
		r["libraryId"], r["ageGroupId"], r["city"], r["state"] = 1+w.IntN(3), 1+w.IntN(3), pick(w.chance, []string{"Belém", "belem", "Óbidos"}), "PA"
		r["gender"] = pick(w.chance, []string{"Feminino", "Masculino", "Outro"})
		r["confirmedAt"], r["lastSignInAt"] = w.stamp(at), w.stamp(w.instant())
	}
	if w.one(6) {
		r["status"], r["deletedAt"] = pick(w.chance, []string{"deleted", "deactivated"}), dayOf(at)
	}
	w.f.add("readers", r)
}

// lending writes new loans and reservations, and ends some existing ones.
func (w *libraryWriter) lending() {
	for _, id := range slices.Sorted(maps.Keys(w.s.Loans)) {
		if l := maps.Clone(w.s.Loans[id]); l["status"] == "active" && w.one(3) {
			l["status"], l["returnedAt"] = pick(w.chance, []string{"returned", "expired"}), w.after(l, "borrowedAt")
			w.f.add("loans", l)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.s.Reservations)) {
		if r := maps.Clone(w.s.Reservations[id]); active(r) && w.one(3) {
			r["status"], r["resolvedAt"] = pick(w.chance, []string{"converted", "cancelled", "lost"}), w.after(r, "reservedAt")
			delete(r, "position")
			w.f.add("reservations", r)
		}
	}
	for range w.IntN(5) {
		at := w.instant()
		w.f.add("loans", row{"loanId": w.t.next(), "userId": pick(w.chance, w.readers), "bookId": pick(w.chance, w.books), "borrowedAt": w.stamp(at),
			"dueAt": addDays(dayOf(at), 14), "status": "active"})
	}
	for range w.IntN(3) {
		w.f.add("reservations", row{"reservationId": w.t.next(), "userId": pick(w.chance, w.readers), "bookId": pick(w.chance, w.books),
			"status": pick(w.chance, []string{"waiting", "available"}), "position": w.IntN(5), "reservedAt": w.recent()})
	}
}

// recent returns a time within the history.
func (w *libraryWriter) recent() string {
	for {
		if at := w.instant(); dayOf(at) >= librariesHistory {
			return w.stamp(at)
		}
	}
}

// after returns a time after that of a row's member, and before now.
func (w *libraryWriter) after(r row, member string) string {
	at := instant(r, member)
	room := max(time.Second, w.t.clock.base.Add(-10*time.Minute).Sub(at))
	return w.stamp(at.Add(time.Duration(w.Int64N(int64(room)))))
}

func (w *libraryWriter) happening() {
	reader, title, at := pick(w.chance, w.readers), pick(w.chance, w.books), w.stamp(w.instant())
	switch n := w.IntN(10); {
	case n < 6:
		w.f.add("sessions", row{"sessionId": w.id(), "userId": reader, "bookId": title, "startedAt": at, "seconds": w.IntN(4000),
			"mode": pick(w.chance, []string{"online", "offline"}), "format": pick(w.chance, []string{"ebook", "audiobook"}),
			"progress": pick(w.chance, []float64{0, 9.99, 10, 33.33, 49.99, 50, 100})})
	case n < 8:
		w.f.add("previews", row{"previewId": w.id(), "userId": reader, "bookId": title, "viewedAt": at})
	case n < 9:
		w.f.add("activity", row{"activityId": w.id(), "userId": reader, "at": at})
	default:
		w.f.add("renewals", row{"renewalId": w.id(), "loanId": 1 + w.IntN(w.t.serial), "userId": reader, "bookId": title, "renewedAt": at})
	}
}

// besides writes channels and suggestions.
func (w *libraryWriter) besides() {
	for range w.IntN(4) {
		channel := pick(w.chance, channels)
		w.f.add("channels", row{"date": dayOf(w.instant()), "channel": channel, "sessions": w.IntN(500), "estimated": channel == "app"})
	}
	for range w.IntN(5) {
		r := row{"requestId": w.t.next(), "userId": pick(w.chance, w.readers), "availability": pick(w.chance, []string{"catalog", "marketplace", "none"}), "requestedAt": w.stamp(w.instant())}
		if w.one(4) {
			r["searchTerm"] = pick(w.chance, []string{"MAPAS", "mapas"})
		} else {
			r["title"] = pick(w.chance, []string{"Água viva", "ÁGUA  VIVA", "O Ateneu"})
		}
		if w.one(2) {
			r["author"], r["publisher"] = pick(w.chance, []string{"Clarice", " clarice"}), "Rocco"
		}
		w.f.add("suggestions", r)
	}
}
