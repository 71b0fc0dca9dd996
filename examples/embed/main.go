// Embed folds a reader's events and reports what was read, with no database and no server: the store is a few values in
// memory.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

const ana directory.UserID = 1

// memory is a store of one partner in one state. It has what Readings asks for; the methods of the other reports are those
// of the embedded nil.
type memory struct {
	schools.Store
	register *schools.Register
	books    *schools.Books
	ledgers  *schools.Ledgers
	records  map[int64]*reading.Record // Ana's, by book
}

func (m *memory) Register(context.Context, directory.PartnerID, state.Versions) (*schools.Register, error) {
	return m.register, nil
}

func (m *memory) Books(context.Context, directory.PartnerID, state.Versions) (*schools.Books, error) {
	return m.books, nil
}

func (m *memory) Ledgers(context.Context, directory.PartnerID, state.Versions) (*schools.Ledgers, error) {
	return m.ledgers, nil
}

func (m *memory) Records(_ context.Context, _ directory.PartnerID, _ state.Versions, keys []schools.RecordKey,
	_ calendar.Period, visit func(schools.RecordKey, []byte) error) error {
	for _, k := range keys {
		if err := visit(k, schools.AppendRecord(nil, *m.records[k.Book])); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	evening, fast := time.Date(2026, 3, 2, 20, 0, 0, 0, calendar.Brasilia()), reading.WordsPerMinute(300)
	first := schools.NewSegment(schools.NewEventID('s', []byte("s1")), ana, 10,
		reading.Segment{Start: evening, DurationMS: 1_103_000, From: 0, To: 4501, Speed: fast})
	second := schools.NewSegment(schools.NewEventID('s', []byte("s2")), ana, 11,
		reading.Segment{Start: evening.Add(time.Hour), DurationMS: 65_000, From: 0, To: 300, Speed: fast})
	change, err := schools.Fold(schools.Account{}, ana, []schools.Event{first, second, first}) // sent twice, counted once
	if err != nil {
		log.Fatal(err)
	}
	network := schools.NewRegister([]directory.Entity{{ID: 1, Type: directory.Network}}, nil)
	m := &memory{nil, network, schools.NewBooks(2), &schools.Ledgers{}, change.Records}
	m.register.Add(ana, directory.Reader, 1, true, false)
	m.books.Add(schools.Book{ID: 10, Title: "Dom Casmurro", Length: 10_000})
	m.books.Add(schools.Book{ID: 11, Title: "O Cortiço", Length: 600})
	m.ledgers.Set(ana, change.Ledger)
	march := calendar.Period{Start: calendar.MustParse("2026-03-01"), End: calendar.MustParse("2026-03-31")}
	reports, page := schools.Reports{Store: m}, paging.Page{Number: 1, Size: 100}
	list, err := reports.Readings(context.Background(), schools.Access{Network: 1}, march, schools.Filter{}, page)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("new events:", change.New, "repeated:", change.Repeated, "rows:", list.Total)
	for _, r := range list.Rows {
		fmt.Printf("%s: %d tenths of a minute, %d hundredths of a percent, finished: %t\n", r.Book.Title, r.Tenths, r.Percent, r.Finished)
	}
}
