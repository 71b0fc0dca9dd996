package reading

import (
	"slices"
	"sort"
)

// Interval is a part of a book, from From up to but without To, in the book's unit of length. It has no extent where To
// is not above From.
type Interval struct{ From, To int64 }

// Coverage is a set of positions in a book, as intervals that ascend and neither overlap nor touch, each with an extent.
// Its zero value covers nothing. Its methods keep that form and expect it.
type Coverage []Interval

// Add returns the coverage with iv added. Intervals that overlap or touch become one; an iv without extent changes
// nothing. Like append it may write into c's array: only the returned coverage may be used afterwards. At or near the end
// it costs next to nothing, so that a book read forwards is added up in linear time.
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
	// Those from i up to j overlap or touch iv.
	i := sort.Search(len(c), func(i int) bool { return c[i].To >= iv.From })
	j := i + sort.Search(len(c)-i, func(j int) bool { return c[i+j].From > iv.To })
	if i == j {
		return slices.Insert(c, i, iv)
	}
	c[i] = Interval{min(c[i].From, iv.From), max(c[j-1].To, iv.To)}
	return slices.Delete(c, i+1, j)
}

// Union returns the positions that are in c or in d. Like append it may write into c's array: only the returned coverage
// may be used in place of c afterwards. It shares nothing with d, which stays as it is.
func (c Coverage) Union(d Coverage) Coverage {
	if len(c) == 0 {
		return append(c, d...)
	}
	if len(d) <= 1 || d[0].From >= c[len(c)-1].From {
		for _, iv := range d {
			c = c.Add(iv)
		}
		return c
	}
	u := make(Coverage, 0, len(c)+len(d))
	for len(c) > 0 && len(d) > 0 { // in the order of From each is added at the end
		if c[0].From <= d[0].From {
			u, c = u.Add(c[0]), c[1:]
		} else {
			u, d = u.Add(d[0]), d[1:]
		}
	}
	for _, rest := range [...]Coverage{c, d} {
		for _, iv := range rest {
			u = u.Add(iv)
		}
	}
	return u
}

// Within returns how many units of c lie inside [0, length] (S2); none where length is not above 0.
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
