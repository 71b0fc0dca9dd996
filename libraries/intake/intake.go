package intake

import (
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Stored is what a load must know of a network's tables before it validates a feed.
type Stored struct {
	At       snapshot.Versions // the snapshot; Facts is 0 before the first load
	Terms    []Term
	Books    []libraries.Book
	Lines    []stock.BookLine
	Channels []libraries.ChannelDay
	Readers  []int64 // ascending
	// Forgotten has the readers who were erased. No row brings back their name or e-mail (P7).
	Forgotten map[int64]bool
}

// Vocabularies returns the terms by their vocabularies.
func (st Stored) Vocabularies() map[libraries.Vocabulary][]libraries.Term {
	by := map[libraries.Vocabulary][]libraries.Term{}
	for _, t := range st.Terms {
		by[t.Vocabulary] = append(by[t.Vocabulary], t.Term)
	}
	return by
}

// Intake validates the rows of a feed by themselves and against a network's stored tables (F3), and collects what they change
// in its small tables.
//
// The files are read in the order terms, books, lines, channels, readers, and then the others. A method with the name of one
// row validates it, and may be called from any number of goroutines while no table is validated.
type Intake struct {
	// Began is when the load began. An event more than 5 minutes later is bad (F3).
	Began time.Time
	// History is the first day of the history; earlier events are skipped (G6).
	History calendar.Date
	// Forgotten has the readers who were erased (P7).
	Forgotten map[int64]bool

	Terms    *Table[Term]
	Books    *Table[libraries.Book]
	Lines    *Table[stock.BookLine]
	Channels *Table[libraries.ChannelDay]
	readers  ids // with those of the feed
}

// NewIntake returns an Intake for a load that began at an instant, with the first day of the history.
func NewIntake(st Stored, began time.Time, history calendar.Date) *Intake {
	in := &Intake{
		Began: began, History: history, Forgotten: st.Forgotten,
		Terms:    newTable(Terms, st.Terms, func(t Term) rowKey { return rowKey{int64(t.Vocabulary), t.ID} }),
		Books:    newTable(Books, st.Books, func(b libraries.Book) rowKey { return rowKey{b.ID} }),
		Lines:    newTable(Lines, st.Lines, func(l stock.BookLine) rowKey { return rowKey{l.Line.ID} }),
		Channels: newTable(Channels, st.Channels, func(d libraries.ChannelDay) rowKey { return rowKey{int64(d.Day), int64(d.Channel)} }),
		readers:  ids{},
	}
	for _, id := range st.Readers {
		in.readers.add(id)
	}
	return in
}

// TableChanges returns the changes of the tables that the intake knows.
func (in *Intake) TableChanges() []snapshot.Change {
	return []snapshot.Change{in.Terms.change(), in.Books.change(), in.Lines.change(), in.Channels.change()}
}

// The reasons that several fields share.
const (
	isMissing  = "does not exist"
	isRequired = "is required"
)

// refers returns the fault of a row that refers to a reader and a title, or nil.
func (in *Intake) refers(reader, book int64) error {
	if !in.readers.has(reader) {
		return row.Fault("userId", isMissing)
	}
	if !in.Books.has(rowKey{book}) {
		return row.Fault("bookId", isMissing)
	}
	return nil
}
