package stock

import (
	"math/bits"

	"github.com/lectern-dev/lectern/paging/row"
)

// Band is one of the twelve bands of consumption, in order: 0, 1-10, 11-20, and so on to 91-100, and 101+ (L10). The
// zero Band is 0.
type Band uint8

// The first and the last band, and the number of bands.
const (
	BandNone Band = 0  // no readings, or no capacity
	BandOver Band = 11 // more readings than are possible

	Bands = 12
)

var bands = [Bands]string{
	"0", "1-10", "11-20", "21-30", "31-40", "41-50", "51-60", "61-70", "71-80", "81-90", "91-100", "101+",
}

// BandOf returns the band of a number of readings out of the possible ones. It uses the exact ratio, not a rounded
// one, and returns the first band whose upper bound is not below it. So 1 of 1,000 is in 1-10, 101 of 1,000 in 11-20,
// and 1,001 of 1,000 in 101+.
func BandOf(readings, possible int64) Band {
	switch {
	case readings <= 0 || possible <= 0:
		return BandNone
	case readings > possible:
		return BandOver
	}
	hi, lo := bits.Mul64(uint64(readings), 10)
	tens, rest := bits.Div64(hi, lo, uint64(possible))
	if rest > 0 {
		tens++
	}
	return Band(tens)
}

// String returns the band's name: 0, 1-10, 101+.
func (b Band) String() string { return row.NameOf(bands[:], "band", b) }
