package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/server/internal/tools/generate"
)

// librariesParams give four libraries and four months, which end with the same day as the schools' year.
var librariesParams = generate.Params{Users: 500, Days: 120, First: calendar.MustParse("2026-04-26"), Seed: 1, Titles: 160}

// bands are those of consumption but the first: 1-10, 11-20 and so on, and 101+ (L10).
const bands = 11

// editLibraries spreads the titles over all bands of consumption, lets some lines end soon, and has readers wait for popular titles.
func editLibraries(all tables) error {
	readings, err := readings(all)
	if err != nil {
		return err
	}
	oneLine(all["lines"], readings)
	spread(all["books"], readings)
	expire(all["lines"])
	queue(all)
	return nil
}

// readings counts the readers of each title who have read a tenth of it, and have had it on loan (L9).
func readings(all tables) (map[string]int, error) {
	type pair struct{ reader, book string }
	lent, read := map[pair]bool{}, map[pair]bool{}
	loans, sessions := all["loans"], all["sessions"]
	for _, r := range loans.rows {
		lent[pair{r[loans.at("userId")], r[loans.at("bookId")]}] = true
	}
	n := map[string]int{}
	for _, r := range sessions.rows {
		p := pair{r[sessions.at("userId")], r[sessions.at("bookId")]}
		progress, err := strconv.ParseFloat(r[sessions.at("progress")], 64)
		if err != nil {
			return nil, err
		}
		if progress >= 10 && lent[p] && !read[p] {
			read[p] = true
			n[p.book]++
		}
	}
	return n, nil
}

// oneLine leaves the titles that are read one line of their own each, of one copy, so that their uses alone say their band.
func oneLine(lines *table, readings map[string]int) {
	book, collection, kind, copies := lines.at("bookId"), lines.at("collection"), lines.at("kind"), lines.at("copies")
	had := map[string]bool{}
	lines.rows = slices.DeleteFunc(lines.rows, func(r []string) bool {
		if readings[r[book]] == 0 || r[collection] == "platform" {
			return false
		}
		if had[r[book]] || r[kind] != "purchase" || r[collection] == "external" {
			return true
		}
		had[r[book]] = true
		r[copies] = "1"
		return false
	})
}

// spread gives the copies of the titles that are read so many uses that the bands have about as many titles each. Those that are read
// most can be in most bands, and choose first.
func spread(books *table, readings map[string]int) {
	id, uses := books.at("bookId"), books.at("maxUses")
	var have [bands + 1]int
	most := slices.SortedStableFunc(slices.Values(books.rows), func(a, b []string) int { return readings[b[id]] - readings[a[id]] })
	for _, r := range most {
		chosen := 0
		for band := 1; band <= bands; band++ {
			if u, ok := usesFor(readings[r[id]], band); ok && (chosen == 0 || have[band] < have[chosen]) {
				chosen, r[uses] = band, strconv.Itoa(u)
			}
		}
		have[chosen]++
	}
}

// usesFor returns the least uses in which so many readings are in a band, of which 1 is 1-10, if there are any.
func usesFor(readings, band int) (uses int, ok bool) {
	if readings == 0 {
		return 0, false
	}
	for uses = max(1, readings-1); uses <= 10*readings; uses++ {
		if min((10*readings+uses-1)/uses, bands) == band {
			return uses, true
		}
	}
	return 0, false
}

// expire lets lines end soon after the last day of the feed: some within a month, more within three.
func expire(lines *table) {
	expires, collection := lines.at("expiresAt"), lines.at("collection")
	last := librariesParams.First + calendar.Date(librariesParams.Days) - 1
	n := 0
	for _, r := range lines.rows {
		if r[collection] == "platform" || r[expires] == "" {
			continue
		}
		if n++; n%4 == 0 {
			r[expires] = (last + calendar.Date(5*n/4)).String()
		}
	}
}

// queue has readers wait for the three titles that are lent most, eight, five and three of them, of whom the first may come for it.
func queue(all tables) {
	loans, reservations, readers := all["loans"], all["reservations"], all["readers"]
	lent := map[string]int{}
	for _, r := range loans.rows {
		lent[r[loans.at("bookId")]]++
	}
	var books, waiting []string
	for b := range lent {
		books = append(books, b)
	}
	slices.SortFunc(books, func(a, b string) int {
		if lent[a] != lent[b] {
			return lent[b] - lent[a]
		}
		return slices.Compare([]byte(a), []byte(b))
	})
	for _, r := range readers.rows {
		if r[readers.at("status")] == "active" && r[readers.at("lastSignInAt")] != "" {
			waiting = append(waiting, r[readers.at("userId")])
		}
	}
	reservations.keep("bookId", func(book string) bool { return !slices.Contains(books[:3], book) })
	id := 1_000_000
	last := librariesParams.First + calendar.Date(librariesParams.Days) - 1
	for i, n := range []int{8, 5, 3} {
		for place := range n {
			status := "waiting"
			if place == 0 {
				status = "available"
			}
			id++
			row := map[string]string{
				"reservationId": fmt.Sprint(id), "userId": waiting[(i*17+place*7)%len(waiting)], "bookId": books[i], "status": status,
				"position": fmt.Sprint(place + 1), "reservedAt": fmt.Sprintf("%vT1%d:30:00-03:00", last-calendar.Date(12-place), place),
			}
			var values []string
			for _, column := range reservations.columns {
				values = append(values, row[column])
			}
			reservations.rows = append(reservations.rows, values)
		}
	}
}
