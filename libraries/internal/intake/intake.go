package intake

import (
	"errors"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// State is what a load must know of a network.
type State struct {
	At       state.Versions // which the load builds on; Facts is 0 before the first
	Terms    map[libraries.Vocabulary][]libraries.Term
	Books    []libraries.Book
	Lines    []stock.BookLine
	Channels []libraries.ChannelDay
	Readers  []int64 // ascending
	// Forgotten are the readers whose name and e-mail no row brings back (P7).
	Forgotten map[int64]bool
}

// Intake settles a feed against the State of a network: it checks each row by itself and against what it refers to (F3),
// lets of rows with one key the one stand that F1 says, and keeps what is to be written.
//
// Its methods are called in the order Terms, Books, Lines, Channels; then Reader, and AddReader with each that Reader
// returns; then the others. Reader, Loan, Renewal, Reservation, Session, Preview, Activity and Request check one row each
// and may be called from any number of goroutines, between the calls of the others.
type Intake struct {
	State   State
	Began   time.Time // when the load began: what happened more than Ahead later is bad (F3)
	History calendar.Date

	// What is to be written: the terms, books, lines and channels that are new or changed.
	PutTerms    map[libraries.Vocabulary][]libraries.Term
	PutBooks    []libraries.Book
	PutLines    []stock.BookLine
	PutChannels []libraries.ChannelDay

	// What there is, the feed's rows included once they are settled.
	terms    map[libraries.Vocabulary]map[int64]libraries.Term
	books    map[int64]libraries.Book
	lines    map[int64]stock.BookLine
	channels map[channelKey]libraries.ChannelDay
	readers  map[int64]struct{}
}

// Ahead is by how much the clock of who writes a feed may be ahead of the load's (F3).
const Ahead = 5 * time.Minute

// NewIntake returns an Intake that has settled nothing yet. began is when the load began, history the first day that is
// kept.
func NewIntake(st State, began time.Time, history calendar.Date) *Intake {
	in := &Intake{
		State: st, Began: began, History: history, PutTerms: map[libraries.Vocabulary][]libraries.Term{},
		terms:    make(map[libraries.Vocabulary]map[int64]libraries.Term, len(libraries.Vocabularies())),
		books:    make(map[int64]libraries.Book, len(st.Books)),
		lines:    make(map[int64]stock.BookLine, len(st.Lines)),
		channels: make(map[channelKey]libraries.ChannelDay, len(st.Channels)),
		readers:  make(map[int64]struct{}, len(st.Readers)),
	}
	for _, v := range libraries.Vocabularies() {
		in.terms[v] = make(map[int64]libraries.Term, len(st.Terms[v]))
		for _, t := range st.Terms[v] {
			in.terms[v][t.ID] = t
		}
	}
	for _, b := range st.Books {
		in.books[b.ID] = b
	}
	for _, l := range st.Lines {
		in.lines[l.Line.ID] = l
	}
	for _, c := range st.Channels {
		in.channels[channelKey{c.Day, c.Channel}] = c
	}
	for _, id := range st.Readers {
		in.readers[id] = struct{}{}
	}
	return in
}

// Counts says what became of the rows of one register file.
type Counts struct {
	Rows      int `json:"rows"`
	New       int `json:"new"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	// Superseded rows are good, but another row with their key stands (F1).
	Superseded int `json:"superseded"`
	// BeforeHistory rows are loans and reservations that do not exist (G6).
	BeforeHistory int `json:"beforeHistory"`
	Bad           int `json:"bad"`
}

// EventCounts says what became of the rows of one file of events before they were folded.
type EventCounts struct {
	Rows int `json:"rows"`
	// BeforeHistory rows are skipped: events before the history (G6).
	BeforeHistory int `json:"beforeHistory"`
	Bad           int `json:"bad"`
}

// Lined is a row of a feed with the line on which it starts.
type Lined[T any] = row.Lined[T]

// Rejected is told of a bad row (F3).
type Rejected = row.Rejected

// FaultError is what is wrong with a row: the name of a field in the feed, and why.
type FaultError = row.FaultError

// ErrBeforeHistory is returned for an event before the history: it is skipped and counted, not bad (G6).
var ErrBeforeHistory = errors.New("before the history")

// The reasons that several fields share.
const (
	isMissing  = "does not exist"
	isRequired = "is required"
	isChanged  = "must not change"
	isLate     = "must not be more than 5 minutes after the load began"
)

// exists returns what is wrong with a row that refers to a reader and a title.
func (in *Intake) exists(reader, book int64) *FaultError {
	if _, ok := in.readers[reader]; !ok {
		return row.Fault("userId", isMissing)
	}
	if _, ok := in.books[book]; !ok {
		return row.Fault("bookId", isMissing)
	}
	return nil
}

// late reports whether the time is more than Ahead after the load began (F3).
func (in *Intake) late(t time.Time) bool { return t.Sub(in.Began) > Ahead }
