package intake_test

import (
	"testing"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/internal/intake"
)

var day = calendar.MustParse("2026-03-10")

// read is the reading of a book by a user.
func read(user directory.UserID, book int64, number int) schools.Event {
	return schools.Event{
		ID: schools.EventID{Series: 1, Number: int64(number)}, User: user, Day: day, Effect: schools.EffectiveReading,
		At: 36_000, MS: 60_000, Book: book, Extent: reading.Interval{From: 0, To: 50},
	}
}

// load loads a pile into a memory, and returns the number of the state.
func load(t *testing.T, m *state.Memory, p *intake.Pile) int64 {
	t.Helper()
	l := m.Load(1)
	if _, _, err := intake.Load(t.Context(), l, p, intake.Options{}); err != nil {
		t.Fatal(err)
	}
	at, err := l.Hold()
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestLedgersOfManyEvents: users whose ledgers are stored together have them all, though their events are more than are folded at a time,
// and so after a second load.
func TestLedgersOfManyEvents(t *testing.T) {
	m := &state.Memory{}
	users := []directory.UserID{128, 129, 130, 255}
	for times := range int64(2) {
		p := &intake.Pile{}
		for _, user := range users {
			for n := range 70_000 {
				if err := p.Add(read(user, 1+times, int(times)<<20+n)); err != nil {
					t.Fatal(err)
				}
			}
		}
		ledgers, err := facts.Facts{Blocks: m, Partner: 1, At: load(t, m, p)}.Ledgers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, user := range users {
			if books := ledgers.Books(user, calendar.Period{Start: day, End: day}); int64(len(books)) != 1+times {
				t.Errorf("load %d: user %d has the books %v, want %d of them", times, user, books, 1+times)
			}
		}
	}
}
