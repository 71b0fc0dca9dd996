package feed

import (
	"bytes"
	"slices"

	"github.com/lectern-dev/lectern/paging/row"
)

// MaxRow is the maximum number of bytes of a row.
const MaxRow = maxRow

// MaxLate is the maximum number of rows whose values are fetched at once.
const MaxLate = maxLate

// ReadLine decodes a line of NDJSON. It reports whether the line can be read without the decoder, and gives the same.
func ReadLine(fields row.Schema, ignored map[string]bool, line []byte) (plain, same bool, wrong error) {
	with := func() (*jsonParser, *cells) {
		return newJSONParser(fields, ignored), &cells{fields: fields, list: make([][]byte, len(fields))}
	}
	p, c := with()
	ok, wrong := p.decode(line, c)
	q, d := with()
	plain = q.plain(line, d)
	same = ok && wrong == nil && slices.EqualFunc(c.list, d.list, func(a, b []byte) bool {
		return bytes.Equal(a, b) && (a == nil) == (b == nil)
	})
	return plain, same, wrong
}
