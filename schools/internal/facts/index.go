package facts

import (
	"bytes"
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

// UserIndex lists the books that one user read effectively and the days of each, ordered by book, then page.
// It names all records of the user.
type UserIndex []IndexEntry

// IndexEntry has the days of one page on which a book was read, at least one.
type IndexEntry struct {
	Book int64
	Page int32
	Days DaySet
}

// pageDays is the number of days of a page: one bit each. An hourly load mostly changes one page, and the
// others stay as they are stored.
const pageDays = 32

// PageOf returns the number of the page that a day is on. It is below 0 for days before 1970.
func PageOf(d calendar.Date) int32 { return int32(d >> 5) }

// firstDay returns the first day of a page.
func firstDay(number int32) calendar.Date { return calendar.Date(number) << 5 }

// DaySet is a set of the days of a page, one bit each.
type DaySet uint32

// dayOf returns the set of one day.
func dayOf(d calendar.Date) DaySet { return 1 << (d & (pageDays - 1)) }

// daysOf returns the days of a page that are in a period.
func daysOf(number int32, p calendar.Period) DaySet {
	first := firstDay(number)
	from, to := max(p.Start, first)-first, min(p.End, first+pageDays-1)-first
	if from > to {
		return 0
	}
	return ^DaySet(0) << from & (^DaySet(0) >> (pageDays - 1 - to))
}

// last returns the last day of a set, which must not be empty.
func (d DaySet) last(number int32) calendar.Date {
	return firstDay(number) + calendar.Date(bits.Len32(uint32(d))) - 1
}

// With returns the index with more entries added, in any order.
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

// blockUsers is the number of users whose indexes are stored together. After a restart a report reads the
// whole index of a partner, and 10,000 rows are read sooner than 1,000,000.
const blockUsers = 128

// IndexBlock returns the number of the block that a user belongs to.
func IndexBlock(id directory.UserID) int64 { return int64(id) / blockUsers }

// Index has the indexes of many users by page. It counts the reading rows of any period from the pages of
// that period only.
type Index struct {
	blocks [][]*page // by block of users, then page
	bytes  int
}

// page is 32 days of the index of a block of users. Its columns stay packed: reading them takes less time than
// decoding all of them, and they take a third of the memory.
type page struct {
	number int32
	ends   packed.Fixed // of each user: where the user's entries end
	books  packed.Fixed // of each entry, ascending for one user
	ago    packed.Fixed // of each entry: see pageEntry
	sets   packed.Fixed // of each entry: its DaySet
	days   DaySet       // of all entries
}

// pageEntry is an entry of one user on its page.
type pageEntry struct {
	book int64
	days DaySet
	ago  int32 // days from the user's last reading of the book before the page to the page's first day; 0 if there is none
}

// maxEntries bounds the entries of a page, so that a corrupt one cannot ask for endless work.
const maxEntries = 1 << 24

// Columns declares the stored form. It implements [packed.Form].
func (l *page) Columns(c *packed.Columns) {
	c.Version(formVersion)
	n := c.Ends(&l.ends, blockUsers, maxEntries)
	c.Fixed(&l.books, n, math.MinInt64, math.MaxInt64)
	c.Fixed(&l.ago, n, 0, math.MaxInt32)
	if c.Fixed(&l.sets, n, 1, math.MaxUint32); c.Bad() {
		return
	}
	for user := range blockUsers {
		at, end := l.ends.Part(user)
		for ; at < end; at++ {
			l.days |= l.set(at)
			c.Check(at+1 == end || l.books.At(at) < l.books.At(at+1))
		}
	}
}

// newPage packs the entries of a block of users.
func newPage(users *[blockUsers][]pageEntry) *page {
	var ends, books, ago, sets []int64
	for _, entries := range users {
		for _, e := range entries {
			books, ago, sets = append(books, e.book), append(ago, int64(e.ago)), append(sets, int64(e.days))
		}
		ends = append(ends, int64(len(books)))
	}
	return &page{ends: packed.FixedOf(ends), books: packed.FixedOf(books), ago: packed.FixedOf(ago), sets: packed.FixedOf(sets)}
}

// part returns where a user's entries are.
func (l *page) part(id directory.UserID) (from, to int) { return l.ends.Part(int(id % blockUsers)) }

// set returns the days of one entry.
func (l *page) set(at int) DaySet { return DaySet(l.sets.At(at)) }

// AddPage adds a stored page, and keeps its bytes. The pages of one block must come in their order.
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
	ls.bytes += 300 + len(data)
	return nil
}

// pages returns the pages of a block of users.
func (ls *Index) pages(block int64) []*page {
	if block < 0 || block >= int64(len(ls.blocks)) {
		return nil
	}
	return ls.blocks[block]
}

