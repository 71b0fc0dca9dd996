package librariesdb

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

const text = "Ação \"é\"; 'não'\n\\"

var (
	full  = time.Date(2026, 8, 1, 2, 59, 59, 999_999_000, time.UTC)
	epoch = time.Unix(0, 0).UTC()
)

// TestRecordsComeBack tests that full and empty records, and records with the largest numbers, are read as written.
func TestRecordsComeBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		comeBack(f, intake.Books, []libraries.Book{
			{ID: 1, Publisher: libraries.None, Year: libraries.None},
			{ID: 2, Title: text, ISBN: "978", Author: text, Publisher: 0, Categories: []int64{0, 3, math.MaxInt64}, Subjects: []int64{7},
				HasEbook: true, MaxUses: ptr[int64](0), Year: 2026},
			{ID: math.MaxInt64, HasAudiobook: true, HasVideo: true, MaxUses: ptr[int64](math.MaxInt64), Year: 0},
		})
		comeBack(f, intake.Lines, []stock.BookLine{
			{Book: 1, Line: stock.Line{ID: 1, Collection: stock.Platform, Kind: stock.PurchaseLine}},
			{Book: 2, Line: stock.Line{ID: 2, Collection: stock.Manual, Kind: stock.LegacyLine, Number: 9, Modality: ptr(text), Copies: ptr[int64](0),
				UnitPrice: 1999, TotalPrice: math.MaxInt64, PurchasedAt: firstDay, ExpiresAt: ptr(calendar.Date(0))}},
			{Book: 2, Line: stock.Line{ID: 3, Collection: stock.External, Kind: stock.LegacyLine, Modality: ptr(""), PurchasedAt: -1,
				ExpiresAt: ptr(firstDay)}},
		})
		comeBack(f, intake.Readers, []libraries.Reader{
			{ID: 1, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive, Updated: epoch},
			{ID: 2, Name: text, Email: "a@b.example", Library: 0, AgeGroup: 4, City: text, State: "RJ", RA: "Ilha", Gender: libraries.NonBinary,
				Registered: firstDay, Status: libraries.ReaderDeleted, DeletedAt: firstDay + 1, Updated: full, Confirmed: full, LastLogin: full.Add(time.Microsecond)},
		}, "erased") // a column that no load writes
		comeBack(f, intake.Loans, []libraries.Loan{
			{ID: 1, Reader: 2, Book: 3, Borrowed: epoch, Status: libraries.LoanActive},
			{ID: 2, Reader: 2, Book: 3, Borrowed: full, Returned: full.Add(time.Hour), Due: ptr(firstDay), Status: libraries.LoanExpired},
		})
		comeBack(f, intake.Reservations, []libraries.Reservation{
			{ID: 1, Reader: 2, Book: 3, Reserved: epoch, Position: libraries.None, Status: libraries.Waiting},
			{ID: 2, Reader: 2, Book: 3, Reserved: full, Resolved: full, Position: 0, Status: libraries.Lost},
		})
		comeBack(f, intake.Requests, []libraries.Request{
			{ID: 1, Reader: 2, Requested: epoch, Availability: libraries.NotFound},
			{ID: 1, Reader: 2, Requested: full, Title: text, Author: text, Publisher: text, SearchTerm: text, Availability: libraries.InCatalogue},
		})
		comeBack(f, intake.Channels, []libraries.ChannelDay{
			{Day: 0, Channel: libraries.WebMobile},
			{Day: firstDay, Channel: libraries.App, Sessions: math.MaxInt64, Estimated: true},
		})
	})
}

// comeBack checks that records are read as they were written, and that the table has no columns other than theirs and besides.
func comeBack[T any](f *fixture, table *snapshot.Records[T], records []T, besides ...string) {
	f.Helper()
	putAll(f, table, records)
	var got []T
	err := snapshotdb.Read(f.Context(), f.DB, table, func(v T) { got = append(got, v) },
		`FROM ? WHERE ? ORDER BY `+strings.Join(table.Key, ", "), bun.Ident(table.Name), rowsOf(f.a))
	if err != nil {
		f.Fatal(err)
	}
	if !reflect.DeepEqual(got, records) {
		f.Errorf("%s has\n%+v, want\n%+v", table.Name, got, records)
	}
	rows, err := f.DB.QueryContext(f.Context(), `SELECT * FROM `+table.Name)
	if err != nil {
		f.Fatal(err)
	}
	defer rows.Close()
	all, err := rows.Columns()
	if err != nil {
		f.Fatal(err)
	}
	if want := slices.Concat([]string{"tenant_id", "since", "until"}, table.Key, table.Columns, besides); !slices.Equal(slices.Sorted(slices.Values(all)), slices.Sorted(slices.Values(want))) {
		f.Errorf("%s has the columns %v, want %v", table.Name, all, want)
	}
}

// TestDayOfRecords tests that the last microsecond of a Brasilia day and the next microsecond are on two days.
func TestDayOfRecords(t *testing.T) {
	day := calendar.MustParse("2026-07-31")
	for _, c := range []struct {
		at   time.Time
		want calendar.Date
	}{{full, day}, {full.Add(time.Microsecond), day + 1}} {
		for what, row := range map[string][]any{
			"loan":        intake.Loans.Values(libraries.Loan{Borrowed: c.at}),
			"reservation": intake.Reservations.Values(libraries.Reservation{Reserved: c.at}),
			"request":     intake.Requests.Values(libraries.Request{Requested: c.at}),
		} {
			if row[0] != int64(c.want) {
				t.Errorf("a %s of %s is on day %v, want %d", what, c.at, row[0], c.want)
			}
		}
	}
}

// TestDeletedAtOfActiveReaders tests that the rows of active readers ignore deletedAt.
func TestDeletedAtOfActiveReaders(t *testing.T) {
	with := intake.Readers.Values(libraries.Reader{Status: libraries.ReaderActive, DeletedAt: firstDay})
	without := intake.Readers.Values(libraries.Reader{Status: libraries.ReaderActive})
	if !slices.Equal(with, without) {
		t.Errorf("Values of an active reader with deletedAt = %v, want those without it, %v", with, without)
	}
}
