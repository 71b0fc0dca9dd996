package facts

import "math"

// The ranges of columns: all days, and numbers from 0 to most.
const (
	firstDay, lastDay = math.MinInt32, math.MaxInt32
	most              = math.MaxInt64
)

// itself is the column of rows that are numbers themselves.
func itself[N any](n *N) *N { return n }
