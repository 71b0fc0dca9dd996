package schoolsdb

import (
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Kinds are the kinds of blocks of a partner.
var Kinds = []state.Kind{facts.RecordKind, facts.LedgerKind, facts.PresenceKind, facts.MinutesKind, facts.SeenKind, facts.SumsKind}

// Verifier opens stored blocks and compares what they sum up to.
type Verifier = facts.Verifier
