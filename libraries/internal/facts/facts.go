package facts

import (
	"math"

	"github.com/lectern-dev/lectern/paging/snapshot"
)

// The kinds of a network's blocks.
var (
	AttributesKind   = snapshot.Kind{Number: 17, Name: "attributes"}                 // A is the number of the block of readers
	ReaderTitlesKind = snapshot.Kind{Number: 18, Name: "reader titles"}              // A is the reader
	EventSetKind     = snapshot.Kind{Number: 19, Name: "event ids", LoadsOnly: true} // A is the group of readers, B the block of days
	NetworkKind      = snapshot.Kind{Number: 20, Name: "network"}                    // A is 0
	DayOfReadersKind = snapshot.Kind{Number: 21, Name: "days of readers"}            // A is the day
	DayOfTitlesKind  = snapshot.Kind{Number: 22, Name: "days of titles"}             // A is the day
	LoanReadingsKind = snapshot.Kind{Number: 23, Name: "readings of loans"}          // A is the day of the loans
)

// The ranges of columns: all days, and numbers from 0 to most.
const (
	firstDay, lastDay = math.MinInt32, math.MaxInt32
	most              = math.MaxInt64
)
