package schoolsdb

import (
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/internal/intake"
)

// What the server names of the rooms below internal, which it may not import: its loads validate a feed with these.
type (
	AccessRow     = intake.AccessRow
	AccountRow    = intake.AccountRow
	Counts        = intake.Counts
	EntityRow     = intake.EntityRow
	EvaluationRow = intake.EvaluationRow
	Event         = intake.Event
	Facts         = facts.Facts
	Intake        = intake.Intake
	Moves         = intake.Moves
	Pile          = intake.Pile
	SegmentRow    = intake.SegmentRow
	State         = intake.State
)

// Kinds of blocks and errors, as their rooms have them.
var (
	ErrDeleted   = intake.ErrDeleted
	LedgerKind   = facts.LedgerKind
	MinutesKind  = facts.MinutesKind
	PresenceKind = facts.PresenceKind
	RecordKind   = facts.RecordKind
	SeenKind     = facts.SeenKind
	SumsKind     = facts.SumsKind
)

// ParseRecord is that of package facts.
func ParseRecord(data []byte) (*reading.Record, error) { return facts.ParseRecord(data) }
