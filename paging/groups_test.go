package paging_test

import (
	"math"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/paging"
	"pgregory.net/rapid"
)

func TestSpans(t *testing.T) {
	for _, test := range []struct {
		rule   string
		counts []int
		page   paging.Page
		want   []paging.Span
	}{
		{"the first page", []int{3, 0, 4}, paging.Page{Number: 1, Size: 2}, []paging.Span{{0, 0, 2}}},
		{"a page over an empty group", []int{3, 0, 4}, paging.Page{Number: 2, Size: 2}, []paging.Span{{0, 2, 3}, {2, 0, 1}}},
		{"a page inside a group", []int{3, 0, 4}, paging.Page{Number: 3, Size: 2}, []paging.Span{{2, 1, 3}}},
		{"the last page has fewer rows", []int{3, 0, 4}, paging.Page{Number: 4, Size: 2}, []paging.Span{{2, 3, 4}}},
		{"past the end", []int{3, 0, 4}, paging.Page{Number: 5, Size: 2}, nil},
		{"a page that starts with a group", []int{3, 0, 4}, paging.Page{Number: 2, Size: 3}, []paging.Span{{2, 0, 3}}},
		{"all on one page", []int{3, 0, 4}, paging.Page{Number: 1, Size: 7}, []paging.Span{{0, 0, 3}, {2, 0, 4}}},
		{"one row too many for a page", []int{3, 0, 4}, paging.Page{Number: 2, Size: 6}, []paging.Span{{2, 3, 4}}},
		{"a page that ends the list is the last", []int{3, 0, 4}, paging.Page{Number: 2, Size: 7}, nil},
		{"empty groups at both ends", []int{0, 0, 1, 0}, paging.Page{Number: 1, Size: 5}, []paging.Span{{2, 0, 1}}},
		{"only empty groups", []int{0, 0}, paging.Page{Number: 1, Size: 5}, nil},
		{"no groups", nil, paging.Page{Number: 1, Size: 5}, nil},
		{"a count below 0 is taken as 0", []int{2, -2, 1}, paging.Page{Number: 1, Size: 5}, []paging.Span{{0, 0, 2}, {2, 0, 1}}},
		{"a page of no rows", []int{3}, paging.Page{Number: 1}, nil},
		{"a page of less than no rows", []int{3}, paging.Page{Number: 1, Size: -1}, nil},
		{"the largest page", []int{3}, paging.Page{Number: 1, Size: math.MaxInt}, []paging.Span{{0, 0, 3}}},
		{"the largest number", []int{3}, paging.Page{Number: math.MaxInt, Size: math.MaxInt}, nil},
	} {
		if got, err := paging.NewGroups(test.counts).Spans(test.page); !slices.Equal(got, test.want) || err != nil {
			t.Errorf("%s: spans of %+v in %v = %v, %v, want %v", test.rule, test.page, test.counts, got, err, test.want)
		}
	}
}

func TestZeroGroups(t *testing.T) {
	var g paging.Groups
	if spans, err := g.Spans(paging.Page{Number: 1, Size: 10}); g.Total() != 0 || spans != nil || err != nil {
		t.Errorf("the zero Groups has %d rows, want 0", g.Total())
	}
	for _, n := range []int{0, 1, 1010} {
		if got, want := paging.NewGroups(make([]int, n)).Bytes(), 24+8*n; got != want {
			t.Errorf("%d groups hold %d bytes, want %d: a slice and its numbers", n, got, want)
		}
	}
}

// TestPagesAreTheList: the pages one after the other have every row once, in order, and all but the last are full.
func TestPagesAreTheList(t *testing.T) {
	type row struct{ group, row int }
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(0, 6), 0, 20).Draw(t, "counts")
		size := rapid.IntRange(1, 9).Draw(t, "size")
		g := paging.NewGroups(counts)
		var want, got []row
		for group, n := range counts {
			for i := range n {
				want = append(want, row{group, i})
			}
		}
		if g.Total() != int64(len(want)) {
			t.Errorf("Total() = %d, want %d", g.Total(), len(want))
		}
		for number := 1; ; number++ {
			before := len(got)
			spans, err := g.Spans(paging.Page{Number: number, Size: size})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range spans {
				if s.From >= s.To {
					t.Errorf("page %d has the empty span %v", number, s)
				}
				for i := s.From; i < s.To; i++ {
					got = append(got, row{s.Group, i})
				}
			}
			if n := len(got) - before; n != min(size, len(want)-before) {
				t.Fatalf("page %d has %d rows, want %d", number, n, min(size, len(want)-before))
			}
			if len(got) == before {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the pages of %v have the rows %v, want %v", counts, got, want)
		}
	})
}
