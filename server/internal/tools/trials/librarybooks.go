package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// own returns the own lines of a title in the order in which they are consumed (L8, L9).
func (s *snapshot) own(book int) (lines []row) {
	for id, l := range s.Lines {
		if num(l, "bookId") == book && l["collection"] != "platform" && s.line(l) {
			lines = append(lines, with(l, "lineId", any(id)))
		}
	}
	slices.SortFunc(lines, func(a, b row) int {
		return cmp.Or(cmp.Compare(bought(a), bought(b)), compareInts(a, b, "number"), cmp.Compare(str(b, "kind"), str(a, "kind")), compareInts(a, b, "lineId"))
	})
	return lines
}

// line reports whether a line counts: a legacy line of an own collection without copies does not.
func (s *snapshot) line(l row) bool {
	return l["kind"] == "purchase" || l["copies"] != nil || l["collection"] == "platform"
}

// bought returns the day of a purchase as answers show it.
func bought(l row) string {
	if at := str(l, "purchasedAt"); l["kind"] == "purchase" || at > librariesHistory {
		return at
	}
	return librariesHistory
}

func perCopy(b row) int { return cmp.Or(num(b, "maxUses"), 26) }

func capacity(b, l row) int {
	if l["collection"] == "external" {
		return num(l, "copies")
	}
	return num(l, "copies") * perCopy(b)
}

// capacities returns the total capacity of lines of a title.
func capacities(b row, lines []row) (sum int) {
	for _, l := range lines {
		sum += capacity(b, l)
	}
	return sum
}

// origin returns the collection of a title as answers show it, or nil.
func (s *snapshot) origin(book int) any {
	if own := s.own(book); len(own) > 0 {
		return own[0]["collection"]
	}
	for _, l := range s.Lines {
		if num(l, "bookId") == book && l["collection"] == "platform" && s.line(l) {
			return "platform"
		}
	}
	return nil
}

// titled reports whether a title passes the filters that books and stock share.
func (s *snapshot) titled(q query, id int) bool {
	b := s.Books[id]
	has := func(param, member string) bool {
		ids, _ := b[member].([]int)
		return q.params[param] == "" || slices.ContainsFunc(ids, func(id int) bool { return q.is(param, id) })
	}
	search := q.params["search"]
	found := strings.Contains(folded(str(b, "title")), folded(search))
	if _, err := strconv.Atoi(search); err == nil {
		found = found || strings.Contains(str(b, "isbn"), search)
	}
	return found && q.is("bookId", id) && q.is("publisherId", b["publisherId"]) && q.is("publicationYear", b["publicationYear"]) &&
		has("categoryId", "categoryIds") && has("subjectId", "subjectIds")
}

// ordered sorts titles by a column, and then by title.
func ordered(q query, rows []row, column string, value func(r row) int) []row {
	column = cmp.Or(q.params["orderBy"], column)
	slices.SortFunc(rows, func(a, b row) int {
		byTitle := cmp.Compare(folded(str(a, "title")), folded(str(b, "title")))
		c := compareInts(a, b, column)
		if column == "title" {
			c = byTitle
		} else if column == "percentage" {
			c = cmp.Compare(value(a), value(b))
		}
		if q.params["orderDir"] != "asc" {
			c = -c
		}
		return cmp.Or(c, byTitle, compareInts(a, b, "bookId"))
	})
	return rows
}

func (s *snapshot) books(q query) (rows []row) {
	for id, b := range s.Books {
		if !s.titled(q, id) || !strings.Contains(folded(str(b, "author")), folded(q.params["author"])) {
			continue
		}
		if f := q.params["format"]; f == "ebook" && b["hasEbook"] != true || f == "audiobook" && b["hasAudiobook"] != true {
			continue
		}
		own, of := s.own(id), q.params["collection"]
		found := of == "" || of == "all"
		for _, l := range s.Lines {
			found = found || num(l, "bookId") == id && l["collection"] == of && s.line(l)
		}
		if !found {
			continue
		}
		t := s.tallied(func(f fact) bool { return f.book == id && q.within(f.day()) })
		r := t.put(row{"bookId": whole(id), "title": str(b, "title"), "isbn": given(b, "isbn"), "author": given(b, "author"),
			"publisher": s.name("publishers", b, "publisherId"), "collection": s.origin(id), "hasEbook": b["hasEbook"], "hasAudiobook": b["hasAudiobook"],
			"model": nil, "copies": nil, "consumedCopies": nil, "availableCopies": nil, "activeReservations": whole(s.waiting(id))},
			"loans", "returns", "readings10", "readings50", "renewals", "readingSeconds", "reservations")
		r["convertedReservations"] = whole(t.n["converted"])
		if len(own) > 0 {
			copies, consumed := capacities(b, own), s.confirmed(id)
			r["model"], r["copies"], r["consumedCopies"], r["availableCopies"] = whole(perCopy(b)), whole(copies), whole(consumed), whole(max(0, copies-consumed))
		}
		rows = append(rows, r)
	}
	return ordered(q, rows, "loans", nil)
}

