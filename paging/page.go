package paging

import "math"

// Page is one page of a list: Number counts from 1, Size is the number of rows that a full page has. It sets no limit
// and has no default; those are the routes'.
type Page struct{ Number, Size int }

// Offset returns how many rows stand before the page. It is 0 where the page's Number is below 1 or its Size below 0, and
// the largest int64 where the true number is larger.
func (p Page) Offset() int64 {
	if p.Number <= 1 || p.Size <= 0 {
		return 0
	}
	pages, size := int64(p.Number-1), int64(p.Size)
	if pages > math.MaxInt64/size {
		return math.MaxInt64
	}
	return pages * size
}
