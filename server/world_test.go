package server_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A world is a partner's networks as a feed has them.
type world struct {
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

// query is a question about a network, with the filters of the API.
type query struct {
	network      string
	start, end   string
	user, school int // 0: not filtered
	profile      string
}
