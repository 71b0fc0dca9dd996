package facts

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// A Ledger is one user's list of books read and of the days on which each was read, effectively: by book, then leaf. It names the
// records that the user has.
type UserIndex []IndexEntry

// Line is a book on the days of one leaf; it has a day.
type IndexEntry struct {
	Book int64
	Page int32
	Days DaySet
}

// leafDays is the number of days of a leaf: each is a bit. What is loaded hour by hour is of one leaf mostly, and the others stay
// as they are stored.
const pageDays = 32

// LeafOf returns the number of the leaf that a day is on.
func PageOf(d calendar.Date) int32 { return int32(d >> 5) }

// firstOf returns the first day of a leaf.
func firstDay(leaf int32) calendar.Date { return calendar.Date(leaf) << 5 }

// Days are days of a leaf, a bit each.
type DaySet uint32

// dayOf returns a day among those of its leaf.
func dayOf(d calendar.Date) DaySet { return 1 << (d & (pageDays - 1)) }

// daysOf returns the days of a leaf that are in a period.
func daysOf(leaf int32, p calendar.Period) DaySet {
	first := firstDay(leaf)
	from, to := max(p.Start, first)-first, min(p.End, first+pageDays-1)-first
	if from > to {
		return 0
	}
	return ^DaySet(0) << from & (^DaySet(0) >> (pageDays - 1 - to))
}

// last returns the last of the days of a leaf.
func (d DaySet) last(leaf int32) calendar.Date {
	return firstDay(leaf) + calendar.Date(bits.Len32(uint32(d))) - 1
}

// With returns the ledger with more lines, in any order.
func (l UserIndex) With(more UserIndex) UserIndex {
	with := slices.Concat(l, more)
	slices.SortFunc(with, func(x, y IndexEntry) int { return cmp.Or(cmp.Compare(x.Book, y.Book), cmp.Compare(x.Page, y.Page)) })
	n := 0
	for _, line := range with {
		if n > 0 && with[n-1].Book == line.Book && with[n-1].Page == line.Page {
			with[n-1].Days |= line.Days
			continue
		}
		with[n] = line
		n++
	}
	return slices.Clip(with[:n])
}

// On returns the books that were read on a day, ascending.
func (l UserIndex) On(day calendar.Date) (books []int64) {
	for _, line := range l {
		if line.Page == PageOf(day) && line.Days&dayOf(day) != 0 {
			books = append(books, line.Book)
		}
	}
	return books
}

// ledgerBlock is the number of users whose ledgers are stored together: a report reads all ledgers of a partner after
// a restart, and 10,000 rows come sooner than 1,000,000.
const blockUsers = 128

// LedgerBlock returns the number of the block of users that a user belongs to.
func IndexBlock(id directory.UserID) int64 { return int64(id) / blockUsers }

// Ledgers are the ledgers of users, leaf by leaf. They count the reading rows of any period by going through its leaves alone.
type Index struct {
	blocks [][]*page // by block of users, then leaf
	bytes  int
}

// leaf is 32 days of the ledgers of a block of users.
type page struct {
	number int32
	users  [blockUsers][]pageEntry // by book
	days   DaySet                  // of all entries
}

// entry is a line of a ledger on its leaf.
type pageEntry struct {
	book int64
	days DaySet
	ago  int32 // days from the last one before the leaf on which the user read the book to the leaf's first, or 0: there is none
}

// Columns declares the stored form.
func (l *page) Columns(c *packed.Columns) {
	c.Version(formVersion)
	entries := packed.Lists(packed.Array(c, l.users[:]), func(user *[]pageEntry) *[]pageEntry { return user })
	packed.Ascending(entries, 0, func(e *pageEntry) *int64 { return &e.book })
	packed.Naturals(entries, math.MaxInt32, func(e *pageEntry) *int32 { return &e.ago })
	packed.Words(entries, func(e *pageEntry) *DaySet { return &e.days })
}

// of returns a user's entries, by book.
func (l *page) of(id directory.UserID) []pageEntry { return l.users[id%blockUsers] }

// first reports whether an entry has one of the days, which are those of a period on the leaf, and no leaf before it has: the period
// begins so many days before the leaf.
func (e *pageEntry) first(days DaySet, before int32) bool {
	return e.days&days != 0 && (e.ago == 0 || e.ago > before)
}

// AddBlock adds a stored block, of which it keeps nothing. Those of a block of users come by leaf.
func (ls *Index) AddPage(k snapshot.BlockKey, data []byte) error {
	l := &page{number: int32(k.B)}
	if k.A < 0 || k.A > maxUserID/blockUsers || k.B != int64(l.number) {
		return packed.ErrCorrupt
	}
	if err := packed.Open(data, l); err != nil {
		return err
	}
	for int64(len(ls.blocks)) <= k.A {
		ls.blocks = append(ls.blocks, nil)
	}
	ls.blocks[k.A] = append(ls.blocks[k.A], l)
	ls.bytes += 24 * blockUsers
	for _, user := range l.users {
		ls.bytes += 16 * len(user)
		for _, e := range user {
			l.days |= e.days
		}
	}
	return nil
}

// leaves returns the leaves of a block of users.
func (ls *Index) pages(block int64) []*page {
	if block < 0 || block >= int64(len(ls.blocks)) {
		return nil
	}
	return ls.blocks[block]
}

