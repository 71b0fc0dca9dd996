package facts

import "github.com/lectern-dev/lectern/paging/state"

// The kinds of a network's blocks.
var (
	AttributesKind   = state.Kind{Number: 17, Name: "attributes"}        // A is the number of the block of readers
	ReaderTitlesKind = state.Kind{Number: 18, Name: "shelves"}           // A is the reader
	EventSetKind     = state.Kind{Number: 19, Name: "seen events"}       // A is the group of readers, B the block of days
	TotalsKind       = state.Kind{Number: 20, Name: "days"}              // A is the day
	ReaderSheetKind  = state.Kind{Number: 21, Name: "sheets of readers"} // A is the day
	TitleSheetKind   = state.Kind{Number: 22, Name: "sheets of titles"}  // A is the day
	LoginSheetKind   = state.Kind{Number: 23, Name: "sheets of logins"}  // A is the day
	TitleCountsKind  = state.Kind{Number: 24, Name: "holdings"}          // A is 0
	LoanReadingsKind = state.Kind{Number: 25, Name: "readings of loans"} // A is the day of the loans
)