// waiting counts the active reservations of a title.
func (s *snapshot) waiting(book int) int {
	return count(s.Reservations, func(r row) bool { return active(r) && num(r, "bookId") == book })
}

// confirmed counts the loans of a title whose reader opened it during the loan (L7).
func (s *snapshot) confirmed(book int) int {
	return count(s.Loans, func(l row) bool {
		until := "9999"
		if l["returnedAt"] != nil {
			until = dayOf(instant(l, "returnedAt"))
		}
		return num(l, "bookId") == book && slices.ContainsFunc(s.Events, func(e event) bool {
			return e.Kind == "sessions" && e.Book == book && e.Reader == num(l, "userId") && dayOf(e.At) >= dayOf(instant(l, "borrowedAt")) && dayOf(e.At) <= until
		})
	})
}

// readings counts the readers of a title who reached a tenth of it and borrowed it (L9).
func (s *snapshot) readings(book int) int {
	return count(s.Readers, func(r row) bool {
		lent := count(s.Loans, func(l row) bool { return num(l, "bookId") == book && num(l, "userId") == num(r, "userId") })
		return lent > 0 && slices.ContainsFunc(s.Events, func(e event) bool {
			return e.Kind == "sessions" && e.Book == book && e.Reader == num(r, "userId") && e.Progress >= 1000
		})
	})
}

// fraction returns a quotient with four decimals. A d of 0 counts as 1.
func fraction(n, d int) any {
	f := rounded(n*10000, max(1, d))
	return json.Number(fmt.Sprintf("%d.%04d", f/10000, f%10000))
}

// band returns the consumption band of a title (L10).
func band(readings, possible int) string {
	if readings == 0 || possible == 0 {
		return "0"
	}
	n := (readings*10 + possible - 1) / possible
	if n > 10 {
		return "101+"
	}
	return fmt.Sprintf("%d-%d", 10*n-9, 10*n)
}

func (s *snapshot) stock(q query) (rows []row) {
	since, until := q.bounds("purchasedFrom", "purchasedTo")
	for id, b := range s.Books {
		own := s.own(id)
		met := slices.ContainsFunc(own, func(l row) bool {
			return q.is("collection", l["collection"]) && bought(l) >= since && bought(l) <= until
		})
		readings, possible := s.readings(id), capacities(b, own)
		if !met || !s.titled(q, id) || !q.is("consumptionBand", band(readings, possible)) {
			continue
		}
		rows = append(rows, row{"bookId": whole(id), "title": str(b, "title"), "activeLoans": whole(s.lent(id)), "readings": whole(readings),
			"possibleReadings": whole(possible), "percentage": fraction(readings, possible), "activeReservations": whole(s.waiting(id)),
			"purchases": s.purchases(b, own, readings)})
	}
	return ordered(q, rows, "percentage", func(r row) int { return num(r, "readings") * 1e9 / num(r, "possibleReadings") })
}

// lent counts the active loans of a title.
func (s *snapshot) lent(book int) int {
	return count(s.Loans, func(l row) bool { return l["status"] == "active" && num(l, "bookId") == book })
}

// purchases returns the own lines of a title with the readings that are allocated to each.
func (s *snapshot) purchases(b row, own []row, readings int) (rows []any) {
	for _, l := range own {
		possible := capacity(b, l)
		consumed := min(readings, possible)
		readings -= consumed
		r := row{"purchaseId": fmt.Sprint("Compra ", l["number"]), "modality": given(l, "modality"), "model": whole(perCopy(b)), "copies": l["copies"],
			"possibleReadings": whole(possible), "consumed": whole(consumed), "percentage": fraction(consumed, possible), "purchasedAt": bought(l),
			"unitPrice": "12.50", "totalPrice": "37.00", "expiresAt": given(l, "expiresAt")}
		if l["kind"] == "legacy" {
			r["purchaseId"], r["copies"], r["unitPrice"], r["totalPrice"] = fmt.Sprint("Legado ", l["number"]), nil, "0", "0"
			if str(l, "expiresAt") < "2026" {
				r["expiresAt"] = nil
			}
		}
		rows = append(rows, r)
	}
	return rows
}
