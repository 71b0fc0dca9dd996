package paging_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/paging"
)

func TestListOf(t *testing.T) {
	for _, test := range []struct {
		page paging.Page
		want []int
		err  error
	}{
		{paging.Page{Number: 1, Size: 2}, []int{1, 2}, nil},
		{paging.Page{Number: 2, Size: 2}, []int{3}, nil},
		{paging.Page{Number: 3, Size: 2}, nil, nil},
		{paging.Page{Number: 1, Size: 3}, []int{1, 2, 3}, nil},
		{paging.Page{Number: 2, Size: 3}, nil, nil},
		{paging.Page{Number: 3, Size: 1}, []int{3}, nil},
		{paging.Page{Number: 1, Size: math.MaxInt}, []int{1, 2, 3}, nil},
		{paging.Page{Number: 2, Size: math.MaxInt}, nil, nil},
		{paging.Page{Number: math.MaxInt, Size: 1}, nil, nil},
		{paging.Page{Number: math.MaxInt, Size: math.MaxInt}, nil, nil},
		{paging.Page{Number: 1}, nil, nil},
		{paging.Page{Number: 1, Size: -1}, nil, nil},
		{paging.Page{Number: 0, Size: 2}, nil, paging.ErrPage},
		{paging.Page{Number: -3, Size: 2}, nil, paging.ErrPage},
		{paging.Page{}, nil, paging.ErrPage},
	} {
		list, err := paging.ListOf([]int{1, 2, 3}, test.page)
		got := list.Rows
		if !slices.Equal(got, test.want) || cap(got) != len(got) || !errors.Is(err, test.err) {
			t.Errorf("ListOf([1 2 3], %+v) = %v, %v, want %v, %v", test.page, got, err, test.want, test.err)
		}
		if spans, err := paging.NewGroups([]int{3}).Spans(test.page); (len(spans) > 0) != (len(test.want) > 0) || !errors.Is(err, test.err) {
			t.Errorf("Spans(%+v) = %v, %v, want rows %v, %v", test.page, spans, err, test.want, test.err)
		}
	}
}
