// Package paging cuts lists into pages, in the two ways in which the APIs do it.
//
// By number: a client asks for a [Page], the second page of 100 rows. Where the rows are grouped, and only the number of
// rows in each group is known, [Groups] says which rows of which groups stand on the page, so that only they are read.
// Groups of 3, 0 and 4 rows make this list of 7, and pages of 2:
//
//	group   0  0  0  2  2  2  2
//	row     0  1  2  0  1  2  3
//	page    1  1  2  2  3  3  4
//
// Page 2 has the spans {Group: 0, From: 2, To: 3} and {Group: 2, From: 0, To: 1}. Page 5 has none, and the total is 7 as
// on every other page.
//
// By cursor: a client gets a text that stands for a position in the list, and asks for what follows or precedes it. A
// [Sealer] makes such texts and recognises its own (P8). A cursor names its row and not a number of rows, so rows that are
// created or deleted between two calls make no page skip or repeat another row.
//
// The package reads no query parameters, and knows no default or largest size of a page. A cursor is signed, not
// encrypted: whoever decodes it can see the position. It has no time after which it is refused.
package paging
