// Package paging cuts lists into pages, in the two ways in which the APIs do it.
//
// By number: a client asks for a [Page], such as the second page of 100 rows. If the rows are grouped, and only the
// number of rows in each group is known, [Groups] returns which rows of which groups are on the page, so that only they
// are read. Groups of 3, 0 and 4 rows make this list of 7, with pages of 2:
//
//	group   0  0  0  2  2  2  2
//	row     0  1  2  0  1  2  3
//	page    1  1  2  2  3  3  4
//
// Page 2 has the spans {Group: 0, From: 2, To: 3} and {Group: 2, From: 0, To: 1}. Page 5 has none, and its total is 7
// like that of every other page.
//
// By cursor: a client gets a text that names a position in the list, and asks for the rows after or before it. A
// [Sealer] makes such texts and accepts only its own (P8). A cursor names a row and not a number of rows, so that no
// page skips or repeats a row when others are created or deleted between two calls.
//
// The package reads no query parameters, and has no default or maximum size of a page. A cursor is signed, not
// encrypted: a client can decode the position. A cursor does not expire.
package paging
