package librariesdb

import (
	"iter"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
)

// What the server names of the rooms below internal, which it may not import: its loads settle a feed with these, and its
// exports read the packed forms.
type (
	ActivityRow       = intake.ActivityRow
	Counts            = intake.Counts
	DayTotals         = facts.DayTotals
	EventCounts       = intake.EventCounts
	Intake            = intake.Intake
	Lined[T any]      = intake.Lined[T]
	LoanChange        = facts.LoanChange
	LoginDay          = facts.LoginDay
	Pile              = intake.Pile
	PreviewRow        = intake.PreviewRow
	ReaderSheet       = facts.ReaderSheet
	RenewalRow        = intake.RenewalRow
	ReservationChange = facts.ReservationChange
	ReaderTitle       = facts.ReaderTitle
	SessionRow        = intake.SessionRow
	State             = intake.State
	TitleDay          = facts.TitleDay
)

// Kinds of blocks and errors, as their rooms have them.
var (
	AttributesKind   = facts.AttributesKind
	TitleCountsKind  = facts.TitleCountsKind
	LoginSheetKind   = facts.LoginSheetKind
	ReaderSheetKind  = facts.ReaderSheetKind
	EventSetKind     = facts.EventSetKind
	ReaderTitlesKind = facts.ReaderTitlesKind
	TitleSheetKind   = facts.TitleSheetKind
	TotalsKind       = facts.TotalsKind
)

// NewIntake is that of package intake.
func NewIntake(st intake.State, began time.Time, history calendar.Date) *intake.Intake {
	return intake.NewIntake(st, began, history)
}

// NewLoanPile is that of package intake.
func NewLoanPile(room spill.Pile) *spill.Of[intake.Lined[libraries.Loan]] {
	return intake.NewLoanPile(room)
}

// NewReservationPile is that of package intake.
func NewReservationPile(room spill.Pile) *spill.Of[intake.Lined[libraries.Reservation]] {
	return intake.NewReservationPile(room)
}

// OpenReaderSheet is that of package facts.
func OpenReaderSheet(data []byte) (*facts.ReaderSheet, error) { return facts.OpenReaderSheet(data) }

// ParseLogins is that of package facts.
func ParseLogins(data []byte) (iter.Seq[facts.LoginDay], error) { return facts.ParseLogins(data) }

// ParseReaderTitles is that of package facts.
func ParseReaderTitles(data []byte) (*facts.ReaderTitles, error) {
	return facts.ParseReaderTitles(data)
}

// VisitTitles is that of package facts.
func VisitTitles(data []byte, visit func(facts.TitleDay)) error {
	return facts.VisitTitles(data, visit)
}
