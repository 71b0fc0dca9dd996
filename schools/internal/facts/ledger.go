package facts

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// A Ledger is one user's list of books read and of the days on which each was read, effectively. It says how many
// reading rows the user has in any period, and which, without a record being opened.
//
// Layout: count of books; per book, ascending: difference of identifiers (the first from -1), number of days, first day
// (zigzag); with more days, the distance to the last one, and the size in bytes and differences of those between. Numbers are
// varints.
type Ledger []byte

// BookDays is one book of a ledger with its days, both ascending.
type BookDays struct {
	Book int64
	Days []calendar.Date
}

// NewLedger packs books, which must ascend and have ascending days, at least one each.
func NewLedger(books []BookDays) Ledger {
	b := binary.AppendUvarint(nil, uint64(len(books)))
	last := int64(-1)
	var inner []byte
	for _, e := range books {
		b = binary.AppendUvarint(b, uint64(e.Book-last))
		last = e.Book
		n := len(e.Days)
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendVarint(b, int64(e.Days[0]))
		if n == 1 {
			continue
		}
		b = binary.AppendUvarint(b, uint64(e.Days[n-1]-e.Days[0]))
		inner = inner[:0]
		for i := 1; i < n-1; i++ {
			inner = binary.AppendUvarint(inner, uint64(e.Days[i]-e.Days[i-1]))
		}
		b = binary.AppendUvarint(b, uint64(len(inner)))
		b = append(b, inner...)
	}
	return b
}

// entry is one book of a ledger as it is read: its days but the first and last still packed.
type entry struct {
	book        int64
	days        int
	first, last calendar.Date
	inner       []byte
}

// next reads one entry; prev is the book before it.
func next(d *packed.Decoder, prev int64) entry {
	e := entry{book: prev + int64(d.Uvarint())}
	days := d.Uvarint()
	e.first = calendar.Date(d.Varint())
	e.last, e.days = e.first, 1
	if e.book <= prev {
		d.Check(false)
	}
	if days == 1 {
		return e
	}
	e.last += calendar.Date(d.Uvarint())
	e.inner = d.Bytes(d.Count(1))
	if e.last <= e.first || days != uint64(innerDays(e.inner))+2 {
		d.Check(false)
	}
	e.days = int(days)
	return e
}

// innerDays counts the varints of packed differences.
func innerDays(b []byte) int {
	n := 0
	for _, c := range b {
		if c < 0x80 {
			n++
		}
	}
	return n
}

// within reports whether one of the entry's days lies in the period.
func (e entry) within(p calendar.Period) bool {
	if e.last < p.Start || e.first > p.End {
		return false
	}
	if p.Contains(e.first) || p.Contains(e.last) {
		return true
	}
	d := packed.Bare(e.inner) // the period lies between the first and the last day
	for day := e.first; d.Len() > 0 && !d.Bad(); {
		if day += calendar.Date(d.Uvarint()); day >= p.Start {
			return day <= p.End
		}
	}
	return false
}

// list unpacks the entry's days.
func (e entry) list() []calendar.Date {
	days := make([]calendar.Date, 0, e.days)
	days = append(days, e.first)
	d := packed.Bare(e.inner)
	for day := e.first; d.Len() > 0 && !d.Bad(); {
		day += calendar.Date(d.Uvarint())
		days = append(days, day)
	}
	if e.days > 1 {
		days = append(days, e.last)
	}
	return days
}

// visit calls f with each entry until it returns false.
func (l Ledger) visit(f func(entry) bool) error {
	if len(l) == 0 {
		return nil
	}
	d := packed.Bare(l)
	book := int64(-1)
	for n := d.Count(3); n > 0; n-- {
		e := next(&d, book)
		if d.Bad() {
			return packed.ErrCorrupt
		}
		if book = e.book; !f(e) {
			return nil
		}
	}
	return d.End()
}

