package paging_test

import (
	"fmt"

	"github.com/lectern-dev/lectern/paging"
)

// This example shows the second page of groups that have three, no and four rows.
func ExampleGroups_Spans() {
	groups := paging.NewGroups([]int{3, 0, 4})
	spans, err := groups.Spans(paging.Page{Number: 2, Size: 2})
	for _, s := range spans {
		fmt.Printf("group %d: rows %d up to %d\n", s.Group, s.From, s.To)
	}
	fmt.Println("of", groups.Total(), err)
	// Output:
	// group 0: rows 2 up to 3
	// group 2: rows 0 up to 1
	// of 7 <nil>
}

func ExampleListOf() {
	list, err := paging.ListOf([]string{"a", "b", "c"}, paging.Page{Number: 2, Size: 2})
	fmt.Println(list.Rows, list.Total, err)
	_, err = paging.ListOf([]string{"a", "b", "c"}, paging.Page{})
	fmt.Println(err)
	// Output:
	// [c] 3 <nil>
	// page 0: the number of a page must not be below 1
}

// This example shows that a cursor is valid only for its own list.
func ExampleSealer() {
	s := paging.Sealer{Key: []byte("32 bytes that only the server has")}
	cursor := s.Seal("partner 7: teachers", 120)
	fmt.Println(s.Open("partner 7: teachers", cursor))
	fmt.Println(s.Open("partner 8: teachers", cursor))
	// Output:
	// 120 <nil>
	// 0 invalid cursor
}
