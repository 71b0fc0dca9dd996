package intake

import (
	"time"

	"github.com/lectern-dev/lectern/paging/row"
)

// SessionRow is a row of sessions as a feed has it. Its texts are not copied.
type SessionRow struct {
	ID           []byte
	Reader, Book int64
	Start        time.Time
	Seconds      int64
	Mode, Format []byte
	Progress     []byte
}

// Fields declares the fields of a session's row.
func (r *SessionRow) Fields(w *row.Walk) {
	row.ID(w, "sessionId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Int(w, "bookId", &r.Book, row.Required)
	row.Instant(w, "startedAt", &r.Start, row.Required)
	row.Int(w, "seconds", &r.Seconds, row.Required)
	row.Bytes(w, "mode", &r.Mode, row.Required)
	row.Bytes(w, "format", &r.Format, row.Required)
	row.Number(w, "progress", &r.Progress, row.Required)
}

// PreviewRow is a row of previews as a feed has it.
type PreviewRow struct {
	ID           []byte
	Reader, Book int64
	Viewed       time.Time
}

// Fields declares the fields of a preview's row.
func (r *PreviewRow) Fields(w *row.Walk) {
	row.ID(w, "previewId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Int(w, "bookId", &r.Book, row.Required)
	row.Instant(w, "viewedAt", &r.Viewed, row.Required)
}

// RenewalRow is a row of renewals as a feed has it. The loan is read for its form alone: a renewal is judged without it (G6).
type RenewalRow struct {
	ID                 []byte
	Loan, Reader, Book int64
	Renewed            time.Time
}

// Fields declares the fields of a renewal's row.
func (r *RenewalRow) Fields(w *row.Walk) {
	row.ID(w, "renewalId", &r.ID, row.Required)
	row.Int(w, "loanId", &r.Loan, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Int(w, "bookId", &r.Book, row.Required)
	row.Instant(w, "renewedAt", &r.Renewed, row.Required)
}

// ActivityRow is a row of activity as a feed has it.
type ActivityRow struct {
	ID     []byte
	Reader int64
	At     time.Time
}

// Fields declares the fields of an activity record's row.
func (r *ActivityRow) Fields(w *row.Walk) {
	row.ID(w, "activityId", &r.ID, row.Required)
	row.Int(w, "userId", &r.Reader, row.Required)
	row.Instant(w, "at", &r.At, row.Required)
}