// Count returns the number of books with effective reading in the period: the user's number of reading rows.
func (l Ledger) Count(p calendar.Period) (int, error) {
	n := 0
	err := l.visit(func(e entry) bool {
		if e.within(p) {
			n++
		}
		return true
	})
	return n, err
}

// Books returns the books with effective reading in the period, ascending.
func (l Ledger) Books(p calendar.Period) ([]int64, error) {
	var books []int64
	err := l.visit(func(e entry) bool {
		if e.within(p) {
			books = append(books, e.book)
		}
		return true
	})
	return books, err
}

// Unpack returns every book with its days.
func (l Ledger) Unpack() ([]BookDays, error) {
	var books []BookDays
	err := l.visit(func(e entry) bool {
		books = append(books, BookDays{e.book, e.list()})
		return true
	})
	return books, err
}

// With returns the ledger with the given books and days added; they must ascend as in NewLedger.
func (l Ledger) With(more []BookDays) (Ledger, error) {
	had, err := l.Unpack()
	if err != nil || len(more) == 0 {
		return l, err
	}
	for _, m := range more {
		i, found := slices.BinarySearchFunc(had, m.Book, func(b BookDays, book int64) int { return cmp.Compare(b.Book, book) })
		if !found {
			had = slices.Insert(had, i, m)
			continue
		}
		days := append(had[i].Days, m.Days...)
		slices.Sort(days)
		had[i].Days = slices.Compact(days)
	}
	return NewLedger(had), nil
}

// ledgerBlock is the number of users whose ledgers are stored together: a report reads all ledgers of a partner after
// a restart, and 800 rows come sooner than 100,000.
const ledgerBlock = 128

// LedgerBlock returns the number of the block that holds a user's ledger.
func LedgerBlock(id directory.UserID) int64 { return int64(id) / ledgerBlock }

// Ledgers are the ledgers of users, by user.
type Ledgers struct {
	users []Ledger
	bytes int
}

// Ledger returns a user's ledger, which is empty where there is none.
func (ls *Ledgers) Ledger(id directory.UserID) Ledger {
	if id < 0 || int64(id) >= int64(len(ls.users)) {
		return nil
	}
	return ls.users[id]
}

// Set replaces a user's ledger.
func (ls *Ledgers) Set(id directory.UserID, l Ledger) {
	for int64(len(ls.users)) <= int64(id) {
		ls.users = append(ls.users, nil)
	}
	ls.users[id] = l
	ls.bytes += len(l)
}

// Bytes returns about the memory that the ledgers hold.
func (ls *Ledgers) Bytes() int { return 24*cap(ls.users) + ls.bytes }

// AppendBlock appends the stored form of a block: version, number of users, and for each the difference of
// identifiers, the ledger's size, the ledger. It returns nothing for a block without ledgers.
func (ls *Ledgers) AppendBlock(b []byte, block int64) []byte {
	first := block * ledgerBlock
	n := 0
	var body []byte
	last := first
	for id := first; id < first+ledgerBlock && id < int64(len(ls.users)); id++ {
		l := ls.users[id]
		if len(l) == 0 {
			continue
		}
		n++
		body = binary.AppendUvarint(body, uint64(id-last))
		body = binary.AppendUvarint(body, uint64(len(l)))
		body = append(body, l...)
		last = id
	}
	if n == 0 {
		return b
	}
	b = append(b, formVersion)
	b = binary.AppendUvarint(b, uint64(n))
	return append(b, body...)
}

// AddBlock adds the ledgers of a stored block, which it keeps.
func (ls *Ledgers) AddBlock(block int64, data []byte) error {
	d := packed.NewDecoder(data, formVersion)
	id := block * ledgerBlock
	for n := d.Count(2); n > 0 && !d.Bad(); n-- {
		id += int64(d.Uvarint())
		l := Ledger(d.Bytes(d.Count(1)))
		if d.Bad() || id < block*ledgerBlock || id >= (block+1)*ledgerBlock {
			return packed.ErrCorrupt
		}
		ls.Set(directory.UserID(id), l)
	}
	return d.End()
}
