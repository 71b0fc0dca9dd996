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

// page is 32 days of the index of a block of users.
type page struct {
	number int32
	users  [blockUsers][]pageEntry // by book
	days   DaySet                  // of all entries
}

// pageEntry is an entry of one user on its page.
type pageEntry struct {
	book int64
	days DaySet
	ago  int32 // days from the user's last reading of the book before the page to the page's first day; 0 if there is none
}

// Columns declares the stored form. It implements [packed.Form].
func (l *page) Columns(c *packed.Columns) {
	c.Version(formVersion)
	entries := packed.Lists(packed.Array(c, l.users[:]), func(user *[]pageEntry) *[]pageEntry { return user })
	packed.Ascending(entries, 0, func(e *pageEntry) *int64 { return &e.book })
	packed.Naturals(entries, math.MaxInt32, func(e *pageEntry) *int32 { return &e.ago })
	packed.Words(entries, func(e *pageEntry) *DaySet { return &e.days })
}

// of returns a user's entries, by book.
func (l *page) of(id directory.UserID) []pageEntry { return l.users[id%blockUsers] }

// first reports whether the page is the first one of a period on which the book was read. days are those of
// the period on the page, and the period begins before days before the page's first day. So each book of a
// period is counted once.
func (e *pageEntry) first(days DaySet, before int32) bool {
	return e.days&days != 0 && (e.ago == 0 || e.ago > before)
}

// AddPage adds a stored page, and keeps nothing of its bytes. The pages of one block must come in their
// order.
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
// reading rows. The users must ascend.
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

// Books returns the books that a user read effectively in the period, ascending.
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

// EachDay calls visit with each day of the period on which a user read effectively, ascending.
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

// User returns the index of one user, empty if there is none.
func (ls *Index) User(id directory.UserID) (all UserIndex) {
	for _, l := range ls.pages(IndexBlock(id)) {
		for _, e := range l.of(id) {
			all = append(all, IndexEntry{e.book, l.number, e.days})
		}
	}
	return all.With(nil)
}

// Same reports whether a user's index is the same in both.
func (ls *Index) Same(other *Index, id directory.UserID) bool {
	return slices.EqualFunc(ls.pagesOf(id), other.pagesOf(id), func(a, b *page) bool {
		return a.number == b.number && slices.Equal(a.of(id), b.of(id))
	})
}

// pagesOf returns the pages on which a user has entries.
func (ls *Index) pagesOf(id directory.UserID) (pages []*page) {
	for _, l := range ls.pages(IndexBlock(id)) {
		if len(l.of(id)) > 0 {
			pages = append(pages, l)
		}
	}
	return pages
}

// Bytes returns the approximate size in memory, for the cache.
func (ls *Index) Bytes() int { return 24*cap(ls.blocks) + ls.bytes }

// Put writes the pages of a block of users in which changed users have new indexes. Pages that stay as they
// are stored are not written.
func (ls *Index) Put(p *snapshot.Puts, block int64, changed map[directory.UserID]UserIndex) {
	pages := map[int32]*page{}
	for id := directory.UserID(block * blockUsers); IndexBlock(id) == block; id++ {
		l, ok := changed[id]
		if !ok {
			l = ls.User(id)
		}
		l.spread(id, pages)
	}
	had := map[int32]*page{}
	for _, l := range ls.pages(block) {
		had[l.number] = l
	}
	for _, number := range slices.Sorted(maps.Keys(pages)) {
		l, stored := pages[number], had[number]
		if stored == nil || !slices.EqualFunc(stored.users[:], l.users[:], slices.Equal[[]pageEntry]) {
			p.Add(snapshot.BlockKey{A: block, B: int64(number)}, stored != nil, packed.Append(nil, l))
		}
	}
}

// spread puts a user's index on the pages of the user's block.
func (l UserIndex) spread(id directory.UserID, pages map[int32]*page) {
	var last IndexEntry // of the book
	for _, line := range l {
		on := pages[line.Page]
		if on == nil {
			on = &page{number: line.Page}
			pages[line.Page] = on
		}
		e := pageEntry{book: line.Book, days: line.Days}
		if last.Days != 0 && last.Book == line.Book {
			e.ago = int32(firstDay(line.Page) - last.Days.last(last.Page))
		}
		on.users[id%blockUsers] = append(on.of(id), e)
		last = line
	}
}
