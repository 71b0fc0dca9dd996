package librariesload

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/feed"
)

// registers reads the files that are settled in memory, each before those that refer to it.
func (l *load) registers(ctx context.Context) error {
	in, t := l.intake, l.totals
	counts := map[libraries.Vocabulary]*libraries.Counts{
		libraries.LibraryTerms: &t.Libraries, libraries.AgeGroupTerms: &t.AgeGroups, libraries.PublisherTerms: &t.Publishers,
		libraries.CategoryTerms: &t.Categories, libraries.SubjectTerms: &t.Subjects,
	}
	for _, v := range libraries.Vocabularies() {
		settle := func(rows []libraries.Lined[libraries.Term], bad libraries.Rejected) (libraries.Counts, error) {
			return in.Terms(v, rows, bad)
		}
		if err := register(ctx, l, v.String(), termFields, parseTerm, settle, counts[v]); err != nil {
			return err
		}
	}
	if err := register(ctx, l, "books", bookFields, parseBook, in.Books, &t.Books); err != nil {
		return err
	}
	if err := register(ctx, l, "lines", lineFields, parseLine, in.Lines, &t.Lines); err != nil {
		return err
	}
	return register(ctx, l, "channels", channelFields, parseChannel, in.Channels, &t.Channels)
}

// register reads one register file whole and settles its rows. A file that is absent has no rows.
func register[T any](ctx context.Context, l *load, resource string, fields []feed.Field, parse func(*feed.Row, *T),
	settle func([]libraries.Lined[T], libraries.Rejected) (libraries.Counts, error), counts *libraries.Counts) error {
	file, err := l.folder.File(resource)
	if file == nil || err != nil {
		return err
	}
	var rows []libraries.Lined[T]
	bad := 0
	err = feed.Read(ctx, file, fields, parse, func(row *T, at feed.Pos) error {
		rows = append(rows, libraries.Lined[T]{Line: at.Line, Row: *row})
		return nil
	}, func(e *feed.RowError) error {
		bad++
		return l.report.Bad(e)
	})
	if err != nil {
		return err
	}
	*counts, err = settle(rows, l.rejected(ctx, resource, fields))
	counts.Rows += bad
	counts.Bad += bad
	if err != nil {
		return err
	}
	return l.report.Flush(ctx)
}

var termFields = []feed.Field{{Name: "id", Required: true}, {Name: "name", Required: true}}

func parseTerm(r *feed.Row, t *libraries.Term) { *t = libraries.Term{ID: r.Int(0), Name: r.Text(1)} }

var bookFields = []feed.Field{
	{Name: "bookId", Required: true}, {Name: "title"}, {Name: "isbn"}, {Name: "author"}, {Name: "publisherId"}, {Name: "categoryIds"},
	{Name: "subjectIds"}, {Name: "hasEbook"}, {Name: "hasAudiobook"}, {Name: "hasVideo"}, {Name: "maxUses"}, {Name: "publicationYear"},
}

func parseBook(r *feed.Row, b *libraries.Book) {
	*b = libraries.Book{
		ID: r.Int(0), Title: r.Text(1), ISBN: r.Text(2), Author: r.Text(3), Publisher: intOrNone(r, 4),
		Categories: r.Ints(5), Subjects: r.Ints(6), HasEbook: r.Bool(7), HasAudiobook: r.Bool(8), HasVideo: r.Bool(9),
		MaxUses: optional(r, 10, r.Int), Year: intOrNone(r, 11),
	}
}

var lineFields = []feed.Field{
	{Name: "lineId", Required: true}, {Name: "bookId", Required: true}, {Name: "collection", Required: true}, {Name: "kind", Required: true},
	{Name: "number", Required: true}, {Name: "modality"}, {Name: "copies"}, {Name: "unitPrice"}, {Name: "totalPrice"},
	{Name: "purchasedAt", Required: true}, {Name: "expiresAt"},
}

func parseLine(r *feed.Row, l *libraries.LineRow) {
	*l = libraries.LineRow{
		ID: r.Int(0), Book: r.Int(1), Collection: r.Text(2), Kind: r.Text(3), Number: r.Int(4), Modality: optional(r, 5, r.Text),
		Copies: optional(r, 6, r.Int), UnitPrice: string(r.Decimal(7)), TotalPrice: string(r.Decimal(8)),
		PurchasedAt: r.Date(9), ExpiresAt: optional(r, 10, r.Date),
	}
}

var channelFields = []feed.Field{
	{Name: "date", Required: true}, {Name: "channel", Required: true}, {Name: "sessions", Required: true}, {Name: "estimated"},
}

func parseChannel(r *feed.Row, c *libraries.ChannelRow) {
	*c = libraries.ChannelRow{Day: r.Date(0), Channel: r.Text(1), Sessions: r.Int(2)}
	r.Bool(3) // has to be one, and follows from the channel
}

// optional returns a field, or nil for a null.
func optional[T any](r *feed.Row, i int, read func(int) T) *T {
	if r.Null(i) {
		return nil
	}
	v := read(i)
	return &v
}

// intOrNone returns an integer, or libraries.None for a null.
func intOrNone(r *feed.Row, i int) int64 {
	if r.Null(i) {
		return libraries.None
	}
	return r.Int(i)
}
