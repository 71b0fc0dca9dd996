package paging_test

import (
	"math"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/paging"
)

func TestSpans(t *testing.T) {
	for _, test := range []struct {
		rule   string
		counts []int
		page   paging.Page
		want   []paging.Span
	}{
		{"the first page", []int{3, 0, 4}, paging.Page{Number: 1, Size: 2}, []paging.Span{{0, 0, 2}}},
		{"a page across an empty group", []int{3, 0, 4}, paging.Page{Number: 2, Size: 2}, []paging.Span{{0, 2, 3}, {2, 0, 1}}},
		{"a page inside a group", []int{3, 0, 4}, paging.Page{Number: 3, Size: 2}, []paging.Span{{2, 1, 3}}},
		{"the last page has fewer rows", []int{3, 0, 4}, paging.Page{Number: 4, Size: 2}, []paging.Span{{2, 3, 4}}},
		{"past the end", []int{3, 0, 4}, paging.Page{Number: 5, Size: 2}, nil},
		{"a page that starts with a group", []int{3, 0, 4}, paging.Page{Number: 2, Size: 3}, []paging.Span{{2, 0, 3}}},
		{"all on one page", []int{3, 0, 4}, paging.Page{Number: 1, Size: 7}, []paging.Span{{0, 0, 3}, {2, 0, 4}}},
		{"one row too many for a page", []int{3, 0, 4}, paging.Page{Number: 2, Size: 6}, []paging.Span{{2, 3, 4}}},
		{"a page after a full last page", []int{3, 0, 4}, paging.Page{Number: 2, Size: 7}, nil},
		{"empty groups at both ends", []int{0, 0, 1, 0}, paging.Page{Number: 1, Size: 5}, []paging.Span{{2, 0, 1}}},
		{"only empty groups", []int{0, 0}, paging.Page{Number: 1, Size: 5}, nil},
		{"no groups", nil, paging.Page{Number: 1, Size: 5}, nil},
		{"a negative count counts as 0", []int{2, -2, 1}, paging.Page{Number: 1, Size: 5}, []paging.Span{{0, 0, 2}, {2, 0, 1}}},
		{"a page of size 0", []int{3}, paging.Page{Number: 1}, nil},
		{"a page of negative size", []int{3}, paging.Page{Number: 1, Size: -1}, nil},
		{"the largest page", []int{3}, paging.Page{Number: 1, Size: math.MaxInt}, []paging.Span{{0, 0, 3}}},
		{"the largest number", []int{3}, paging.Page{Number: math.MaxInt, Size: math.MaxInt}, nil},
	} {
		if got, err := paging.NewGroups(test.counts).Spans(test.page); !slices.Equal(got, test.want) || err != nil {
			t.Errorf("%s: Spans(%+v) of groups %v = %v, %v, want %v", test.rule, test.page, test.counts, got, err, test.want)
		}
	}
}

func TestZeroGroups(t *testing.T) {
	var g paging.Groups
	if spans, err := g.Spans(paging.Page{Number: 1, Size: 10}); g.Total() != 0 || spans != nil || err != nil {
		t.Errorf("the zero Groups has %d rows, want 0", g.Total())
	}
	for _, n := range []int{0, 1, 1010} {
		if got, want := paging.NewGroups(make([]int, n)).Bytes(), 24+8*(n+1); got != want {
			t.Errorf("%d groups hold %d bytes, want %d: a slice and its numbers", n, got, want)
		}
	}
}
