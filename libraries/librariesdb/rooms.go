package librariesdb

import (
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
)

// What the server names of the rooms below internal, which it may not import: its loads settle a feed with these, and its
// exports read the packed forms.
type (
	ActivityRow = intake.ActivityRow
	PreviewRow  = intake.PreviewRow
	RenewalRow  = intake.RenewalRow
	SessionRow  = intake.SessionRow
	Counts      = intake.Counts
	DayTotals   = facts.DayTotals
	EventCounts = intake.EventCounts
	Feed        = intake.Feed
	LoginDay    = facts.LoginDay
	ReaderSheet = facts.ReaderSheet
	ReaderTitle = facts.ReaderTitle
	State       = intake.State
	TitleDay    = facts.TitleDay
)

// Kinds of blocks and errors, as their rooms have them.
var (
	AttributesKind   = facts.AttributesKind
	TitleCountsKind  = facts.TitleCountsKind
	LoanReadingsKind = facts.LoanReadingsKind
	LoginSheetKind   = facts.LoginSheetKind
	ReaderSheetKind  = facts.ReaderSheetKind
	EventSetKind     = facts.EventSetKind
	ReaderTitlesKind = facts.ReaderTitlesKind
	TitleSheetKind   = facts.TitleSheetKind
	TotalsKind       = facts.TotalsKind
)

// Functions, as their rooms have them.
var (
	NewIntake         = intake.NewIntake
	OpenReaderSheet   = facts.OpenReaderSheet
	ParseLogins       = facts.ParseLogins
	ParseReaderTitles = facts.ParseReaderTitles
	VisitTitles       = facts.VisitTitles
)
