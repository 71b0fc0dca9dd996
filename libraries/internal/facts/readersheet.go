package facts

import (
	"math"
	"math/bits"

	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/reading/packed"
)

// ReaderSheet is a day's sheet of readers, opened for reading: its columns are found, not unpacked. It holds the rows of
// engagements, readers ascending; a row's place is its index.
//
// A sheet is a byte for the version, the number of rows, and the columns, each with its length in front: the readers, one
// for each metric in their order, but for ConvertedThatDay, and the titles. All numbers but indexes are varints.
//
//   - The readers: the identifier of the first, then the distance of each from the one before.
//   - A metric: the rows in which it is not 0, each as the number of rows skipped since the one before, and the value.
//   - Logins: the rows in which it is 0, for they are few, each as the number of rows skipped. In all others it is 1.
//   - The titles, if any were read: their number; they, as the readers; and for each row with DistinctBooks as many
//     indexes into them, ascending, little-endian, in as few bytes as the largest of all takes.
type ReaderSheet struct {
	n       int
	ids     []byte
	columns [metric.Metrics][]byte
	titles  []byte
}

const sheetVersion = 1

// OpenReaderSheet opens a stored sheet of readers. It keeps data. The error is [packed.ErrCorrupt]; what is wrong inside of
// a column is found when that is read.
func OpenReaderSheet(data []byte) (*ReaderSheet, error) {
	d := packed.NewDecoder(data, sheetVersion)
	s := &ReaderSheet{n: d.Count(1)} // a reader takes at least one byte
	s.ids = d.Bytes(d.Count(1))
	for m := range metric.ConvertedThatDay {
		s.columns[m] = d.Bytes(d.Count(1))
	}
	s.titles = d.Bytes(d.Count(1))
	d.Check(s.n <= len(s.ids) && s.n <= math.MaxInt32)
	if err := d.End(); err != nil {
		return nil, err
	}
	return s, nil
}

// Len returns the number of readers.
func (s *ReaderSheet) Len() int { return s.n }

// AppendReaders appends the identifiers of the readers, ascending.
func (s *ReaderSheet) AppendReaders(ids []int64) ([]int64, error) {
	ids, rest, err := takeIDs(ids, s.ids, s.n)
	if err == nil && len(rest) > 0 {
		err = packed.ErrCorrupt
	}
	return ids, err
}

// takeIDs appends n ascending identifiers from the front of b, and returns what follows them.
func takeIDs(ids []int64, b []byte, n int) ([]int64, []byte, error) {
	former, i := uint64(0), 0
	for at := range n {
		if i >= len(b) {
			return ids, nil, packed.ErrCorrupt
		}
		v := uint64(b[i])
		if i++; v >= 0x80 {
			v, i = longVarint(b, i)
		}
		if v > math.MaxInt64-former || v == 0 && at > 0 {
			return ids, nil, packed.ErrCorrupt
		}
		former += v
		ids = append(ids, int64(former))
	}
	return ids, b[i:], nil
}

// Column calls visit with the place and the value of each row in which the metric is not 0, places ascending. It is fast:
// a few nanoseconds a value. ConvertedThatDay has none. The error is [packed.ErrCorrupt], perhaps after some visits.
func (s *ReaderSheet) Column(m metric.Metric, visit func(place int, value int64)) error {
	if m == metric.Logins {
		return s.logins(visit)
	}
	b, place := s.columns[m], 0
	for i := 0; i < len(b); {
		gap := uint64(b[i])
		if i++; gap >= 0x80 {
			gap, i = longVarint(b, i)
		}
		if i >= len(b) {
			return packed.ErrCorrupt
		}
		value := uint64(b[i])
		if i++; value >= 0x80 {
			value, i = longVarint(b, i)
		}
		if gap >= uint64(s.n-place) || value-1 >= math.MaxInt64 { // a value of 0 wraps around
			return packed.ErrCorrupt
		}
		place += int(gap)
		visit(place, int64(value))
		place++
	}
	return nil
}

