package feed

import (
	"bufio"
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
