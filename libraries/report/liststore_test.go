package report_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// listStore is a library network in memory: its rows, and the stored forms that a load would make of them. It counts its
// reads. It has only one snapshot, so it answers no incremental pulls.
type listStore struct {
	report.Store

	network libraries.NetworkID
	at      snapshot.Versions
	hour    libraries.Hour

	terms        map[libraries.Vocabulary][]libraries.Term
	books        []libraries.Book
	people       []libraries.Reader // by ID
	deltas       []facts.DayDelta
	loans        []libraries.Loan        // by day, then ID
	reservations []libraries.Reservation // likewise
	requests     []libraries.Request     // by Requested, then ID, then Reader
	channels     []libraries.ChannelDay
	pairs        map[readerBook]libraries.Pair

	forms       map[calendar.Date]facts.DayForms
	days        facts.Days
	titleCounts facts.CountsByTitle
	most        int // the most loans that were read at once
	readings    map[int64][]byte
	blocks      [][]byte

	mu    sync.Mutex
	reads map[string]int
}

type readerBook struct{ reader, book int64 }

// history is the first day of the test networks' histories.
const history = libraries.HistoryStart

// access returns the access to the network's snapshot.
func (s *listStore) access() report.Access {
	return report.Access{Network: s.network, At: s.at, Hour: s.hour}
}

// newListStore returns a network with random rows of so many days, from the start of the history on. For 0 days it has
// only terms, titles and readers.
func newListStore(t testing.TB, seed uint64, days int) *listStore {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &listStore{network: 7, at: snapshot.Versions{Registers: 3, Facts: 3}, hour: libraries.HourOf((history + 40).Start())}
	s.addTables(rng, 40, 9)
	if days > 0 {
		s.addLoans(rng, days, 400)
		s.addReservations(rng, days, 200)
		s.addDays(rng, days)
		s.addRequests(rng, days, 150)
	}
	s.pack(t)
	return s
}

func (s *listStore) addTables(rng *rand.Rand, readers, books int) {
	s.terms = map[libraries.Vocabulary][]libraries.Term{
		libraries.LibraryTerms:  {{ID: 1, Name: "Centro"}, {ID: 2, Name: "Norte"}, {ID: 3, Name: "Sul"}},
		libraries.AgeGroupTerms: {{ID: 1, Name: "Adulto"}, {ID: 2, Name: "Infantil"}},
	}
	for i := range books {
		s.books = append(s.books, libraries.Book{
			ID: int64(10 * (i + 1)), Title: fmt.Sprint("Livro ", i), Publisher: libraries.None, Year: libraries.None,
		})
	}
	id := int64(0)
	for range readers {
		id += 1 + rng.Int64N(200) // several blocks
		r := libraries.Reader{
			ID: id, Name: fmt.Sprint("Leitor ", id), Library: pickOne[int64](rng, libraries.None, 1, 2),
			AgeGroup: pickOne[int64](rng, libraries.None, 1, 2), Gender: libraries.NotInformed,
			Registered: history - 5 + calendar.Date(rng.IntN(20)), Status: libraries.ReaderStatus(1 + rng.IntN(3)),
			Updated: (history + calendar.Date(rng.IntN(10))).Start().Add(pickOne(rng, 0, 24*time.Hour-time.Microsecond)),
		}
		if r.Status.Inactive() {
			r.DeletedAt = history + calendar.Date(rng.IntN(10))
		}
		s.people = append(s.people, r)
	}
}

func pickOne[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// addLoans adds loans, and a pair for some of their readers and titles.
func (s *listStore) addLoans(rng *rand.Rand, days, n int) {
	s.pairs = map[readerBook]libraries.Pair{}
	for _, id := range rng.Perm(n) {
		l := libraries.Loan{
			ID: int64(id), Reader: s.anyReader(rng), Book: s.anyBook(rng),
			Borrowed: someTime(rng, days), Status: libraries.LoanStatus(1 + rng.IntN(3)),
		}
		if l.Status.Ended() {
			l.Returned = l.Borrowed.Add(time.Hour)
		}
		s.loans = append(s.loans, l)
		s.pairs[readerBook{l.Reader, l.Book}] = libraries.Pair{}
		if rng.IntN(2) == 0 {
			s.pairs[readerBook{l.Reader, l.Book}] = libraries.NewPair(l.Day(), rng.Int64N(9000), libraries.Progress(rng.IntN(100_001)))
		}
	}
	slices.SortFunc(s.loans, func(a, b libraries.Loan) int { return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID)) })
}

