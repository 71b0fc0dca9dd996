package librariesdb

import (
	"database/sql"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/paging/state/statedb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

const text = "Ação \"é\"; 'não'\n\\"

var (
	full  = time.Date(2026, 8, 1, 2, 59, 59, 999_999_000, time.UTC)
	epoch = time.Unix(0, 0).UTC()
)

// TestRecordsComeBack writes records with everything, with nothing and with the largest numbers, and reads them.
func TestRecordsComeBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		comeBack(f, booksTable, bookFields, bookValues, scanBook, []libraries.Book{
			{ID: 1, Publisher: libraries.None, Year: libraries.None},
			{ID: 2, Title: text, ISBN: "978", Author: text, Publisher: 0, Categories: []int64{0, 3, math.MaxInt64}, Subjects: []int64{7},
				HasEbook: true, MaxUses: ptr[int64](0), Year: 2026},
			{ID: math.MaxInt64, HasAudiobook: true, HasVideo: true, MaxUses: ptr[int64](math.MaxInt64), Year: 0},
		})
		comeBack(f, linesTable, lineFields, lineValues, scanLine, []libraries.BookLine{
			{Book: 1, Line: libraries.Line{ID: 1, Collection: libraries.Platform, Kind: libraries.PurchaseLine}},
			{Book: 2, Line: libraries.Line{ID: 2, Collection: libraries.Manual, Kind: libraries.LegacyLine, Number: 9, Modality: ptr(text), Copies: ptr[int64](0),
				UnitPrice: 1999, TotalPrice: math.MaxInt64, PurchasedAt: firstDay, ExpiresAt: ptr(calendar.Date(0))}},
			{Book: 2, Line: libraries.Line{ID: 3, Collection: libraries.External, Kind: libraries.LegacyLine, Modality: ptr(""), PurchasedAt: -1,
				ExpiresAt: ptr(firstDay)}},
		})
		comeBack(f, readersTable, readerFields, readerValues, scanReader, []libraries.Reader{
			{ID: 1, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive, Updated: epoch},
			{ID: 2, Name: text, Email: "a@b.example", Library: 0, AgeGroup: 4, City: text, State: "RJ", RA: "Ilha", Gender: libraries.NonBinary,
				Registered: firstDay, Status: libraries.ReaderDeleted, DeletedAt: firstDay + 1, Updated: full, Confirmed: full, LastLogin: full.Add(time.Microsecond)},
		})
		comeBack(f, loansTable, loanFields, loanValues, scanLoan, []libraries.Loan{
			{ID: 1, Reader: 2, Book: 3, Borrowed: epoch, Status: libraries.LoanActive},
			{ID: 2, Reader: 2, Book: 3, Borrowed: full, Returned: full.Add(time.Hour), Due: ptr(firstDay), Status: libraries.LoanExpired},
		})
		comeBack(f, reservationsTable, reservationFields, reservationValues, scanReservation, []libraries.Reservation{
			{ID: 1, Reader: 2, Book: 3, Reserved: epoch, Position: libraries.None, Status: libraries.Waiting},
			{ID: 2, Reader: 2, Book: 3, Reserved: full, Resolved: full, Position: 0, Status: libraries.Lost},
		})
		comeBack(f, requestsTable, requestFields, requestValues, scanRequest, []libraries.Request{
			{ID: 1, Reader: 2, Requested: epoch, Availability: libraries.NotFound},
			{ID: 1, Reader: 2, Requested: full, Title: text, Author: text, Publisher: text, SearchTerm: text, Availability: libraries.InCatalogue},
		})
		comeBack(f, channelsTable, channelFields, channelValues, scanChannel, []libraries.ChannelDay{
			{Day: 0, Channel: libraries.WebMobile},
			{Day: firstDay, Channel: libraries.App, Sessions: math.MaxInt64, Estimated: true},
		})
	})
}

