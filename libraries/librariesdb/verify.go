package librariesdb

import (
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/state"
)

// Kinds are the kinds of blocks of a network.
var Kinds = []state.Kind{
	facts.AttributesKind, facts.ReaderTitlesKind, facts.EventSetKind, facts.TotalsKind, facts.ReaderSheetKind, facts.TitleSheetKind,
	facts.LoginSheetKind, facts.TitleCountsKind, facts.LoanReadingsKind,
}

// Verifier opens stored blocks and compares what they sum up to.
type Verifier = facts.Verifier
