package intake

// What the piles of a Feed are tested by.
var (
	NewLoanPile        = loans.pile
	NewReservationPile = reservations.pile
)
