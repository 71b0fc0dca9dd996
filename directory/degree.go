package directory

// Degree says what a degree code means in the reports (P3).
type Degree struct {
	Code  string
	Stage string // `INFANTIL`, `FUNDAMENTAL 1`, `FUNDAMENTAL 2`, `MEDIO`; empty = none
	Grade int    // school year, 1 to 9; 0 = none
}

// Degrees are a partner's vocabulary of degrees, in the order in which they are shown. It is data: the operator can
// replace it for a partner.
type Degrees []Degree

// DefaultDegrees returns the vocabulary of a partner that has none of its own (P3).
func DefaultDegrees() Degrees {
	return Degrees{
		{Code: "I", Stage: "INFANTIL"},
		{Code: "1", Stage: "FUNDAMENTAL 1", Grade: 1},
		{Code: "2", Stage: "FUNDAMENTAL 1", Grade: 2},
		{Code: "3", Stage: "FUNDAMENTAL 1", Grade: 3},
		{Code: "4", Stage: "FUNDAMENTAL 1", Grade: 4},
		{Code: "5", Stage: "FUNDAMENTAL 1", Grade: 5},
		{Code: "6", Stage: "FUNDAMENTAL 2", Grade: 6},
		{Code: "7", Stage: "FUNDAMENTAL 2", Grade: 7},
		{Code: "8", Stage: "FUNDAMENTAL 2", Grade: 8},
		{Code: "9", Stage: "FUNDAMENTAL 2", Grade: 9},
		{Code: "M", Stage: "MEDIO"},
		{Code: "M1", Stage: "MEDIO"},
		{Code: "M2", Stage: "MEDIO"},
		{Code: "M3", Stage: "MEDIO"},
		{Code: "F"}, // the whole school
	}
}

// Degree returns the degree with a code, compared exactly, and whether there is one.
func (ds Degrees) Degree(code string) (Degree, bool) {
	for _, d := range ds {
		if d.Code == code {
			return d, true
		}
	}
	return Degree{}, false
}
