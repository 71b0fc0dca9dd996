package librariesdb_test

import (
	"fmt"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// The days of the tests' events. There are more of them than partitions, so that some share one.
var (
	firstDay = calendar.MustParse("2026-07-21")
	lastDay  = firstDay + 299
)

// feed is the feed of a load. It has each loan and each reservation at most once.
type feed struct {
	readers      []libraries.Reader
	events       []libraries.Event
	loans        []libraries.Loan
	reservations []libraries.Reservation
	requests     []libraries.Request
}

// feedReaders are in several blocks of attributes. The first five share one.
var feedReaders = []int64{0, 1, 127, 128, 1023, 1024, 5000, 1024 * 256, 1 << 40}

// whole returns a feed with rows of all kinds. Feeds of different variants have the same identifiers and different rows.
func whole(variant int) (f feed) {
	readerOf := func(i int) int64 { return feedReaders[(i*7+variant)%len(feedReaders)] }
	at := func(i int) time.Time {
		return (firstDay + calendar.Date((i*37+variant)%300)).Start().UTC().Add(time.Duration(i*977%86_400) * time.Second)
	}
	for i, id := range feedReaders {
		f.readers = append(f.readers, libraries.Reader{
			ID: id, Name: fmt.Sprint("Reader ", variant, i), Email: "r@example.org", Library: int64(i%3) - 1, AgeGroup: libraries.None, City: "Palmas",
			Status: libraries.ReaderActive, Registered: firstDay + calendar.Date(i), Updated: at(0).Add(24 * time.Hour),
		})
	}
	f.readers[3].Status, f.readers[3].DeletedAt, f.readers[3].Email = libraries.ReaderDeleted, firstDay+9, ""
	for i := range 60 {
		e := libraries.Event{Reader: readerOf(i), Day: calendar.Day(at(i)), Second: libraries.Second(at(i)), Book: int64(1 + i%6)}
		switch i % 5 {
		case 0:
			e.Kind, e.Book = libraries.ActivityEvent, 0
		case 1:
			e.Kind = libraries.PreviewEvent
		case 2:
			e.Kind = libraries.RenewalEvent
		default:
			e.Kind, e.Seconds, e.Progress = libraries.SessionEvent, int64(i*60), libraries.Progress(i*1600)
			e.Mode, e.Format = libraries.Mode(1+i%2), libraries.Format(1+i/2%2)
		}
		e.ID = libraries.NewEventID(libraries.SessionResource, fmt.Append(nil, i), e.Reader, e.Day)
		f.events = append(f.events, e)
	}
	for i := range 20 {
		l := libraries.Loan{ID: int64(i), Reader: readerOf(i), Book: int64(1 + i%6), Borrowed: at(i), Status: libraries.LoanStatus(1 + i%3)}
		if due := l.Day() + 14; i%2 == 0 {
			l.Due = &due
		}
		if l.Status.Ended() {
			l.Returned = l.Borrowed.Add(50 * time.Hour)
		}
		r := libraries.Reservation{ID: int64(i), Reader: readerOf(i + 3), Book: int64(1 + i%4), Reserved: at(i + 5), Position: libraries.None, Status: libraries.ReservationStatus(1 + i%5)}
		if r.Status.Resolved() {
			r.Resolved = r.Reserved.Add(70 * time.Hour)
		}
		f.loans, f.reservations = append(f.loans, l), append(f.reservations, r)
		f.requests = append(f.requests, libraries.Request{
			ID: int64(i), Reader: readerOf(i), Title: fmt.Sprint("Título ", i%5), SearchTerm: "termo", Availability: libraries.Availability(1 + i%3), Requested: at(i),
		})
	}
	return f
}