// logins visits the rows that the column of logins does not name.
func (s *ReaderSheet) logins(visit func(place int, value int64)) error {
	b, place := s.columns[metric.Logins], 0
	for i := 0; i < len(b); {
		gap := uint64(b[i])
		if i++; gap >= 0x80 {
			gap, i = longVarint(b, i)
		}
		if gap >= uint64(s.n-place) {
			return packed.ErrCorrupt
		}
		for range gap {
			visit(place, 1)
			place++
		}
		place++
	}
	for ; place < s.n; place++ {
		visit(place, 1)
	}
	return nil
}

// Titles returns the titles of the day's sessions, ascending: what Books indexes into.
func (s *ReaderSheet) Titles() ([]int64, error) {
	d := packed.Bare(s.titles)
	if d.Len() == 0 { // a day without a session
		return nil, nil
	}
	n := d.Count(1)
	rest := d.Bytes(d.Len())
	if n == 0 {
		return nil, packed.ErrCorrupt
	}
	titles, _, err := takeIDs(make([]int64, 0, n), rest, n)
	return titles, err
}

// indexes returns the number of titles, and the bytes that the rows' indexes into them take, width bytes each.
func (s *ReaderSheet) indexes() (n int, rows []byte, width int, err error) {
	d := packed.Bare(s.titles)
	if d.Len() == 0 {
		return 0, nil, 1, nil
	}
	n = d.Count(1)
	rows = d.Bytes(d.Len())
	at := 0
	for left := n; left > 0 && at < len(rows); at++ { // a number ends with its first byte below 0x80
		left -= int(rows[at]>>7 ^ 1)
	}
	width = indexWidth(n)
	if rows = rows[at:]; n == 0 || len(rows)%width != 0 {
		return 0, nil, 0, packed.ErrCorrupt
	}
	return n, rows, width, nil
}

// indexWidth returns the number of bytes that the indexes of so many titles take.
func indexWidth(titles int) int { return max(1, (bits.Len(uint(titles-1))+7)/8) }

// Books calls visit with each place that has a session and the indexes of its titles, ascending, valid until visit
// returns. The error is [packed.ErrCorrupt], perhaps after some visits.
func (s *ReaderSheet) Books(visit func(place int, titles []int32)) error {
	titles, rows, width, err := s.indexes()
	if err != nil {
		return err
	}
	var row []int32
	b, place := s.columns[metric.DistinctBooks], 0
	for i := 0; i < len(b); { // as Column does
		gap := uint64(b[i])
		if i++; gap >= 0x80 {
			gap, i = longVarint(b, i)
		}
		if i >= len(b) {
			return packed.ErrCorrupt
		}
		n := uint64(b[i])
		if i++; n >= 0x80 {
			n, i = longVarint(b, i)
		}
		if gap >= uint64(s.n-place) || n == 0 || n > uint64(len(rows)/width) {
			return packed.ErrCorrupt
		}
		var ok bool
		if row, ok = takeIndexes(row[:0], rows[:int(n)*width], width, titles); !ok {
			return packed.ErrCorrupt
		}
		rows = rows[int(n)*width:]
		place += int(gap)
		visit(place, row)
		place++
	}
	if len(rows) > 0 {
		return packed.ErrCorrupt
	}
	return nil
}

// takeIndexes appends the indexes of a row, of so many bytes each. They must ascend and be below limit.
func takeIndexes(row []int32, b []byte, width, limit int) ([]int32, bool) {
	former := -1
	for ; len(b) > 0; b = b[width:] {
		index := int(b[0])
		if width == 2 { // of 257 to 65,536 titles, which a day mostly has
			index |= int(b[1]) << 8
		} else {
			for k := 1; k < width; k++ {
				index |= int(b[k]) << (8 * k)
			}
		}
		if index <= former || index >= limit {
			return row, false
		}
		row = append(row, int32(index))
		former = index
	}
	return row, true
}
