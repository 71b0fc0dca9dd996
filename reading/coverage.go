package reading

import (
	"cmp"
	"slices"
	"sort"
)

// Interval is a part of a book, from From up to but not including To, in the book's unit of length. It is empty if To
// is not above From.
type Interval struct{ From, To int64 }

// Coverage is a set of positions in a book: non-empty intervals in ascending order that neither overlap nor touch. The
// zero value covers nothing. The methods keep this form and expect it.
type Coverage []Interval

// Add returns the coverage with iv added. Intervals that overlap or touch become one. An empty iv changes nothing. Like
// append it may overwrite c: use only the returned coverage. Adding at or near the end is fast, so that a book read
// forwards is added up in linear time.
func (c Coverage) Add(iv Interval) Coverage {
	if iv.To <= iv.From {
		return c
	}
	last := len(c) - 1
	if last < 0 || iv.From > c[last].To {
		return append(c, iv)
	}
	if iv.From >= c[last].From {
		c[last].To = max(c[last].To, iv.To)
		return c
	}
	// The intervals from i up to j overlap or touch iv.
	i := sort.Search(len(c), func(i int) bool { return c[i].To >= iv.From })
	j := i + sort.Search(len(c)-i, func(j int) bool { return c[i+j].From > iv.To })
	if i == j {
		return slices.Insert(c, i, iv)
	}
	c[i] = Interval{min(c[i].From, iv.From), max(c[j-1].To, iv.To)}
	return slices.Delete(c, i+1, j)
}

// Union returns the positions in c or d. Like append it may overwrite c: use only the returned coverage. It neither
// changes d nor shares memory with it.
func (c Coverage) Union(d Coverage) Coverage {
	if len(c) == 0 {
		return append(c, d...)
	}
	if len(d) > 1 && d[0].From < c[len(c)-1].From { // in the order of From each is added at the end
		d = slices.Concat(c, d)
		slices.SortFunc(d, func(a, b Interval) int { return cmp.Compare(a.From, b.From) })
		c = c[:0]
	}
	for _, iv := range d {
		c = c.Add(iv)
	}
	return c
}

// Within returns how many units of c are in [0, length] (S2), or 0 if length is not above 0.
func (c Coverage) Within(length int64) int64 {
	if length <= 0 {
		return 0
	}
	n := int64(0)
	for _, iv := range c {
		n += max(min(iv.To, length)-max(iv.From, 0), 0)
	}
	return n
}
