package export

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
)

// The rows of the registers, field by field as feeds have them (part F of the contract).

// writeRegisters writes the registers that have neither readers nor days.
func (l *librariesExport) writeRegisters(context.Context) error {
	for _, v := range libraries.Vocabularies() {
		t, err := l.folder.Table(v.String(), "id", "name")
		if err != nil {
			return err
		}
		err = each(l.state.Terms[v], func(term *libraries.Term) error {
			t.Int(term.ID)
			t.Text(term.Name)
			return t.End()
		})
		if err != nil {
			return err
		}
	}
	for _, write := range []func() error{l.writeBooks, l.writeLines, l.writeChannels} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func (l *librariesExport) writeBooks() error {
	t, err := l.folder.Table("books", "bookId", "title", "isbn", "author", "publisherId", "categoryIds", "subjectIds",
		"hasEbook", "hasAudiobook", "hasVideo", "maxUses", "publicationYear")
	if err != nil {
		return err
	}
	return each(l.state.Books, func(b *libraries.Book) error {
		t.Int(b.ID)
		t.Text(b.Title)
		t.Text(b.ISBN)
		t.Text(b.Author)
		t.IntOr(b.Publisher, libraries.None)
		t.Ints(b.Categories)
		t.Ints(b.Subjects)
		t.Bool(b.HasEbook)
		t.Bool(b.HasAudiobook)
		t.Bool(b.HasVideo)
		t.OptionalInt(b.MaxUses)
		t.IntOr(b.Year, libraries.None)
		return t.End()
	})
}

func (l *librariesExport) writeLines() error {
	t, err := l.folder.Table("lines", "lineId", "bookId", "collection", "kind", "number", "modality", "copies",
		"unitPrice", "totalPrice", "purchasedAt", "expiresAt")
	if err != nil {
		return err
	}
	return each(l.state.Lines, func(b *libraries.BookLine) error {
		line := &b.Line
		t.Int(line.ID)
		t.Int(b.Book)
		t.Text(line.Collection.String())
		t.Text(line.Kind.String())
		t.Int(line.Number)
		t.OptionalText(line.Modality)
		t.OptionalInt(line.Copies)
		t.plain(line.UnitPrice.String())
		t.plain(line.TotalPrice.String())
		t.Date(line.PurchasedAt)
		t.OptionalDate(line.ExpiresAt)
		return t.End()
	})
}

func (l *librariesExport) writeChannels() error {
	t, err := l.folder.Table("channels", "date", "channel", "sessions", "estimated")
	if err != nil {
		return err
	}
	return each(l.state.Channels, func(c *libraries.ChannelDay) error {
		t.Date(c.Day)
		t.Text(c.Channel.String())
		t.Int(c.Sessions)
		t.Bool(c.Estimated)
		return t.End()
	})
}

func writeReader(t *Table, r *libraries.Reader) error {
	t.Int(r.ID)
	t.Text(r.Name)
	t.Text(r.Email)
	t.IntOr(r.Library, libraries.None)
	t.IntOr(r.AgeGroup, libraries.None)
	t.Text(r.City)
	t.Text(r.State)
	t.Text(r.RA)
	t.Text(r.Gender.String())
	t.Date(r.Registered)
	t.Text(r.Status.String())
	t.DateIf(r.DeletedAt, r.Status.Gone())
	t.Time(r.Updated)
	t.Time(r.Confirmed)
	t.Time(r.LastLogin)
	return t.End()
}

func writeLoan(t *Table, l *libraries.Loan) error {
	t.Int(l.ID)
	t.Int(l.Reader)
	t.Int(l.Book)
	t.Time(l.Borrowed)
	t.OptionalDate(l.Due)
	t.Time(l.Returned)
	t.Text(l.Status.String())
	return t.End()
}

func writeReservation(t *Table, r *libraries.Reservation) error {
	t.Int(r.ID)
	t.Int(r.Reader)
	t.Int(r.Book)
	t.Text(r.Status.String())
	t.IntOr(r.Position, libraries.None)
	t.Time(r.Reserved)
	t.Time(r.Resolved)
	return t.End()
}

func writeSuggestion(t *Table, r *libraries.Request) error {
	t.Int(r.ID)
	t.Int(r.Reader)
	t.Text(r.Title)
	t.Text(r.Author)
	t.Text(r.Publisher)
	t.Text(r.SearchTerm)
	t.Text(r.Availability.String())
	t.Time(r.Requested)
	return t.End()
}

// writeShelf writes what one reader did with one title. progress is in percent, to the thousandths that are kept; the days on
// which it first reached 10 and 50 are those that readings10 and readings50 count.
func writeShelf(t *Table, reader int64, b *libraries.ShelfBook) error {
	t.Int(reader)
	t.Int(b.Book)
	t.Int(b.Pair.Sessions)
	t.Int(b.Pair.Seconds)
	t.Decimal(int64(b.Pair.Highest), 3)
	t.DateIf(b.Pair.Last())
	t.DateIf(b.Pair.Reached(libraries.Reading10))
	t.DateIf(b.Pair.Reached(libraries.Reading50))
	days := make([]string, len(b.Loans))
	for i, loan := range b.Loans {
		days[i] = loan.Start.String()
	}
	t.plains(days)
	return t.End()
}