func (s *listStore) addReservations(rng *rand.Rand, days, n int) {
	for _, id := range rng.Perm(n) {
		r := libraries.Reservation{
			ID: int64(id), Reader: s.anyReader(rng), Book: s.anyBook(rng), Position: libraries.None,
			Reserved: someTime(rng, days), Status: libraries.ReservationStatus(1 + rng.IntN(5)),
		}
		if r.Status.Resolved() {
			r.Resolved = r.Reserved.Add(time.Hour)
		}
		s.reservations = append(s.reservations, r)
	}
	slices.SortFunc(s.reservations, func(a, b libraries.Reservation) int {
		return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ID, b.ID))
	})
}

// addDays adds what readers did on the days, apart from loans and reservations. Some days are empty, and some readers
// did nothing that makes a row.
func (s *listStore) addDays(rng *rand.Rand, days int) {
	for i := range days {
		if rng.IntN(5) == 0 {
			continue
		}
		for _, r := range s.people {
			if rng.IntN(3) == 0 {
				s.deltas = append(s.deltas, readerOnDay(rng, history+calendar.Date(i), r.ID, s.books))
			}
		}
	}
}

// readerOnDay returns a random day of a reader: one with sessions, or with only one kind of other events. These are
// previews, an automatic expiry, a return, or the conversion of a reservation of another day.
func readerOnDay(rng *rand.Rand, day calendar.Date, reader int64, books []libraries.Book) facts.DayDelta {
	d := facts.DayDelta{Day: day, Reader: reader}
	book := facts.BookDelta{Book: books[rng.IntN(len(books))].ID}
	switch rng.IntN(6) {
	case 0:
		d.Previews = 1 + rng.Int64N(3)
		d.Presence = libraries.Presence{Events: int32(d.Previews), First: 100, Last: 200}
	case 1:
		book.Measures[metric.Returns] = 1
	case 2:
		book.Measures[metric.Returns] = 1
		d.Returned = []int32{rng.Int32N(86_400)}
	case 3:
		book.Measures[metric.ConvertedThatDay] = 1
	default:
		first := rng.Int32N(40_000)
		d.Presence = libraries.Presence{Events: 2 + rng.Int32N(20), First: first, Last: first + rng.Int32N(40_000)}
		book.Read = true
		book.Measures[metric.ReadingSeconds] = rng.Int64N(4000)
		book.Measures[metric.Readings10] = rng.Int64N(2)
		book.Measures[metric.Renewals] = rng.Int64N(3)
		book.Measures[metric.ReservationsConverted] = book.Measures[metric.Renewals] / 2
	}
	if book.Measures != (metric.Measures{}) || book.Read {
		d.Books = []facts.BookDelta{book}
	}
	return d
}

// addRequests adds requests for few titles in several spellings.
func (s *listStore) addRequests(rng *rand.Rand, days, n int) {
	for i := range n {
		s.requests = append(s.requests, libraries.Request{
			ID: int64(i % (n - 5)), Reader: s.anyReader(rng), // some share an identifier
			Title: pickOne(rng, "", "Ária", "ARIA", "aria ", "Bola", "Dom"), Author: pickOne(rng, "", "Eça", "ECA"),
			Publisher: pickOne(rng, "", "Sol"), SearchTerm: pickOne(rng, "", "", "", "bola", "Bôla  azul"),
			Availability: libraries.Availability(1 + rng.IntN(3)),
			Requested:    (history + calendar.Date(rng.IntN(days))).Start().Add(time.Duration(rng.IntN(4)) * time.Hour),
		})
	}
	slices.SortFunc(s.requests, func(a, b libraries.Request) int {
		return cmp.Or(a.Requested.Compare(b.Requested), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Reader, b.Reader))
	})
}

func (s *listStore) anyReader(rng *rand.Rand) int64 { return s.people[rng.IntN(len(s.people))].ID }

func (s *listStore) anyBook(rng *rand.Rand) int64 { return s.books[rng.IntN(len(s.books))].ID }

func someTime(rng *rand.Rand, days int) time.Time {
	return history.Start().Add(time.Duration(rng.Int64N(int64(days)*86_400)) * time.Second)
}

