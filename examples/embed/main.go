// Embed folds a reader's events and reports what was read, with no database and no server.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/report"
)

func main() {
	const partner, network, ana = 1, 1, 1
	m := &report.Memory{Titles: schools.NewBooks(2), Members: report.NewRegister([]directory.Entity{{ID: network, Type: directory.Network}}, nil)}
	m.Members.Add(ana, directory.Reader, network, true, false)
	m.Titles.Add(schools.Book{ID: 10, Title: "Dom Casmurro", Length: 10_000})
	m.Titles.Add(schools.Book{ID: 11, Title: "O Cortiço", Length: 600})
	evening, fast := time.Date(2026, 3, 2, 20, 0, 0, 0, calendar.Brasilia()), reading.WordsPerMinute(300)
	first := schools.NewSegment(schools.NewEventID('s', []byte("s1")), ana, 10,
		reading.Segment{Start: evening, DurationMS: 1_103_000, From: 0, To: 4501, Speed: fast})
	second := schools.NewSegment(schools.NewEventID('s', []byte("s2")), ana, 11,
		reading.Segment{Start: evening.Add(time.Hour), DurationMS: 65_000, From: 0, To: 300, Speed: fast})
	at, fresh, repeated, err := m.Fold(context.Background(), partner, first, second, first) // sent twice, counted once
	if err != nil {
		log.Fatal(err)
	}
	reports, access := report.Reports{Store: m}, report.Access{Partner: partner, Network: network, At: at}
	march := calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}
	list, err := reports.Readings(context.Background(), access, march, report.Filter{}, paging.Page{Number: 1, Size: 100})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("new events:", fresh, "repeated:", repeated, "rows:", list.Total)
	for _, r := range list.Rows {
		fmt.Printf("%s: %v minutes, %v %%, finished: %t\n", r.Book.Title, r.Minutes, r.Percent, r.Finished)
	}
}
