package report_test

import (
	"context"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/report"
)

// erased is a Memory that was told of an erasure while it was asked.
type erased struct{ *report.Memory }

func (e erased) People(ctx context.Context, a report.Access, ids []directory.UserID) ([]report.Person, bool, error) {
	people, _, err := e.Memory.People(ctx, a, ids)
	return people, true, err
}

// TestMemory: a Memory answers from each of its states, counts an event once, and keeps partners apart.
func TestMemory(t *testing.T) {
	m := &report.Memory{
		Members: report.NewRegister([]directory.Entity{{ID: 1, Type: directory.Network}}, nil),
		Titles:  schools.NewBooks(2),
		Names:   map[directory.UserID]report.Person{1: {Name: "Ana"}},
	}
	for book := range int64(2) {
		m.Titles.Add(schools.Book{ID: book + 1, Length: 1000})
	}
	m.Members.Add(1, directory.Reader, 1, true, false)
	at := time.Date(2026, 3, 2, 20, 0, 0, 0, calendar.Brasilia())
	event := func(id string, book int64) schools.Event {
		return schools.NewSegment(schools.NewEventID('s', []byte(id)), 1, book,
			reading.Segment{Start: at, DurationMS: 60_000, From: 0, To: 300, Speed: reading.WordsPerMinute(300)})
	}
	var states []state.Versions
	for i, want := range []struct{ fresh, repeated int }{{1, 0}, {1, 1}} {
		v, fresh, repeated, err := m.Fold(t.Context(), 7, []schools.Event{event("a", 1), event("b", 2)}[:i+1]...)
		if err != nil || fresh != want.fresh || repeated != want.repeated {
			t.Fatalf("fold %d: %d new, %d repeated, %v, want %+v", i, fresh, repeated, err, want)
		}
		states = append(states, v)
	}
	reports := report.Reports{Store: m}
	march := calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}
	for i, tt := range []struct {
		partner directory.PartnerID
		at      state.Versions
		want    int64
	}{{7, states[0], 1}, {7, states[1], 2}, {7, state.Versions{}, 0}, {8, states[1], 0}} {
		list, err := reports.Readings(t.Context(), report.Access{Partner: tt.partner, Network: 1, At: tt.at}, march, report.Filter{}, paging.Page{Number: 1, Size: 10})
		if err != nil || list.Total != tt.want {
			t.Errorf("case %d: %d rows, %v, want %d", i, list.Total, err, tt.want)
		}
	}
	for store, want := range map[report.Store]bool{m: false, erased{m}: true} {
		reports := report.Reports{Store: store}
		users, err := reports.Users(t.Context(), report.Access{Partner: 7, Network: 1}, report.Filter{}, paging.Page{Number: 1, Size: 10})
		if err != nil || len(users.Rows) != 1 || users.Rows[0].Name != "Ana" || users.Erased != want {
			t.Errorf("users = %+v, %v, want Ana, and erased %t", users, err, want)
		}
	}
}
