package libraries

import (
	"slices"
	"strings"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// register is how the rows of a register file become what is kept of them. The file's rows are R, what is kept is V.
type register[R any, K comparable, V any] struct {
	had   map[K]V // what there is; what stands is put there
	key   func(V) K
	check func(R) (V, *FaultError)
	same  func(a, b V) bool
}

// settle checks all rows, so that a feed is refused in pieces just where it is as a whole (F3), and lets of those with one
// key the later line stand (F1). It returns what is new or changed, in the order in which the keys first come.
func (g register[R, K, V]) settle(rows []Lined[R], bad Rejected) (Counts, []V, error) {
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
func (g register[R, K, V]) against(stand []V, c *Counts) []V {
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

// samePointee reports whether both are nil, or point to equal values.
func samePointee[V comparable](a, b *V) bool { return a == b || a != nil && b != nil && *a == *b }

// Terms settles the rows of one vocabulary.
func (in *Intake) Terms(v Vocabulary, rows []Lined[Term], bad Rejected) (Counts, error) {
	c, put, err := register[Term, int64, Term]{
		had:   in.terms[v],
		key:   func(t Term) int64 { return t.ID },
		check: func(t Term) (Term, *FaultError) { return t, nil },
		same:  equal[Term],
	}.settle(rows, bad)
	in.PutTerms[v] = put
	return c, err
}

// Books settles the rows of books, whose lists may be in any order.
func (in *Intake) Books(rows []Lined[Book], bad Rejected) (c Counts, err error) {
	c, in.PutBooks, err = register[Book, int64, Book]{
		had:   in.books,
		key:   func(b Book) int64 { return b.ID },
		check: in.book,
		same:  sameBook,
	}.settle(rows, bad)
	return c, err
}

// book checks a row.
func (in *Intake) book(b Book) (Book, *FaultError) {
	b.Categories, b.Subjects = ascending(b.Categories), ascending(b.Subjects)
	if b.Publisher != None && !in.has(PublisherTerms, b.Publisher) {
		return b, &FaultError{"publisherId", isMissing}
	}
	if !in.has(CategoryTerms, b.Categories...) {
		return b, &FaultError{"categoryIds", "each of the list must exist"}
	}
	if !in.has(SubjectTerms, b.Subjects...) {
		return b, &FaultError{"subjectIds", "each of the list must exist"}
	}
	return b, nil
}

// has reports whether all of the terms exist.
func (in *Intake) has(v Vocabulary, ids ...int64) bool {
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

func sameBook(a, b Book) bool {
	return a.ID == b.ID && a.Title == b.Title && a.ISBN == b.ISBN && a.Author == b.Author && a.Publisher == b.Publisher &&
		slices.Equal(a.Categories, b.Categories) && slices.Equal(a.Subjects, b.Subjects) &&
		a.HasEbook == b.HasEbook && a.HasAudiobook == b.HasAudiobook && a.HasVideo == b.HasVideo &&
		samePointee(a.MaxUses, b.MaxUses) && a.Year == b.Year
}

// LineRow is a row of lines as the feed has it; empty prices are 0.
type LineRow struct {
	ID, Book              int64
	Collection, Kind      string
	Number                int64
	Modality              *string
	Copies                *int64
	UnitPrice, TotalPrice string
	PurchasedAt           calendar.Date
	ExpiresAt             *calendar.Date
}

// Lines settles the rows of lines.
func (in *Intake) Lines(rows []Lined[LineRow], bad Rejected) (c Counts, err error) {
	c, in.PutLines, err = register[LineRow, int64, BookLine]{
		had:   in.lines,
		key:   func(l BookLine) int64 { return l.Line.ID },
		check: in.line,
		same:  sameLine,
	}.settle(rows, bad)
	return c, err
}

// line checks a row.
func (in *Intake) line(row LineRow) (l BookLine, wrong *FaultError) {
	l = BookLine{Book: row.Book, Line: Line{
		ID: row.ID, Number: row.Number, Modality: row.Modality, Copies: row.Copies, PurchasedAt: row.PurchasedAt, ExpiresAt: row.ExpiresAt,
	}}
	if _, ok := in.books[row.Book]; !ok {
		return l, &FaultError{"bookId", isMissing}
	}
	var ok bool
	if l.Line.Collection, ok = ParseCollection(row.Collection); !ok {
		return l, oneOf("collection", collections[1:])
	}
	if l.Line.Kind, ok = ParseKind(row.Kind); !ok {
		return l, oneOf("kind", kinds[1:])
	}
	if l.Line.UnitPrice, wrong = price("unitPrice", row.UnitPrice); wrong != nil {
		return l, wrong
	}
	l.Line.TotalPrice, wrong = price("totalPrice", row.TotalPrice)
	return l, wrong
}

// price returns the amount of a field.
func price(field, text string) (Money, *FaultError) {
	if text == "" {
		return 0, nil
	}
	m, err := ParseMoney(text)
	if err != nil {
		return 0, &FaultError{field, ErrMoney.Error()}
	}
	return m, nil
}

// oneOf says that a field's value is none of an enum's names.
func oneOf(field string, names []string) *FaultError {
	return &FaultError{field, "must be one of " + strings.Join(names, ", ")}
}

func sameLine(a, b BookLine) bool {
	x, y := a.Line, b.Line
	return a.Book == b.Book && x.ID == y.ID && x.Collection == y.Collection && x.Kind == y.Kind && x.Number == y.Number &&
		samePointee(x.Modality, y.Modality) && samePointee(x.Copies, y.Copies) && x.UnitPrice == y.UnitPrice &&
		x.TotalPrice == y.TotalPrice && x.PurchasedAt == y.PurchasedAt && samePointee(x.ExpiresAt, y.ExpiresAt)
}

// ChannelRow is a row of channels as the feed has it.
type ChannelRow struct {
	Day      calendar.Date
	Channel  string
	Sessions int64
}

// channelKey is the key of a row of channels.
type channelKey struct {
	day     calendar.Date
	channel Channel
}

// Channels settles the rows of channels. That a row is estimated follows from its channel, whatever the feed says (L13).
func (in *Intake) Channels(rows []Lined[ChannelRow], bad Rejected) (c Counts, err error) {
	c, in.PutChannels, err = register[ChannelRow, channelKey, ChannelDay]{
		had:   in.channels,
		key:   func(d ChannelDay) channelKey { return channelKey{d.Day, d.Channel} },
		check: channelDay,
		same:  equal[ChannelDay],
	}.settle(rows, bad)
	return c, err
}

// channelDay checks a row.
func channelDay(row ChannelRow) (ChannelDay, *FaultError) {
	channel, ok := ParseChannel(row.Channel)
	if !ok {
		return ChannelDay{}, oneOf("channel", channels[1:])
	}
	return ChannelDay{Day: row.Day, Channel: channel, Sessions: row.Sessions, Estimated: channel.Estimated()}, nil
}
