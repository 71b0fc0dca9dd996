package paging_test

import (
	"math"
	"testing"

	"github.com/lectern-dev/lectern/paging"
)

func TestOffset(t *testing.T) {
	for _, test := range []struct {
		page paging.Page
		want int64
	}{
		{paging.Page{Number: 1, Size: 100}, 0},
		{paging.Page{Number: 2, Size: 100}, 100},
		{paging.Page{Number: 3, Size: 7}, 14},
		{paging.Page{Number: 100_000, Size: 1_000}, 99_999_000},
		{paging.Page{}, 0},
		{paging.Page{Number: 2}, 0},
		{paging.Page{Number: math.MaxInt64/100 + 1, Size: 100}, math.MaxInt64 - math.MaxInt64%100},
		{paging.Page{Number: 0, Size: 100}, 0},
		{paging.Page{Number: -3, Size: 100}, 0},
		{paging.Page{Number: 3, Size: -100}, 0},
		{paging.Page{Number: 2, Size: math.MaxInt}, math.MaxInt},
		{paging.Page{Number: 3, Size: math.MaxInt}, math.MaxInt64},
		{paging.Page{Number: math.MaxInt, Size: math.MaxInt}, math.MaxInt64},
		{paging.Page{Number: math.MaxInt, Size: 1}, math.MaxInt - 1},
	} {
		if got := test.page.Offset(); got != test.want {
			t.Errorf("%+v.Offset() = %d, want %d", test.page, got, test.want)
		}
	}
}