// pack makes the stored forms of the rows.
func (s *listStore) pack(t testing.TB) {
	t.Helper()
	s.reads = map[string]int{}
	s.packDays(t)
	s.packReaders()
	s.packReadings()
	var changes []facts.TitleCounts
	for _, r := range s.reservations {
		if r.Status.Active() {
			changes = append(changes, facts.TitleCounts{Book: r.Book, ActiveReservations: 1})
		}
	}
	counted, err := new(facts.Network).Add(changes, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.titleCounts = counted.Titles
}

func (s *listStore) packDays(t testing.TB) {
	byDay := map[calendar.Date][]facts.DayDelta{}
	for _, d := range s.deltas {
		byDay[d.Day] = append(byDay[d.Day], d)
	}
	for _, l := range s.loans {
		d := facts.DayDelta{Day: l.Day(), Reader: l.Reader}
		d.Totals.LoansByStatus[l.Status] = 1
		byDay[l.Day()] = append(byDay[l.Day()], d)
	}
	for _, r := range s.reservations {
		d := facts.DayDelta{Day: r.Day(), Reader: r.Reader}
		d.Totals.ReservationsByStatus[r.Status] = 1
		byDay[r.Day()] = append(byDay[r.Day()], d)
	}
	s.forms = map[calendar.Date]facts.DayForms{}
	totals := map[calendar.Date]facts.DayTotals{}
	for date, deltas := range byDay {
		var day facts.Day
		if err := day.Add(deltas...); err != nil {
			t.Fatal(err)
		}
		s.forms[date] = day.Forms()
		totals[date] = day.Totals()
	}
	s.days = daysOf(t, totals)
}

// packReadings makes the stored readings of each day's loans.
func (s *listStore) packReadings() {
	later := map[calendar.Date][]facts.LoanReading{}
	for _, l := range s.loans {
		pair := s.pairs[readerBook{l.Reader, l.Book}]
		read := facts.LoanReading{Reader: l.Reader, Book: l.Book, Seconds: pair.Seconds, Highest: pair.Highest}
		of := later[l.Day()]
		if (read.Seconds > 0 || read.Highest > 0) && !slices.Contains(of, read) {
			of = append(of, read)
		}
		later[l.Day()] = of
	}
	s.readings = map[int64][]byte{}
	for day, of := range later {
		readings := facts.LoanReadings{}.With(of)
		s.readings[int64(day)] = packed.Append(nil, &readings)
	}
}

func (s *listStore) packReaders() {
	s.blocks = nil
	var block []facts.Attributes
	for i, r := range s.people {
		a := facts.AttributesOf(r)
		for _, l := range s.loans {
			if l.Reader == r.ID {
				a.Loans++
			}
		}
		block = append(block, a)
		if i+1 == len(s.people) || facts.AttributesBlock(r.ID) != facts.AttributesBlock(s.people[i+1].ID) {
			s.blocks = append(s.blocks, packed.Append(nil, facts.PackAttributes(block)))
			block = nil
		}
	}
}

// read counts a read, and refuses one of another network or snapshot.
func (s *listStore) read(what string, a report.Access) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads[what]++
	if a.Network != s.network {
		return fmt.Errorf("read of %s of network %d, want %d", what, a.Network, s.network)
	}
	if a.At != s.at {
		return fmt.Errorf("read of %s of snapshot %v, want %v", what, a.At, s.at)
	}
	return nil
}

// count returns how often something was read so far.
func (s *listStore) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads[what]
}

func (s *listStore) Catalogue(_ context.Context, a report.Access) (*report.Catalogue, error) {
	return report.NewCatalogue(s.terms, slices.Clone(s.books), nil), s.read("catalogue", a)
}

func (s *listStore) Scan(_ context.Context, t auth.Tenant, at int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	if err := s.read(k.Name, report.Access{Network: libraries.NetworkID(t), At: snapshot.Versions{Registers: s.at.Registers, Facts: at}}); err != nil {
		return err
	}
	return stored{s.blocks, s.forms, facts.Network{Titles: s.titleCounts, Days: s.days}, s.readings}.scan(k, r, visit)
}

// stored has the stored forms of a network.
type stored struct {
	readers [][]byte
	days    map[calendar.Date]facts.DayForms
	network facts.Network

	readings map[int64][]byte
}

