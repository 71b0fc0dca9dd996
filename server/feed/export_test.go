package feed

// MaxRow is the most bytes of a row.
const MaxRow = maxRow
