package librariesdb

import (
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/internal/intake"
)

// What the server names of the rooms below internal, which it may not import: its loads validate a feed with these.
type (
	ActivityRow = intake.ActivityRow
	PreviewRow  = intake.PreviewRow
	RenewalRow  = intake.RenewalRow
	SessionRow  = intake.SessionRow
	Counts      = intake.Counts
	EventCounts = intake.EventCounts
	Feed        = intake.Feed
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
	NewIntake = intake.NewIntake
)