// scan visits the blocks of a kind.
func (p stored) scan(k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	blocks := map[int64][]byte{}
	switch k {
	case facts.AttributesKind:
		for i, data := range p.readers {
			blocks[int64(i)] = data
		}
	case facts.NetworkKind:
		blocks[0] = packed.Append(nil, &p.network)
	case facts.LoanReadingsKind:
		blocks = p.readings
	default:
		for day, f := range p.days {
			blocks[int64(day)] = map[snapshot.Kind][]byte{
				facts.DayOfReadersKind: f.Readers, facts.DayOfTitlesKind: f.Titles,
			}[k]
		}
	}
	if !slices.IsSorted(r.Among) {
		return errors.New("keys are not in ascending order")
	}
	for _, a := range slices.Sorted(maps.Keys(blocks)) {
		if blocks[a] == nil || !r.A.Contains(a) || r.Among != nil && !slices.Contains(r.Among, a) {
			continue
		}
		data := slices.Clone(blocks[a])
		err := visit(snapshot.Block{BlockKey: snapshot.BlockKey{A: a}, Data: data})
		clear(data) // it is valid until visit returns
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *listStore) Named(_ context.Context, a report.Access, ids []int64) (people []libraries.Reader, erased bool, err error) {
	if !slices.IsSorted(ids) {
		return nil, false, errors.New("people: identifiers are not in ascending order")
	}
	for _, r := range s.people {
		if slices.Contains(ids, r.ID) {
			people = append(people, libraries.Reader{
				ID: r.ID, Name: r.Name, Email: r.Email, Updated: r.Updated, Confirmed: r.Confirmed, LastLogin: r.LastLogin,
			})
		}
	}
	return people, false, s.read("people", a)
}

// positions returns the positions of the wanted rows of a list.
func (s *listStore) positions(of report.ListKind, wanted func(day calendar.Date, reader, book int64) bool) report.ListPositions {
	var positions report.ListPositions
	if of == report.LoanList {
		for _, l := range s.loans {
			if wanted(l.Day(), l.Reader, l.Book) {
				positions = append(positions, report.ListPosition{Day: l.Day(), ID: l.ID, Status: uint8(l.Status)})
			}
		}
		return positions
	}
	for _, r := range s.reservations {
		if wanted(r.Day(), r.Reader, r.Book) {
			positions = append(positions, report.ListPosition{Day: r.Day(), ID: r.ID, Status: uint8(r.Status)})
		}
	}
	return positions
}

func (s *listStore) LoansIn(_ context.Context, a report.Access, w report.ListWindow) (loans []libraries.Loan, err error) {
	for _, l := range s.loans {
		if w.Period.Contains(l.Day()) && (w.Status == 0 || w.Status == uint8(l.Status)) {
			loans = append(loans, l)
		}
	}
	loans = loans[min(w.Skip, len(loans)):]
	s.most = max(s.most, w.Size)
	return loans[:min(w.Size, len(loans))], s.read("loans", a)
}

func (s *listStore) ReservationsIn(_ context.Context, a report.Access, w report.ListWindow) (reservations []libraries.Reservation, err error) {
	for _, r := range s.reservations {
		if w.Period.Contains(r.Day()) && (w.Status == 0 || w.Status == uint8(r.Status)) {
			reservations = append(reservations, r)
		}
	}
	reservations = reservations[min(w.Skip, len(reservations)):]
	return reservations[:min(w.Size, len(reservations))], s.read("reservations", a)
}

func (s *listStore) PositionsOf(_ context.Context, a report.Access, of report.ListKind, reader, book *int64) (report.ListPositions, error) {
	if reader == nil && book == nil {
		return nil, errors.New("positions of neither a reader nor a title")
	}
	return s.positions(of, func(_ calendar.Date, r, b int64) bool { return is(reader, r) && is(book, b) }), s.read("positions of", a)
}

func (s *listStore) LoansByID(_ context.Context, a report.Access, ids []int64) (map[int64]libraries.Loan, error) {
	loans := map[int64]libraries.Loan{}
	for _, l := range s.loans {
		if slices.Contains(ids, l.ID) {
			loans[l.ID] = l
		}
	}
	return loans, s.read("loans", a)
}

func (s *listStore) ReservationsByID(_ context.Context, a report.Access, ids []int64) (map[int64]libraries.Reservation, error) {
	reservations := map[int64]libraries.Reservation{}
	for _, r := range s.reservations {
		if slices.Contains(ids, r.ID) {
			reservations[r.ID] = r
		}
	}
	return reservations, s.read("reservations", a)
}

func (s *listStore) Requests(_ context.Context, a report.Access, p calendar.Period) ([]libraries.Request, error) {
	var some []libraries.Request
	for _, r := range s.requests {
		if p.Contains(r.Day()) {
			some = append(some, r)
		}
	}
	return some, s.read("requests", a)
}

func (s *listStore) Channels(_ context.Context, a report.Access, p calendar.Period) ([]libraries.ChannelDay, error) {
	var some []libraries.ChannelDay
	for _, c := range s.channels {
		if p.Contains(c.Day) {
			some = append(some, c)
		}
	}
	return some, s.read("channels", a)
}

// only returns the rows that are wanted.
func only[T any](rows []T, wanted func(T) bool) []T {
	var some []T
	for _, row := range rows {
		if wanted(row) {
			some = append(some, row)
		}
	}
	return some
}

// is reports whether a value passes a filter. A nil filter lets all values pass.
func is[T comparable](filter *T, v T) bool { return filter == nil || *filter == v }
