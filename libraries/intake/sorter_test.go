package intake_test

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
)

// TestSorter tests that a sorter returns each reader's records in the order of adding, from memory and from files.
func TestSorter(t *testing.T) {
	at, due := time.UnixMicro(1<<51-1).UTC(), calendar.Date(-7)
	loan := libraries.Loan{ID: 1 << 53, Reader: 5, Book: 9, Borrowed: at, Status: libraries.LoanActive}
	returned := libraries.Loan{ID: 2, Reader: 5, Book: 9, Borrowed: at, Returned: at.Add(time.Hour), Due: &due, Status: libraries.LoanReturned}
	waiting := libraries.Reservation{ID: 3, Reader: 5, Book: 9, Reserved: at, Position: libraries.None, Status: libraries.Waiting}
	lost := libraries.Reservation{ID: 3, Reader: 5, Book: 9, Reserved: at, Resolved: at, Status: libraries.Lost}
	named := func(name string, updated int64) libraries.Reader {
		return libraries.Reader{ID: 5, Name: name, Library: libraries.None, AgeGroup: 1 << 40, Status: libraries.ReaderDeleted, DeletedAt: -3, Updated: time.UnixMicro(updated).UTC()}
	}
	activity := libraries.Event{Kind: libraries.ActivityEvent, ID: 1<<64 - 1, Reader: 5, Day: -1, Second: 86_399}
	session := libraries.Event{
		Kind: libraries.SessionEvent, ID: 7, Reader: 5, Book: 1 << 53, Day: 1 << 30, Seconds: 86_400, Progress: 100_000, Mode: libraries.Offline, Format: libraries.Audiobook,
	}
	request := libraries.Request{ID: 4, Reader: 5, Title: "ação\n\x00", Availability: libraries.NotFound, Requested: at}
	other := libraries.Event{Kind: libraries.PreviewEvent, ID: 8, Reader: 1 << 53, Book: 1}
	for _, limit := range []int{1, 1 << 20} {
		s := &intake.Sorter{Sorter: extsort.Sorter{Limit: limit, Dir: t.TempDir()}}
		noError(t, errors.Join(
			s.AddReader(named("earlier", 1)), s.AddEvent(activity), s.AddLoan(libraries.LoanChange{Now: loan}), s.AddReader(named("first of equal ones", 2)),
			s.AddEvent(other), s.AddLoan(libraries.LoanChange{Now: returned, Was: &loan}), s.AddReservation(libraries.ReservationChange{Now: waiting}),
			s.AddReader(named("last of equal ones", 2)), s.AddReservation(libraries.ReservationChange{Now: lost, Was: &waiting}), s.AddRequest(request),
			s.AddReader(named("out of date", 1)), s.AddEvent(session)))
		var got []libraries.ReaderFeed
		for partition := range extsort.Partitions {
			got = append(got, feedsOf(t, s, partition)...)
		}
		slices.SortFunc(got, func(a, b libraries.ReaderFeed) int { return cmp.Compare(a.Reader, b.Reader) })
		want := []libraries.ReaderFeed{{
			Reader: 5, Row: new(named("last of equal ones", 2)), Events: []libraries.Event{activity, session},
			Loans:        []libraries.LoanChange{{Now: loan}, {Now: returned, Was: &loan}},
			Reservations: []libraries.ReservationChange{{Now: waiting}, {Now: lost, Was: &waiting}}, Requests: []libraries.Request{request},
		}, {Reader: 1 << 53, Events: []libraries.Event{other}}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("limit %d: got\n%+v, want\n%+v", limit, got, want)
		}
		noError(t, s.Close())
	}
}

// TestSpread tests that the blocks of readers whose identifiers have a stride are spread over the partitions. None has
// more than about twice the average.
func TestSpread(t *testing.T) {
	const readers = 20_000
	for _, stride := range []int64{1, 3, 1024, 10_240, 262_144, 1 << 38} {
		sorter := &intake.Sorter{Sorter: extsort.Sorter{Dir: t.TempDir()}}
		for i := range int64(readers) {
			noError(t, sorter.AddEvent(libraries.Event{Kind: libraries.ActivityEvent, Reader: i * stride}))
		}
		blocks := 1 + facts.AttributesBlock((readers-1)*stride)
		blocks = min(blocks, readers)
		most, found := 0, int64(0)
		for partition := range extsort.Partitions {
			feeds := feedsOf(t, sorter, partition)
			in := map[int64]bool{}
			for _, d := range feeds {
				in[facts.AttributesBlock(d.Reader)] = true
			}
			most, found = max(most, len(in)), found+int64(len(in))
		}
		if limit := 3 + 2*int(blocks)/extsort.Partitions; found != blocks || most > limit {
			t.Errorf("stride %d: %d blocks in partitions, up to %d in one, want %d and at most %d", stride, found, most, blocks, limit)
		}
		noError(t, sorter.Close())
	}
}

// feedsOf returns the feeds of the readers of a partition.
func feedsOf(t *testing.T, s *intake.Sorter, partition int) (list []libraries.ReaderFeed) {
	noError(t, s.Each(partition, func(run *extsort.Run) error {
		some, err := intake.ReaderFeeds(run)
		list = append(list, some...)
		return err
	}))
	return list
}
