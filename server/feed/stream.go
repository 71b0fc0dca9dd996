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

// maxWindow bounds the memory that a zstd file can ask for; it is what the zstd command line grants (--long=27).
const maxWindow = 128 << 20

// errDamaged says that a compressed file does not hold what it should.
var errDamaged = errors.New("the file is truncated or damaged")

// stream opens the file's content, decompressed, and returns with it what closes it.
func (f *File) stream() (io.Reader, func(), error) {
	file, err := f.open()
	if err != nil {
		return nil, nil, err
	}
	r, end, err := f.packing.unpack(file, &f.folder.decoders)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s line 1: %w", f.name, damage(err))
	}
	return r, func() { end(); file.Close() }, nil // what was read is read, though the file may not close
}

// unpack returns what a file holds, and what ends the decompressor. Decoders of zstd are used again, with their windows.
func (p packing) unpack(file io.Reader, decoders *sync.Pool) (r io.Reader, end func(), err error) {
	packed, end := bufio.NewReaderSize(file, 64<<10), func() {}
	switch p {
	case gzipped:
		z, err := gzip.NewReader(packed)
		return damaged{z}, end, err
	case zstandard:
		if _, err := packed.Peek(1); err != nil {
			return nil, end, err // the decoder takes nothing for a file of no frames
		}
		z, _ := decoders.Get().(*zstd.Decoder)
		if z == nil {
			if z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err != nil {
				return nil, end, err
			}
		}
		return damaged{z}, func() {
			_ = z.Reset(nil) // lets go of the file
			decoders.Put(z)
		}, z.Reset(packed)
	}
	return file, end, nil
}

// damaged is a decompressor whose errors say what they mean for the file.
type damaged struct{ r io.Reader }

func (d damaged) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damage(err)
	}
	return n, err
}

// damage says that a file cannot be unpacked, unless it could not be read at all.
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
	// maxRow is the most bytes that a row may have, its line's end not counted.
	maxRow = 1 << 20
	// readSize is how many bytes are read at once.
	readSize = 256 << 10
)

// splitter cuts a file into rows: it is a Scanner of them.
type splitter struct {
	*bufio.Scanner
	from   io.Reader
	csv    bool
	line   int    // on which the row starts, from 1
	next   int    // the line after it
	bad    string // why the row could not be cut out, of which there is nothing else then
	drop   bool   // the rest of the line belongs to a row that was refused
	broken bool   // the file could not be read to its end
}

// newSplitter returns a splitter of what r has behind a byte-order mark.
func newSplitter(r io.Reader, csv bool) *splitter {
	from := bufio.NewReader(r)
	if mark, _ := from.Peek(3); string(mark) == "\ufeff" {
		from.Discard(3) // they are there
	}
	s := &splitter{from: from, csv: csv, next: 1}
	s.Scanner = bufio.NewScanner(s)
	s.Buffer(make([]byte, readSize), 2*maxRow) // split refuses a row before the buffer is full
	s.Split(s.split)
	return s
}

// Read implements io.Reader for the Scanner, which cannot tell by itself an end that is none.
func (s *splitter) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	s.broken = s.broken || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// split is the bufio.SplitFunc: what it cuts off is a row without its line's end, or nothing where there is none to be read.
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
	case more && len(text) <= maxRow+1: // the last byte may be half of a line's end
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
	// Only its first line is dropped: what follows a quote that never ends is most likely rows.
	return s.cut(data, bytes.IndexByte(data, '\n'), data[:0])
}

// cut cuts off the text of a row, which ends with the line that ends at a place, or at -1 further on than data.
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

// end returns the place of the line feed that ends the row with which data begins, or -1; open where that is because a quote
// is not closed.
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
			open, opens = !open, true // two of them, in a cell, are one
		case c == '\n' && !open:
			return i, false
		default:
			opens = c == ','
		}
	}
	return -1, open
}
