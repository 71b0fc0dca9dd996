// Loans folds what a library network lent and read, and reports it from two states, with no database and no server.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/reading/calendar"
)

func main() {
	const norte = 1
	monday := time.Date(2026, 8, 3, 9, 0, 0, 0, calendar.Brasilia())
	feed := report.Feed{
		Books: []libraries.Book{{ID: 10, Title: "Iracema", Publisher: libraries.None, Year: libraries.None}},
		Readers: []libraries.Reader{{
			ID: 1, Name: "Ana", Library: libraries.None, AgeGroup: libraries.None, Registered: calendar.Day(monday), Status: libraries.ReaderActive, Updated: monday,
		}},
		Loans: []libraries.Loan{{ID: 1, Reader: 1, Book: 10, Borrowed: monday, Status: libraries.LoanActive}},
		Sessions: []report.Session{{
			ID: []byte("s1"), Reader: 1, Book: 10, Start: monday.Add(time.Hour), Seconds: 1500, Mode: []byte("online"), Format: []byte("ebook"), Progress: []byte("12.5"),
		}},
	}
	m := new(report.Memory)
	lent := fold(m, norte, feed, monday.Add(2*time.Hour))
	feed.Loans[0].Status, feed.Loans[0].Returned = libraries.LoanReturned, monday.Add(48*time.Hour)
	returned := fold(m, norte, feed, monday.Add(49*time.Hour)) // the session is in it again, and counts once

	reports := report.Reports{Store: m}
	august := calendar.Period{Start: calendar.MustParse("2026-08-01"), End: calendar.MustParse("2026-08-31")}
	for _, access := range []report.Access{lent, returned} { // the earlier state is as it was
		loans, err := reports.Loans(context.Background(), access, report.LoanQuery{Period: august}, paging.Page{Number: 1, Size: 100})
		if err != nil {
			log.Fatal(err)
		}
		for _, l := range loans.Rows {
			fmt.Printf("%s: %v, read for %d s, up to %v %%\n", l.Title.Book.Title, l.Loan.Status, l.Seconds, l.Highest)
		}
		summary, err := reports.Summary(context.Background(), access, report.SummaryQuery{Period: august}, paging.Page{Number: 1, Size: 100})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("  loans:", summary.General.Sums[metric.Loans], "returns:", summary.General.Sums[metric.Returns], "readings of 10 %:", summary.General.Sums[metric.Readings10])
	}
}

func fold(m *report.Memory, network libraries.NetworkID, f report.Feed, began time.Time) report.Access {
	access, _, err := m.Fold(context.Background(), network, f, began)
	if err != nil {
		log.Fatal(err)
	}
	return access
}
