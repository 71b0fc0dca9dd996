package intake

import (
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
)

// The fields of the rows of a feed (part F of the contract), in its order. All that reads or writes such rows goes by them.

var (
	bookFields        = row.Of(&libraries.Book{})
	lineFields        = row.Of(&stock.BookLine{})
	readerFields      = row.Of(&libraries.Reader{})
	loanFields        = row.Of(&libraries.Loan{})
	reservationFields = row.Of(&libraries.Reservation{})
	requestFields     = row.Of(&libraries.Request{})
)
