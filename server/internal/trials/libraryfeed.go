package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// libraryWriter makes rows that continue what a library network has.
type libraryWriter struct {
	schoolsWriter  // its chance, times and names
	s              *shelf
	f              libraryFeed
	readers, books []int
}

// libraryChunk makes a feed that continues what there is.
func (t *trial) libraryChunk(c chance) libraryFeed {
	l := t.libraries.worlds.likely()
	s := l.held
	if l.next != nil {
		s = l.next
	}
	w := &libraryWriter{schoolsWriter: schoolsWriter{chance: c, t: t, p: newPartner()}, s: s, f: libraryFeed{}}
	w.readers, w.books = slices.Sorted(maps.Keys(s.Readers)), slices.Sorted(maps.Keys(s.Books))
	if len(w.readers) == 0 {
		for i := range 3 {
			w.put("libraries", row{"id": 1 + i, "name": w.name("Biblioteca")})
			w.put("ageGroups", row{"id": 1 + i, "name": w.name("Faixa")})
		}
	}
	w.registers()
	w.lending()
	for range 4 + w.IntN(20) {
		w.happening()
	}
	return w.f
}

func (w *libraryWriter) put(file string, r row) { w.f[file] = append(w.f[file], r) }

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
	for range more0(len(w.books), 4) + w.IntN(2) {
		id := w.t.next()
		w.books = append(w.books, id)
		w.put("books", row{"bookId": id, "title": w.name("Título"), "isbn": "9788535902778", "author": "Autor", "hasEbook": true, "hasAudiobook": w.one(2), "hasVideo": false})
	}
}

// more0 is n where there is nothing yet.
func more0(have, n int) int {
	if have > 0 {
		return 0
	}
	return n
}

func (w *libraryWriter) reader(id int) {
	at := w.instant()
	r := row{"userId": id, "name": w.name("Bia"), "registeredAt": "2026-08-0" + strconv.Itoa(1+id%9), "status": "active", "updatedAt": w.stamp(at)}
	if !w.one(4) {
		r["email"] = fmt.Sprintf("b%d@x.example", w.t.serial)
	}
	if !w.one(3) {
		r["libraryId"], r["ageGroupId"], r["city"], r["state"] = 1+w.IntN(3), 1+w.IntN(3), "Belém", "PA"
		r["gender"] = pick(w.chance, []string{"Feminino", "Masculino", "Outro"})
		r["confirmedAt"], r["lastSignInAt"] = w.stamp(at), w.stamp(w.instant())
	}
	if w.one(6) {
		r["status"], r["deletedAt"] = pick(w.chance, []string{"deleted", "deactivated"}), dayOf(at)
	}
	w.put("readers", r)
}

// lending makes loans and reservations, and ends some that there are.
func (w *libraryWriter) lending() {
	for _, id := range slices.Sorted(maps.Keys(w.s.Loans)) {
		if l := maps.Clone(w.s.Loans[id]); l["status"] == "active" && w.one(3) {
			l["status"], l["returnedAt"] = pick(w.chance, []string{"returned", "expired"}), w.after(instant(l, "borrowedAt"))
			w.put("loans", l)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.s.Reservations)) {
		if r := maps.Clone(w.s.Reservations[id]); active(r) && w.one(3) {
			r["status"], r["resolvedAt"] = pick(w.chance, []string{"converted", "cancelled", "lost"}), w.after(instant(r, "reservedAt"))
			delete(r, "position")
			w.put("reservations", r)
		}
	}
	for range w.IntN(5) {
		at := w.instant()
		w.put("loans", row{"loanId": w.t.next(), "userId": pick(w.chance, w.readers), "bookId": pick(w.chance, w.books), "borrowedAt": w.stamp(at),
			"dueAt": addDays(dayOf(at), 14), "status": "active"})
	}
	for range w.IntN(3) {
		w.put("reservations", row{"reservationId": w.t.next(), "userId": pick(w.chance, w.readers), "bookId": pick(w.chance, w.books),
			"status": pick(w.chance, []string{"waiting", "available"}), "position": w.IntN(5), "reservedAt": w.recent()})
	}
}

// recent is a time within the history.
func (w *libraryWriter) recent() string {
	for {
		if at := w.instant(); dayOf(at) >= librariesHistory {
			return w.stamp(at)
		}
	}
}

// after is a time after another one, and before now.
func (w *libraryWriter) after(at time.Time) string {
	room := max(time.Second, w.t.clock.base.Add(-10*time.Minute).Sub(at))
	return w.stamp(at.Add(time.Duration(w.Int64N(int64(room)))))
}

func (w *libraryWriter) happening() {
	reader, title, at := pick(w.chance, w.readers), pick(w.chance, w.books), w.stamp(w.instant())
	switch n := w.IntN(10); {
	case n < 6:
		w.put("sessions", row{"sessionId": w.id(), "userId": reader, "bookId": title, "startedAt": at, "seconds": w.IntN(4000),
			"mode": pick(w.chance, []string{"online", "offline"}), "format": pick(w.chance, []string{"ebook", "audiobook"}),
			"progress": pick(w.chance, []float64{0, 9.99, 10, 33.33, 49.99, 50, 100})})
	case n < 8:
		w.put("previews", row{"previewId": w.id(), "userId": reader, "bookId": title, "viewedAt": at})
	case n < 9 || !w.t.product.renewals:
		w.put("activity", row{"activityId": w.id(), "userId": reader, "at": at})
	default:
		w.put("renewals", row{"renewalId": w.id(), "loanId": 1 + w.IntN(w.t.serial), "userId": reader, "bookId": title, "renewedAt": at})
	}
}
