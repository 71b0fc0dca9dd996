package feed

// MaxRow is the most bytes of a row.
const MaxRow = maxRow

// MaxLate is the most rows whose values are fetched at once.
const MaxLate = maxLate
