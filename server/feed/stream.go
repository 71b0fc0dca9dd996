package feed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory that a zstd file can ask for; it is what the zstd command line grants (--long=27).
const maxWindow = 128 << 20

// errDamaged says that a compressed file does not hold what it should.
var errDamaged = errors.New("the file is truncated or damaged")

// stream is a file's content, decompressed.
type stream struct {
	io.Reader
	close []func() error
}

// stream opens the file and what unpacks it.
func (f *File) stream() (*stream, error) {
	file, err := f.open()
	if err != nil {
		return nil, err
	}
	s := &stream{close: []func() error{file.Close}}
	switch f.packing {
	case gzipped:
		err = s.gunzip(file)
	case zstandard:
		err = s.unzstd(file)
	default:
		s.Reader = file
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("%s line 1: %w", f.name, err)
	}
	return s, nil
}

func (s *stream) gunzip(file io.Reader) error {
	z, err := gzip.NewReader(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		return damage(err)
	}
	s.Reader = damaged{z}
	s.close = append(s.close, z.Close)
	return nil
}

func (s *stream) unzstd(file io.Reader) error {
	buffered := bufio.NewReaderSize(file, 64<<10)
	if _, err := buffered.Peek(1); err != nil {
		return damage(err) // the decoder takes nothing for a file of no frames
	}
	z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return damage(err)
	}
	s.Reader = damaged{z}
	s.close = append(s.close, func() error { z.Close(); return nil })
	return nil
}

// Close ends the decompressor, then the file.
func (s *stream) Close() {
	for i := len(s.close) - 1; i >= 0; i-- {
		s.close[i]() // what was read is read: there is nothing to say about a file that does not close
	}
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
