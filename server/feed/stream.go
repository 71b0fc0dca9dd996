package feed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory that a zstd file can ask for. It is the limit of the zstd command line with --long=27.
const maxWindow = 128 << 20

// errDamaged is the error for a compressed file with wrong content.
var errDamaged = errors.New("the file is truncated or damaged")

// stream opens the file and decompresses it. The second result closes it.
func (f *File) stream() (io.Reader, func(), error) {
	file, err := f.open()
	if err != nil {
		return nil, nil, err
	}
	r, end, err := f.packing.unpack(file)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s line 1: %w", f.name, damage(err))
	}
	return r, func() { end(); file.Close() }, nil // an error of Close does not matter after a read
}

// decoders has decoders of zstd, which keep their windows.
var decoders = sync.Pool{New: func() any {
	z, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)) // valid options
	return z
}}

// unpack returns the decompressed content of a file, and a function that ends the decompressor.
func (p packing) unpack(file io.Reader) (r io.Reader, end func(), err error) {
	packed, end := bufio.NewReaderSize(file, 64<<10), func() {}
	switch p {
	case gzipped:
		z, err := gzip.NewReader(packed)
		return damaged{z}, end, err
	case zstandard:
		if _, err := packed.Peek(1); err != nil {
			return nil, end, err // the decoder accepts an empty file
		}
		z := decoders.Get().(*zstd.Decoder)
		return damaged{z}, func() {
			_ = z.Reset(nil) // lets go of the file
			decoders.Put(z)
		}, z.Reset(packed)
	}
	return file, end, nil
}

// damaged is a decompressor whose errors say that the file is damaged.
type damaged struct{ r io.Reader }

func (d damaged) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damage(err)
	}
	return n, err
}

// damage returns the error for a file that cannot be decompressed, or err if the file could not be read.
func damage(err error) error {
	if _, unread := errors.AsType[*fs.PathError](err); unread {
		return err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

const (
	// maxRow is the largest number of bytes of a row, without the end of its line.
	maxRow = 1 << 20
	// readSize is the number of bytes of one read.
	readSize = 256 << 10
)

// splitter splits a file into rows. It is a bufio.Scanner of them.
type splitter struct {
	*bufio.Scanner
	from   io.Reader
	csv    bool
	line   int    // on which the row starts, from 1
	next   int    // the line after it
	bad    string // the fault of a row that could not be cut out; the row is empty then
	drop   bool   // the rest of the line belongs to a row that was refused
	broken bool   // the file could not be read to its end
}

// newSplitter returns a splitter of r. It skips a byte-order mark.
func newSplitter(r io.Reader, csv bool) *splitter {
	from := bufio.NewReader(r)
	if mark, _ := from.Peek(3); string(mark) == "\ufeff" {
		from.Discard(3) // the mark
	}
	s := &splitter{from: from, csv: csv, next: 1}
	s.Scanner = bufio.NewScanner(s)
	s.Buffer(make([]byte, readSize), 2*maxRow) // split refuses a row before the buffer is full
	s.Split(s.split)
	return s
}

// Read implements io.Reader for the Scanner. It notes errors, because the Scanner cannot tell them from the end of
// the file.
func (s *splitter) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	s.broken = s.broken || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// split is the bufio.SplitFunc. It returns a row without the end of its line, or nothing if there is no whole row
// yet.
func (s *splitter) split(data []byte, last bool) (size int, text []byte, err error) {
	last = last && !s.broken
	s.bad = ""
	switch {
	case len(data) == 0:
		return 0, nil, nil
	case s.drop:
		return s.cut(data, bytes.IndexByte(data, '\n'), data[:0])
	}
	end, open := s.end(data)
	whole := end >= 0 || last && !open
	if text = data; end >= 0 {
		text = data[:end]
	}
	switch more := !whole && !last; {
	case more && len(text) <= maxRow+1: // the last byte may be the CR of a CR LF
		return 0, nil, nil
	case whole && s.csv:
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	if whole && len(text) <= maxRow {
		return s.cut(data, end, text)
	}
	if s.bad = "a quoted cell never ends"; len(text) > maxRow {
		s.bad = "is longer than 1 MiB"
	}
	// Only its first line is dropped: after a quote that is never closed there are most likely good rows.
	return s.cut(data, bytes.IndexByte(data, '\n'), data[:0])
}

// cut cuts off the text of a row that ends with the line feed at end. If end is -1, the line feed is beyond data.
func (s *splitter) cut(data []byte, end int, text []byte) (int, []byte, error) {
	size := end + 1
	if end < 0 {
		size = len(data)
	}
	s.drop = end < 0 && len(text) < size
	if s.line = s.next; end >= 0 {
		s.next++
	}
	if s.csv {
		s.next += bytes.Count(text, []byte{'\n'})
	}
	return size, text, nil
}

// end returns the place of the line feed that ends the first row of data, or -1. open is true if a quote is not
// closed.
func (s *splitter) end(data []byte) (end int, open bool) {
	end = bytes.IndexByte(data, '\n')
	line := data
	if end >= 0 {
		line = data[:end]
	}
	if !s.csv || bytes.IndexByte(line, '"') < 0 {
		return end, false
	}
	opens := true // a quote here would open a cell
	for i, c := range data {
		switch {
		case c == '"' && (open || opens):
			open, opens = !open, true // a doubled quote closes and opens
		case c == '\n' && !open:
			return i, false
		default:
			opens = c == ','
		}
	}
	return -1, open
}