// comeBack writes records and reads them in the order of their fields. The table has the columns, and no others.
func comeBack[T any](f *fixture, table *statedb.Table, fields string, values func(T) []any, scan func(*sql.Rows) (T, error), records []T) {
	f.Helper()
	putAll(f, table, values, records)
	rows, err := f.DB.QueryContext(f.Context(), `SELECT `+fields+` FROM `+table.Name+` WHERE ? ORDER BY `+fields, rowsOf(f.a))
	var got []T
	if err := each(rows, err, table.Name, scan, func(v T) { got = append(got, v) }); err != nil {
		f.Fatal(err)
	}
	if !reflect.DeepEqual(got, records) {
		f.Errorf("%s has\n%+v, want\n%+v", table.Name, got, records)
	}
	rows, err = f.DB.QueryContext(f.Context(), `SELECT * FROM `+table.Name)
	if err != nil {
		f.Fatal(err)
	}
	defer rows.Close()
	all, err := rows.Columns()
	if err != nil {
		f.Fatal(err)
	}
	if want := slices.Concat([]string{"tenant_id", "since", "until"}, table.Key, table.Columns); !slices.Equal(slices.Sorted(slices.Values(all)), slices.Sorted(slices.Values(want))) {
		f.Errorf("%s has the columns %v, of which %v are written", table.Name, all, want)
	}
}

// TestDayOfRecords writes a record of the last microsecond of a Brasilia day and one of the next: they stand on two days.
func TestDayOfRecords(t *testing.T) {
	day := calendar.MustParse("2026-07-31")
	for _, c := range []struct {
		at   time.Time
		want calendar.Date
	}{{full, day}, {full.Add(time.Microsecond), day + 1}} {
		for what, row := range map[string][]any{
			"loan":        loanValues(libraries.Loan{Borrowed: c.at}),
			"reservation": reservationValues(libraries.Reservation{Reserved: c.at}),
			"request":     requestValues(libraries.Request{Requested: c.at}),
		} {
			if row[0] != int64(c.want) {
				t.Errorf("a %s of %s is on day %v, want %d", what, c.at, row[0], c.want)
			}
		}
	}
}

// TestDeletedAtOfActiveReaders writes readers who differ in a day that has no meaning: the rows are alike.
func TestDeletedAtOfActiveReaders(t *testing.T) {
	with := readerValues(libraries.Reader{Status: libraries.ReaderActive, DeletedAt: firstDay})
	without := readerValues(libraries.Reader{Status: libraries.ReaderActive})
	if !slices.Equal(with, without) {
		t.Errorf("an active reader with deletedAt is %v, one without %v", with, without)
	}
}

// TestInstants takes the zero time as null, and nothing else.
func TestInstants(t *testing.T) {
	for _, at := range []time.Time{{}, full, epoch.Add(time.Microsecond), epoch.Add(-time.Microsecond)} {
		if got := instant(micros(at)); got != at {
			t.Errorf("instant(micros(%s)) = %s", at, got)
		}
	}
	if got := moment(micros(epoch)); got != epoch {
		t.Errorf("moment(micros(%s)) = %s", epoch, got)
	}
}

// TestSmallNumbers scans integers at both ends of narrower types, and one beyond each.
func TestSmallNumbers(t *testing.T) {
	var status libraries.LoanStatus
	var day calendar.Date
	var null = ptr(firstDay)
	for _, n := range []int64{0, 255} {
		if err := into(&status).Scan(n); err != nil || int64(status) != n {
			t.Errorf("%d is scanned as %d, %v", n, status, err)
		}
	}
	for _, n := range []int64{math.MinInt32, math.MaxInt32} {
		if err := (nullableDay{&null}).Scan(n); err != nil || int64(*null) != n {
			t.Errorf("%d is scanned as %d, %v", n, *null, err)
		}
	}
	for _, n := range []any{int64(-1), int64(256), nil, "1", 1.0} {
		if err := into(&status).Scan(n); err == nil {
			t.Errorf("%v is scanned as a status: %d", n, status)
		}
	}
	for _, n := range []any{int64(math.MinInt32 - 1), int64(math.MaxInt32 + 1)} {
		if err := into(&day).Scan(n); err == nil {
			t.Errorf("%v is scanned as a day: %d", n, day)
		}
	}
	if err := (nullableDay{&null}).Scan(nil); err != nil || null != nil {
		t.Errorf("null is scanned as %v, %v", null, err)
	}
}

func TestCorruptIdentifiers(t *testing.T) {
	for _, list := range []string{";", "1;", ";1", "1;;2", "a", "1,2", " 1", "9223372036854775808"} {
		if ids, err := parseIDs(list); err == nil {
			t.Errorf("parseIDs(%q) = %v, want an error", list, ids)
		}
	}
}