// within returns the leaves of a block of users that have days of a period.
func (ls *Index) within(block int64, p calendar.Period) []*page {
	all := ls.pages(block)
	number := func(l *page, n int32) int { return cmp.Compare(l.number, n) }
	from, _ := slices.BinarySearchFunc(all, PageOf(p.Start), number)
	to, _ := slices.BinarySearchFunc(all, PageOf(p.End)+1, number)
	return all[from:max(from, to)]
}

// Within reports whether all days of the ledgers are in a period.
func (ls *Index) Within(p calendar.Period) bool {
	for _, leaves := range ls.blocks {
		for _, l := range leaves {
			if l.days&^daysOf(l.number, p) != 0 {
				return false
			}
		}
	}
	return true
}

// Count returns for each of the users, who ascend, the number of books with effective reading in the period: the user's number of
// reading rows. A book counts on the first leaf on which it has a day of the period.
func (ls *Index) Count(ids []directory.UserID, p calendar.Period) []int {
	counts := make([]int, len(ids))
	for from := 0; from < len(ids); {
		block, to := IndexBlock(ids[from]), from+1
		for to < len(ids) && IndexBlock(ids[to]) == block {
			to++
		}
		for _, l := range ls.within(block, p) {
			days, before := daysOf(l.number, p), int32(firstDay(l.number)-p.Start)
			for j, id := range ids[from:to] {
				for _, e := range l.of(id) {
					if e.first(days, before) {
						counts[from+j]++
					}
				}
			}
		}
		from = to
	}
	return counts
}

// Books returns the books with effective reading of a user in the period, ascending.
func (ls *Index) Books(id directory.UserID, p calendar.Period) (books []int64) {
	for _, l := range ls.within(IndexBlock(id), p) {
		days, before := daysOf(l.number, p), int32(firstDay(l.number)-p.Start)
		for _, e := range l.of(id) {
			if e.first(days, before) {
				books = append(books, e.book)
			}
		}
	}
	slices.Sort(books)
	return books
}

// EachDay calls visit with the days of the period on which a user read effectively, ascending.
func (ls *Index) EachDay(id directory.UserID, p calendar.Period, visit func(calendar.Date)) {
	for _, l := range ls.within(IndexBlock(id), p) {
		days := DaySet(0)
		for _, e := range l.of(id) {
			days |= e.days
		}
		for days &= daysOf(l.number, p); days != 0; days &= days - 1 {
			visit(firstDay(l.number) + calendar.Date(bits.TrailingZeros32(uint32(days))))
		}
	}
}

// Ledger returns a user's ledger, which is empty where there is none.
func (ls *Index) User(id directory.UserID) (all UserIndex) {
	for _, l := range ls.pages(IndexBlock(id)) {
		for _, e := range l.of(id) {
			all = append(all, IndexEntry{e.book, l.number, e.days})
		}
	}
	return all.With(nil)
}

// Same reports whether a user has the same ledger in both.
func (ls *Index) Same(other *Index, id directory.UserID) bool {
	return slices.EqualFunc(ls.pagesOf(id), other.pagesOf(id), func(a, b *page) bool {
		return a.number == b.number && slices.Equal(a.of(id), b.of(id))
	})
}

// of returns the leaves on which a user has entries.
func (ls *Index) pagesOf(id directory.UserID) (leaves []*page) {
	for _, l := range ls.pages(IndexBlock(id)) {
		if len(l.of(id)) > 0 {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// Bytes returns about the memory that the ledgers hold.
func (ls *Index) Bytes() int { return 24*cap(ls.blocks) + ls.bytes }

// Put puts the blocks of a block of users into a load that gives some of them other ledgers, as far as these are not what is stored.
func (ls *Index) Put(p *snapshot.Puts, block int64, changed map[directory.UserID]UserIndex) {
	leaves := map[int32]*page{}
	for id := directory.UserID(block * blockUsers); IndexBlock(id) == block; id++ {
		l, ok := changed[id]
		if !ok {
			l = ls.User(id)
		}
		l.spread(id, leaves)
	}
	had := map[int32]*page{}
	for _, l := range ls.pages(block) {
		had[l.number] = l
	}
	for _, number := range slices.Sorted(maps.Keys(leaves)) {
		l, stored := leaves[number], had[number]
		if stored == nil || !slices.EqualFunc(stored.users[:], l.users[:], slices.Equal[[]pageEntry]) {
			p.Add(snapshot.BlockKey{A: block, B: int64(number)}, stored != nil, packed.Append(nil, l))
		}
	}
}

// spread puts a user's ledger on the leaves of the user's block.
func (l UserIndex) spread(id directory.UserID, leaves map[int32]*page) {
	var last IndexEntry // of the book
	for _, line := range l {
		on := leaves[line.Page]
		if on == nil {
			on = &page{number: line.Page}
			leaves[line.Page] = on
		}
		e := pageEntry{book: line.Book, days: line.Days}
		if last.Days != 0 && last.Book == line.Book {
			e.ago = int32(firstDay(line.Page) - last.Days.last(last.Page))
		}
		on.users[id%blockUsers] = append(on.of(id), e)
		last = line
	}
}
