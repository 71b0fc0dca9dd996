package intake

import (
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// register is how the rows of a register file become what is kept of them.
type register[K comparable, V any] struct {
	had   map[K]V // what there is; what stands is put there
	key   func(V) K
	check func(V) (V, *FaultError)
	same  func(a, b V) bool
}

// settle checks all rows, so that a feed is refused in pieces just where it is as a whole (F3), and lets of those with one
// key the later line stand (F1). It returns what is new or changed, in the order in which the keys first come.
func (g register[K, V]) settle(rows []Lined[V], bad Rejected) (Counts, []V, error) {
	c := Counts{Rows: len(rows)}
	at := make(map[K]int, len(rows))
	var stand []V
	for _, row := range rows {
		v, wrong := g.check(row.Row)
		if wrong != nil {
			c.Bad++
			if err := bad(row.Line, wrong.Field, wrong.Reason); err != nil {
				return c, nil, err
			}
			continue
		}
		key := g.key(v)
		if i, twice := at[key]; twice {
			c.Superseded++
			stand[i] = v
			continue
		}
		at[key] = len(stand)
		stand = append(stand, v)
	}
	put := g.against(stand, &c)
	return c, put, nil
}

// against counts what stands beside what there was before, and returns what is to be written.
func (g register[K, V]) against(stand []V, c *Counts) []V {
	put := stand[:0]
	for _, v := range stand {
		key := g.key(v)
		was, known := g.had[key]
		switch {
		case !known:
			c.New++
		case g.same(was, v):
			c.Unchanged++
			continue
		default:
			c.Changed++
		}
		g.had[key] = v
		put = append(put, v)
	}
	return put
}

// equal is == as a function.
func equal[V comparable](a, b V) bool { return a == b }

// Terms settles the rows of one vocabulary.
func (in *Intake) Terms(v libraries.Vocabulary, rows []Lined[libraries.Term], bad Rejected) (Counts, error) {
	c, put, err := register[int64, libraries.Term]{
		had:   in.terms[v],
		key:   func(t libraries.Term) int64 { return t.ID },
		check: func(t libraries.Term) (libraries.Term, *FaultError) { return t, nil },
		same:  equal[libraries.Term],
	}.settle(rows, bad)
	in.PutTerms[v] = put
	return c, err
}

// Books settles the rows of books, whose lists may be in any order.
func (in *Intake) Books(rows []Lined[libraries.Book], bad Rejected) (c Counts, err error) {
	c, in.PutBooks, err = register[int64, libraries.Book]{
		had:   in.books,
		key:   func(b libraries.Book) int64 { return b.ID },
		check: in.book,
		same:  func(a, b libraries.Book) bool { return bookFields.Equal(&a, &b) },
	}.settle(rows, bad)
	return c, err
}

// book checks a row.
func (in *Intake) book(b libraries.Book) (libraries.Book, *FaultError) {
	b.Categories, b.Subjects = ascending(b.Categories), ascending(b.Subjects)
	if b.Publisher != libraries.None && !in.has(libraries.PublisherTerms, b.Publisher) {
		return b, row.Fault("publisherId", isMissing)
	}
	if !in.has(libraries.CategoryTerms, b.Categories...) {
		return b, row.Fault("categoryIds", "each of the list must exist")
	}
	if !in.has(libraries.SubjectTerms, b.Subjects...) {
		return b, row.Fault("subjectIds", "each of the list must exist")
	}
	return b, nil
}

// has reports whether all of the terms exist.
func (in *Intake) has(v libraries.Vocabulary, ids ...int64) bool {
	for _, id := range ids {
		if _, ok := in.terms[v][id]; !ok {
			return false
		}
	}
	return true
}

// ascending returns a list in order, each identifier once; an empty one is nil.
func ascending(ids []int64) []int64 {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Lines settles the rows of lines.
func (in *Intake) Lines(rows []Lined[stock.BookLine], bad Rejected) (c Counts, err error) {
	c, in.PutLines, err = register[int64, stock.BookLine]{
		had:   in.lines,
		key:   func(l stock.BookLine) int64 { return l.Line.ID },
		check: in.line,
		same:  func(a, b stock.BookLine) bool { return lineFields.Equal(&a, &b) },
	}.settle(rows, bad)
	return c, err
}

// line checks a row.
func (in *Intake) line(l stock.BookLine) (stock.BookLine, *FaultError) {
	if _, ok := in.books[l.Book]; !ok {
		return l, row.Fault("bookId", isMissing)
	}
	return l, nil
}

// channelKey is the key of a row of channels.
type channelKey struct {
	day     calendar.Date
	channel libraries.Channel
}

// Channels settles the rows of channels. That a row is estimated follows from its channel, whatever the feed says (L13).
func (in *Intake) Channels(rows []Lined[libraries.ChannelDay], bad Rejected) (c Counts, err error) {
	c, in.PutChannels, err = register[channelKey, libraries.ChannelDay]{
		had:   in.channels,
		key:   func(d libraries.ChannelDay) channelKey { return channelKey{d.Day, d.Channel} },
		check: channelDay,
		same:  equal[libraries.ChannelDay],
	}.settle(rows, bad)
	return c, err
}

// channelDay completes a row.
func channelDay(d libraries.ChannelDay) (libraries.ChannelDay, *FaultError) {
	d.Estimated = d.Channel.Estimated()
	return d, nil
}
