package intake

import (
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// State is what a load must know of a network.
type Stored struct {
	At       snapshot.Versions // which the load builds on; Facts is 0 before the first
	Terms    []Term
	Books    []libraries.Book
	Lines    []stock.BookLine
	Channels []libraries.ChannelDay
	Readers  []int64 // ascending
	// Forgotten are the readers whose name and e-mail no row brings back (P7).
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

// Intake settles a feed against the State of a network: it checks each row by itself and against what it refers to (F3),
// lets of rows with one key the one stand that F1 says, and keeps what is to be written.
//
// The files are read in the order terms, books, lines, channels, readers, and then the others. The methods named for one row
// check it, and may be called from any number of goroutines, between the calls of the others; those named for several settle
// the rows that were good.
type Intake struct {
	Began   time.Time // when the load began: what happened more than 5 minutes later is bad (F3)
	History calendar.Date
	// Forgotten are the readers whose name and e-mail no row brings back (P7).
	Forgotten map[int64]bool

	// What is to be written: the terms, books, lines and channels that are new or changed.
	PutTerms    []Term
	PutBooks    []libraries.Book
	PutLines    []stock.BookLine
	PutChannels []libraries.ChannelDay

	terms    knownTable[termKey, Term]
	books    knownTable[int64, libraries.Book]
	lines    knownTable[int64, stock.BookLine]
	channels knownTable[channelKey, libraries.ChannelDay]
	readers  ids // that there are, those of the feed included
}

// NewIntake returns an Intake that has settled nothing yet. began is when the load began, history the first day that is
// kept.
func NewIntake(st Stored, began time.Time, history calendar.Date) *Intake {
	in := &Intake{
		Began: began, History: history, Forgotten: st.Forgotten,
		terms:    newKnownTable(Terms, st.Terms, func(t Term) termKey { return termKey{t.Vocabulary, t.ID} }),
		books:    newKnownTable(Books, st.Books, func(b libraries.Book) int64 { return b.ID }),
		lines:    newKnownTable(Lines, st.Lines, func(l stock.BookLine) int64 { return l.Line.ID }),
		channels: newKnownTable(Channels, st.Channels, func(d libraries.ChannelDay) channelKey { return channelKey{d.Day, d.Channel} }),
		readers:  ids{},
	}
	for _, id := range st.Readers {
		in.readers.add(id)
	}
	return in
}

// The reasons that several fields share.
const (
	isMissing  = "does not exist"
	isRequired = "is required"
)

// exists returns what is wrong with a row that refers to a reader and a title.
func (in *Intake) exists(reader, book int64) *row.FaultError {
	if !in.readers.has(reader) {
		return row.Fault("userId", isMissing)
	}
	if !in.books.has(book) {
		return row.Fault("bookId", isMissing)
	}
	return nil
}
