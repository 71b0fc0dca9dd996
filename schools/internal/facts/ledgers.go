package facts

import (
	"maps"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// ledgerBlock is the number of users whose ledgers are stored together: a report reads all ledgers of a partner after
// a restart, and 10,000 rows come sooner than 1,000,000.
const ledgerBlock = 128

// LedgerBlock returns the number of the block of users that a user belongs to.
func LedgerBlock(id directory.UserID) int64 { return int64(id) / ledgerBlock }

// Ledgers are the ledgers of users, leaf by leaf. They count the reading rows of any period by going through its leaves alone.
type Ledgers struct {
	blocks [][]*leaf // by block of users, then leaf
	bytes  int
}

// leaf is 32 days of the ledgers of a block of users.
type leaf struct {
	number int32
	starts [ledgerBlock + 1]int32 // where each user's entries begin and those of the one before end
	all    []entry
	days   Days // of all entries
}

// entry is a line of a ledger on its leaf.
type entry struct {
	book   int64
	days   Days
	before calendar.Date // the last day before the leaf's on which the user read the book, or never
}

// never is before all days.
const never calendar.Date = math.MinInt32

// of returns a user's entries, by book.
func (l *leaf) of(id directory.UserID) []entry {
	i := id % ledgerBlock
	return l.all[l.starts[i]:l.starts[i+1]]
}

// first reports whether an entry has a day of a period, of which days are those on its leaf, and the first one of the book's.
func (e entry) first(days Days, start calendar.Date) bool {
	return e.days&days != 0 && e.before < start
}

// leaves returns the leaves of a block of users.
func (ls *Ledgers) leaves(block int64) []*leaf {
	if block < 0 || block >= int64(len(ls.blocks)) {
		return nil
	}
	return ls.blocks[block]
}

// within returns the leaves of a block of users that have days of a period.
func (ls *Ledgers) within(block int64, p calendar.Period) []*leaf {
	all := ls.leaves(block)
	from, to := 0, len(all)
	for from < to && all[from].number < LeafOf(p.Start) {
		from++
	}
	for from < to && all[to-1].number > LeafOf(p.End) {
		to--
	}
	return all[from:to]
}

// Within reports whether all days of the ledgers are in a period.
func (ls *Ledgers) Within(p calendar.Period) bool {
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
func (ls *Ledgers) Count(ids []directory.UserID, p calendar.Period) []int {
	counts := make([]int, len(ids))
	for from := 0; from < len(ids); {
		block, to := LedgerBlock(ids[from]), from+1
		for to < len(ids) && LedgerBlock(ids[to]) == block {
			to++
		}
		for _, l := range ls.within(block, p) {
			days := daysOf(l.number, p)
			for j, id := range ids[from:to] {
				for _, e := range l.of(id) {
					if e.first(days, p.Start) {
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
func (ls *Ledgers) Books(id directory.UserID, p calendar.Period) (books []int64) {
	for _, l := range ls.within(LedgerBlock(id), p) {
		days := daysOf(l.number, p)
		for _, e := range l.of(id) {
			if e.first(days, p.Start) {
				books = append(books, e.book)
			}
		}
	}
	slices.Sort(books)
	return books
}

// Ledger returns a user's ledger, which is empty where there is none.
func (ls *Ledgers) Ledger(id directory.UserID) (all Ledger) {
	for _, l := range ls.leaves(LedgerBlock(id)) {
		for _, e := range l.of(id) {
			all = append(all, Line{e.book, l.number, e.days})
		}
	}
	return all.With(nil)
}

// Same reports whether a user has the same ledger in both.
func (ls *Ledgers) Same(other *Ledgers, id directory.UserID) bool {
	a, b := ls.leaves(LedgerBlock(id)), other.leaves(LedgerBlock(id))
	for {
		for len(a) > 0 && len(a[0].of(id)) == 0 {
			a = a[1:]
		}
		for len(b) > 0 && len(b[0].of(id)) == 0 {
			b = b[1:]
		}
		if len(a) == 0 || len(b) == 0 {
			return len(a) == len(b)
		}
		if a[0].number != b[0].number || !slices.Equal(a[0].of(id), b[0].of(id)) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// Bytes returns about the memory that the ledgers hold.
func (ls *Ledgers) Bytes() int { return 24*cap(ls.blocks) + ls.bytes }

// add adds a leaf of a block of users, behind those that it has.
func (ls *Ledgers) add(block int64, l *leaf) {
	for int64(len(ls.blocks)) <= block {
		ls.blocks = append(ls.blocks, nil)
	}
	ls.blocks[block] = append(ls.blocks[block], l)
	ls.bytes += 4*(ledgerBlock+12) + 16*cap(l.all)
}

// Put puts the blocks of a block of users into a load that gives some of them other ledgers, as far as these are not what is stored.
func (ls *Ledgers) Put(p *state.Puts, block int64, changed map[directory.UserID]Ledger) {
	had := ls.leaves(block)
	for _, l := range newLeaves(block, func(id directory.UserID) Ledger {
		if l, ok := changed[id]; ok {
			return l
		}
		return ls.Ledger(id)
	}) {
		i, stored := slices.BinarySearchFunc(had, l.number, func(l *leaf, n int32) int { return int(l.number - n) })
		if !stored || !slices.Equal(had[i].all, l.all) || had[i].starts != l.starts {
			p.Add(state.BlockKey{A: block, B: int64(l.number)}, stored, l.appendBinary(nil))
		}
	}
}

// newLeaves returns the leaves of a block of users whose ledgers are given.
func newLeaves(block int64, of func(directory.UserID) Ledger) []*leaf {
	at := map[int32]*leaf{}
	for place := range ledgerBlock {
		before, book := never, int64(-1)
		for _, line := range of(directory.UserID(block*ledgerBlock + int64(place))) {
			if line.Book != book {
				before, book = never, line.Book
			}
			l := at[line.Leaf]
			if l == nil {
				l = &leaf{number: line.Leaf}
				at[line.Leaf] = l
			}
			l.all, l.days = append(l.all, entry{book, line.Days, before}), l.days|line.Days
			before = line.Days.last(line.Leaf)
		}
		for _, l := range at {
			l.starts[place+1] = int32(len(l.all))
		}
	}
	return slices.SortedFunc(maps.Values(at), func(x, y *leaf) int { return int(x.number - y.number) })
}