// within returns the pages of a block of users that have days of a period.
func (ls *Index) within(block int64, p calendar.Period) []*page {
	all := ls.pages(block)
	number := func(l *page, n int32) int { return cmp.Compare(l.number, n) }
	from, _ := slices.BinarySearchFunc(all, PageOf(p.Start), number)
	to, _ := slices.BinarySearchFunc(all, PageOf(p.End)+1, number)
	return all[from:max(from, to)]
}

// Within reports whether all days of the index are in a period.
func (ls *Index) Within(p calendar.Period) bool {
	for _, pages := range ls.blocks {
		for _, l := range pages {
			if l.days&^daysOf(l.number, p) != 0 {
				return false
			}
		}
	}
	return true
}

// Count returns, for each of the users, the number of books read effectively in the period: the user's
// reading rows.
func (ls *Index) Count(ids []directory.UserID, p calendar.Period) []int {
	counts, books := make([]int, len(ids)), []int64(nil)
	for i, id := range ids {
		books = ls.AppendBooks(books[:0], id, p)
		counts[i] = len(books)
	}
	return counts
}

// Books returns the books that a user read effectively in the period, ascending.
func (ls *Index) Books(id directory.UserID, p calendar.Period) []int64 {
	books := ls.AppendBooks(nil, id, p)
	slices.Sort(books)
	return books
}

// AppendBooks appends the books that a user read effectively in the period, in no order. It counts a book on the
// first page of the period on which it was read: earlier readings are from before the period.
func (ls *Index) AppendBooks(books []int64, id directory.UserID, p calendar.Period) []int64 {
	for _, l := range ls.within(IndexBlock(id), p) {
		days, before := daysOf(l.number, p), int64(firstDay(l.number)-p.Start)
		for at, end := l.part(id); at < end; at++ {
			if l.set(at)&days == 0 {
				continue
			}
			if ago := l.ago.At(at); ago == 0 || ago > before {
				books = append(books, l.books.At(at))
			}
		}
	}
	return books
}

// EachDay calls visit with each day of the period on which a user read effectively, ascending.
func (ls *Index) EachDay(id directory.UserID, p calendar.Period, visit func(calendar.Date)) {
	for _, l := range ls.within(IndexBlock(id), p) {
		days := DaySet(0)
		for at, end := l.part(id); at < end; at++ {
			days |= l.set(at)
		}
		for days &= daysOf(l.number, p); days != 0; days &= days - 1 {
			visit(firstDay(l.number) + calendar.Date(bits.TrailingZeros32(uint32(days))))
		}
	}
}

// User returns the index of one user, empty if there is none.
func (ls *Index) User(id directory.UserID) UserIndex { return ls.entries(id).With(nil) }

// Same reports whether a user's index is the same in both.
func (ls *Index) Same(other *Index, id directory.UserID) bool {
	return slices.Equal(ls.entries(id), other.entries(id))
}

// entries returns the index of one user, ordered by page, then book.
func (ls *Index) entries(id directory.UserID) (all UserIndex) {
	for _, l := range ls.pages(IndexBlock(id)) {
		for at, end := l.part(id); at < end; at++ {
			all = append(all, IndexEntry{l.books.At(at), l.number, l.set(at)})
		}
	}
	return all
}

// Bytes returns the approximate size in memory, for the cache.
func (ls *Index) Bytes() int { return 24*cap(ls.blocks) + ls.bytes }

// Put writes the pages of a block of users in which changed users have new indexes. Pages that stay as they
// are stored are not written.
func (ls *Index) Put(p *snapshot.Puts, block int64, changed map[directory.UserID]UserIndex) {
	pages := map[int32]*[blockUsers][]pageEntry{}
	for id := directory.UserID(block * blockUsers); IndexBlock(id) == block; id++ {
		l, ok := changed[id]
		if !ok {
			l = ls.User(id)
		}
		l.spread(id, pages)
	}
	had := map[int32][]byte{}
	for _, l := range ls.pages(block) {
		had[l.number] = packed.Append(nil, l)
	}
	for _, number := range slices.Sorted(maps.Keys(pages)) {
		data, stored := packed.Append(nil, newPage(pages[number])), had[number]
		if !bytes.Equal(data, stored) {
			p.Add(snapshot.BlockKey{A: block, B: int64(number)}, stored != nil, data)
		}
	}
}

// spread puts a user's index on the pages of the user's block.
func (l UserIndex) spread(id directory.UserID, pages map[int32]*[blockUsers][]pageEntry) {
	var last IndexEntry // of the book
	for _, line := range l {
		on := pages[line.Page]
		if on == nil {
			on = &[blockUsers][]pageEntry{}
			pages[line.Page] = on
		}
		e := pageEntry{book: line.Book, days: line.Days}
		if last.Days != 0 && last.Book == line.Book {
			e.ago = int32(firstDay(line.Page) - last.Days.last(last.Page))
		}
		on[id%blockUsers] = append(on[id%blockUsers], e)
		last = line
	}
}
