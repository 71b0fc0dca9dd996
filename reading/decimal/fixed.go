package decimal

import "strconv"

// Fixed returns a number of units of 10^-places, places above 0, as a decimal with so many places: fixed(-5, 2) is -0.05.
func Fixed(units int64, places int) string {
	return string(AppendFixed(make([]byte, 0, 24), units, places))
}

// AppendFixed appends what fixed returns.
func AppendFixed(b []byte, units int64, places int) []byte {
	magnitude := uint64(units)
	if units < 0 {
		b, magnitude = append(b, '-'), -magnitude
	}
	unit := uint64(1)
	for range places {
		unit *= 10
	}
	b = append(strconv.AppendUint(b, magnitude/unit, 10), '.')
	for rest := magnitude % unit; places > 0; places-- {
		unit /= 10
		b = append(b, '0'+byte(rest/unit%10))
	}
	return b
}
