package export

import (
	"context"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/server/internal/wire"
)

// The rows of the registers, field by field as feeds have them (part F of the contract).

// writeRegisters writes the registers that have neither readers nor days.
func (l *librariesExport) writeRegisters(context.Context) error {
	for _, v := range libraries.Vocabularies() {
		if err := writeFile(l.folder, v.String(), writeTerm, l.state.Terms[v]); err != nil {
			return err
		}
	}
	if err := writeFile(l.folder, "books", writeBook, l.state.Books); err != nil {
		return err
	}
	if err := writeFile(l.folder, "lines", writeLine, l.state.Lines); err != nil {
		return err
	}
	return writeFile(l.folder, "channels", writeChannel, l.state.Channels)
}

// writeFile writes a whole file.
func writeFile[T any](f *Folder, name string, write func(*wire.Writer, *T), rows []T) error {
	t, err := NewTable(f, name, write)
	if err != nil {
		return err
	}
	return t.WriteAll(rows)
}

func writeTerm(w *wire.Writer, t *libraries.Term) {
	w.Int("id", t.ID, "")
	w.TextOrNull("name", t.Name, "")
}

func writeBook(w *wire.Writer, b *libraries.Book) {
	w.Int("bookId", b.ID, "")
	w.TextOrNull("title", b.Title, "")
	w.TextOrNull("isbn", b.ISBN, "")
	w.TextOrNull("author", b.Author, "")
	w.IntIf("publisherId", b.Publisher, b.Publisher != libraries.None, "")
	w.Ints("categoryIds", b.Categories, "")
	w.Ints("subjectIds", b.Subjects, "")
	w.Bool("hasEbook", b.HasEbook, "")
	w.Bool("hasAudiobook", b.HasAudiobook, "")
	w.Bool("hasVideo", b.HasVideo, "")
	w.OptionalInt("maxUses", b.MaxUses, "")
	w.IntIf("publicationYear", b.Year, b.Year != libraries.None, "")
}

func writeLine(w *wire.Writer, b *libraries.BookLine) {
	line := &b.Line
	w.Int("lineId", line.ID, "")
	w.Int("bookId", b.Book, "")
	w.Text("collection", line.Collection.String(), "")
	w.Text("kind", line.Kind.String(), "")
	w.Int("number", line.Number, "")
	w.OptionalText("modality", line.Modality, "")
	w.OptionalInt("copies", line.Copies, "")
	w.Amount("unitPrice", line.UnitPrice.String(), "")
	w.Amount("totalPrice", line.TotalPrice.String(), "")
	w.Date("purchasedAt", line.PurchasedAt, "")
	w.OptionalDate("expiresAt", line.ExpiresAt, "")
}

func writeChannel(w *wire.Writer, c *libraries.ChannelDay) {
	w.Date("date", c.Day, "")
	w.Text("channel", c.Channel.String(), "")
	w.Int("sessions", c.Sessions, "")
	w.Bool("estimated", c.Estimated, "")
}

func writeReader(w *wire.Writer, r *libraries.Reader) {
	w.Int("userId", r.ID, "")
	w.TextOrNull("name", r.Name, "")
	w.TextOrNull("email", r.Email, "")
	w.IntIf("libraryId", r.Library, r.Library != libraries.None, "")
	w.IntIf("ageGroupId", r.AgeGroup, r.AgeGroup != libraries.None, "")
	w.TextOrNull("city", r.City, "")
	w.TextOrNull("state", r.State, "")
	w.TextOrNull("ra", r.RA, "")
	w.Text("gender", r.Gender.String(), "")
	w.Date("registeredAt", r.Registered, "")
	w.Text("status", r.Status.String(), "")
	w.DateIf("deletedAt", r.DeletedAt, r.Status.Gone(), "")
	w.ExactTimeOrNull("updatedAt", r.Updated, "")
	w.ExactTimeOrNull("confirmedAt", r.Confirmed, "")
	w.ExactTimeOrNull("lastSignInAt", r.LastLogin, "")
}

func writeLoan(w *wire.Writer, l *libraries.Loan) {
	w.Int("loanId", l.ID, "")
	w.Int("userId", l.Reader, "")
	w.Int("bookId", l.Book, "")
	w.ExactTimeOrNull("borrowedAt", l.Borrowed, "")
	w.OptionalDate("dueAt", l.Due, "")
	w.ExactTimeOrNull("returnedAt", l.Returned, "")
	w.Text("status", l.Status.String(), "")
}

func writeReservation(w *wire.Writer, r *libraries.Reservation) {
	w.Int("reservationId", r.ID, "")
	w.Int("userId", r.Reader, "")
	w.Int("bookId", r.Book, "")
	w.Text("status", r.Status.String(), "")
	w.IntIf("position", r.Position, r.Position != libraries.None, "")
	w.ExactTimeOrNull("reservedAt", r.Reserved, "")
	w.ExactTimeOrNull("resolvedAt", r.Resolved, "")
}

func writeSuggestion(w *wire.Writer, r *libraries.Request) {
	w.Int("requestId", r.ID, "")
	w.Int("userId", r.Reader, "")
	w.TextOrNull("title", r.Title, "")
	w.TextOrNull("author", r.Author, "")
	w.TextOrNull("publisher", r.Publisher, "")
	w.TextOrNull("searchTerm", r.SearchTerm, "")
	w.Text("availability", r.Availability.String(), "")
	w.ExactTimeOrNull("requestedAt", r.Requested, "")
}

// shelfRow is what one reader did with one title.
type shelfRow struct {
	reader int64
	libraries.ShelfBook
}

// writeShelf writes progress in percent, to the thousandths that are kept; the days on which it first reached 10 and 50 are those
// that readings10 and readings50 count.
func writeShelf(w *wire.Writer, s *shelfRow) {
	w.Int("userId", s.reader, "")
	w.Int("bookId", s.Book, "")
	w.Int("sessions", s.Pair.Sessions, "")
	w.Int("readingSeconds", s.Pair.Seconds, "")
	w.Progress("progress", int64(s.Pair.Highest), "")
	last, read := s.Pair.Last()
	w.DateIf("lastReadAt", last, read, "")
	at10, reached := s.Pair.Reached(libraries.Reading10)
	w.DateIf("readings10At", at10, reached, "")
	at50, reached := s.Pair.Reached(libraries.Reading50)
	w.DateIf("readings50At", at50, reached, "")
	days := make([]string, len(s.Loans))
	for i, loan := range s.Loans {
		days[i] = loan.Start.String()
	}
	w.Texts("loans", days, wire.Day, "")
}
