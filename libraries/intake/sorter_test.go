package intake_test

import (
	"cmp"
	"math/rand/v2"
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

// madeOf returns an instant of whole microseconds.
func madeOf(random *rand.Rand) time.Time { return time.UnixMicro(random.Int64N(1<<52) - 1<<51).UTC() }

// instantOf returns an instant of whole microseconds, or the zero time.
func instantOf(random *rand.Rand) time.Time {
	if random.IntN(4) == 0 {
		return time.Time{}
	}
	return madeOf(random)
}

func textOf(random *rand.Rand) string { return []string{"", "a", "ação\n", "\x00"}[random.IntN(4)] }

// registerOf returns a register row of any content.
func registerOf(random *rand.Rand, id int64) libraries.Reader {
	r := libraries.Reader{
		ID: id, Name: textOf(random), Email: textOf(random), City: textOf(random), State: textOf(random), RA: textOf(random),
		Library: random.Int64N(3) + libraries.None, AgeGroup: random.Int64N(3) + libraries.None,
		Gender: libraries.Gender(random.IntN(6)), Status: libraries.ReaderStatus(random.IntN(4)),
		Registered: calendar.Date(random.Int32()),
		Updated:    time.UnixMicro(random.Int64N(3)).UTC(), Confirmed: instantOf(random), LastLogin: instantOf(random),
	}
	if r.Status.Inactive() {
		r.DeletedAt = calendar.Date(-random.Int32N(9))
	}
	return r
}

func loanOf(random *rand.Rand, id, reader int64) libraries.Loan {
	l := libraries.Loan{ID: id, Reader: reader, Book: random.Int64N(1 << 53), Borrowed: madeOf(random), Returned: instantOf(random), Status: libraries.LoanStatus(random.IntN(4))}
	if random.IntN(2) == 0 {
		due := calendar.Date(random.Int32())
		l.Due = &due
	}
	return l
}

func reservationOf(random *rand.Rand, id, reader int64) libraries.Reservation {
	return libraries.Reservation{
		ID: id, Reader: reader, Book: random.Int64N(1 << 53), Reserved: madeOf(random), Resolved: instantOf(random),
		Position: random.Int64N(4) + libraries.None, Status: libraries.ReservationStatus(random.IntN(6)),
	}
}

// TestSorter sorts records of all kinds, in memory and in files, and compares the feeds with maps.
func TestSorter(t *testing.T) {
	for _, limit := range []int{1, 5_000, 1 << 20} {
		random := rand.New(rand.NewPCG(uint64(limit), 3))
		sorter := &intake.Sorter{Sorter: extsort.Sorter{Limit: limit, Dir: t.TempDir()}}
		want := map[int64]*libraries.ReaderFeed{}
		for id := range int64(600) {
			reader := []int64{0, 1, 1023, 1024, 2048, 262_143, 262_144, 1 << 53}[random.IntN(8)]
			if want[reader] == nil {
				want[reader] = &libraries.ReaderFeed{Reader: reader}
			}
			noError(t, putAny(random, sorter, want[reader], id))
		}
		partOf := map[int64]int{} // by block
		for part := range extsort.Partitions {
			feeds := feedsOf(t, sorter, part)
			if !slices.IsSortedFunc(feeds, func(a, b libraries.ReaderFeed) int { return cmp.Compare(a.Reader, b.Reader) }) {
				t.Errorf("part %d: readers do not ascend", part)
			}
			for _, got := range feeds {
				block := facts.AttributesBlock(got.Reader)
				if _, met := partOf[block]; !met {
					partOf[block] = part
				}
				if partOf[block] != part || !reflect.DeepEqual(&got, want[got.Reader]) {
					t.Errorf("limit %d, part %d, reader %d:\n got %+v\nwant %+v", limit, part, got.Reader, got, want[got.Reader])
				}
				delete(want, got.Reader)
			}
		}
		if len(want) > 0 {
			t.Errorf("limit %d: no part has %v", limit, want)
		}
		noError(t, sorter.Close())
	}
}

// TestSpread gives readers identifiers with a stride: their blocks are spread over the parts, at most about twice as many
// in one as on average.
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
		for part := range extsort.Partitions {
			feeds := feedsOf(t, sorter, part)
			in := map[int64]bool{}
			for _, d := range feeds {
				in[facts.AttributesBlock(d.Reader)] = true
			}
			most, found = max(most, len(in)), found+int64(len(in))
		}
		if limit := 3 + 2*int(blocks)/extsort.Partitions; found != blocks || most > limit {
			t.Errorf("stride %d: %d blocks in parts, up to %d in one, want %d and %d", stride, found, most, blocks, limit)
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

// putAny adds one record, and puts it where it belongs.
func putAny(random *rand.Rand, sorter *intake.Sorter, d *libraries.ReaderFeed, id int64) error {
	switch random.IntN(6) {
	case 0:
		r := registerOf(random, d.Reader)
		if d.Row == nil || !r.Updated.Before(d.Row.Updated) { // the later stands, of equal ones the last
			d.Row = &r
		}
		return sorter.AddReader(r)
	case 1:
		c := libraries.LoanChange{Now: loanOf(random, id, d.Reader)}
		if random.IntN(2) == 0 {
			was := loanOf(random, id, d.Reader)
			c.Was = &was
		}
		d.Loans = append(d.Loans, c)
		return sorter.AddLoan(c)
	case 2:
		c := libraries.ReservationChange{Now: reservationOf(random, id, d.Reader)}
		if random.IntN(2) == 0 {
			was := reservationOf(random, id, d.Reader)
			c.Was = &was
		}
		d.Reservations = append(d.Reservations, c)
		return sorter.AddReservation(c)
	case 3:
		r := libraries.Request{
			ID: id, Reader: d.Reader, Title: textOf(random), Author: textOf(random), Publisher: textOf(random), SearchTerm: textOf(random),
			Availability: libraries.Availability(random.IntN(4)), Requested: madeOf(random),
		}
		d.Requests = append(d.Requests, r)
		return sorter.AddRequest(r)
	}
	e := libraries.Event{
		Kind: libraries.EventKind(1 + random.IntN(8)), ID: libraries.EventID(random.Uint64()), Reader: d.Reader, Book: random.Int64N(1 << 53),
		Day: calendar.Date(random.Int32()), Second: random.Int32N(86_400),
	}
	if e.Kind == libraries.SessionEvent {
		e.Seconds, e.Progress = random.Int64N(86_401), libraries.Progress(random.IntN(100_001))
		e.Mode, e.Format = libraries.Mode(random.IntN(3)), libraries.Format(random.IntN(3))
	}
	d.Events = append(d.Events, e)
	return sorter.AddEvent(e)
}
