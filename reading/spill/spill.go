// Package spill sets aside more than memory should hold: records that come in any order and are wanted in parts, such as
// the events of a load parted by user.
//
//	p := &spill.Pile{Limit: 64 << 20}
//	defer p.Close()
//	err := p.Add(part, record)  // many times
//	data, err := p.Part(part)   // its records, one after the other, in the order in which they came
//
// Past its limit a pile moves what it holds to temporary files. A program that is killed leaves none behind.
package spill

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/lectern-dev/lectern/reading/packed"
)

// Parts is the number of parts of a pile: 20 million events make parts of 80,000.
const Parts = 256

// A Pile holds records of bytes in parts. The zero Pile is empty and ready. It is not for use by several goroutines at
// once.
type Pile struct {
	// Dir is where temporary files go; empty is the system's place.
	Dir string
	// Limit is the number of bytes held in memory, by default 32 MiB.
	Limit int
	// Keep keeps parts that were given, so that they can be asked for again, until Close.
	Keep bool

	parts [Parts]part
	held  int
	dir   string
	last  error
}

// part is what waits of one part.
type part struct {
	mem  []byte
	file *os.File
	size int64 // of the file
}

// Add appends a record to a part, from 0 to Parts-1. After an error every Add fails.
func (p *Pile) Add(i int, record []byte) error {
	if p.last != nil {
		return p.last
	}
	t := &p.parts[i]
	if n, share := len(t.mem)+len(record), p.limit()/Parts; n > cap(t.mem) && n < share {
		t.mem = append(make([]byte, 0, min(2*n, share)), t.mem...) // append alone would copy it more often, and take more in the end
	}
	t.mem = append(t.mem, record...)
	if p.held += len(record); p.held > p.limit() {
		p.last = p.spill()
	}
	return p.last
}

func (p *Pile) limit() int {
	if p.Limit > 0 {
		return p.Limit
	}
	return 32 << 20
}

// Batch is the number of bytes that a load with such a pile writes together, and gathers meanwhile: a quarter of what waits in memory,
// since all do at one time.
func (p *Pile) Batch() int { return p.limit() / 4 }

// spill moves what is held to the files.
func (p *Pile) spill() error {
	if p.dir == "" {
		dir, err := os.MkdirTemp(p.Dir, "lectern-load-")
		if err != nil {
			return fmt.Errorf("room for what is set aside: %w", err)
		}
		p.dir = dir
	}
	for i := range p.parts {
		if err := p.parts[i].spill(p.dir, i, 2*p.limit()/Parts); err != nil {
			return fmt.Errorf("room for what is set aside: %w", err)
		}
	}
	p.held = 0
	return nil
}

// spill writes what a part holds, and keeps its memory for what comes next unless it has more than its share: in a feed
// ordered by account, each part has its hour.
func (t *part) spill(dir string, i, share int) error {
	if len(t.mem) == 0 {
		return nil
	}
	if t.file == nil {
		f, err := os.Create(fmt.Sprintf("%s/%03d", dir, i))
		if err != nil {
			return err
		}
		t.file = f
		_ = os.Remove(f.Name()) // a load that is killed leaves nothing behind; where this fails, Close does it
	}
	n, err := t.file.Write(t.mem)
	t.size += int64(n)
	if t.mem = t.mem[:0]; cap(t.mem) > share {
		t.mem = nil
	}
	return err
}

// Done says that nothing more is added: where some of the pile is in files the rest goes there too, and its memory is free for
// what is made of the parts.
func (p *Pile) Done() error {
	if p.dir == "" || p.last != nil {
		return p.last
	}
	p.last = p.spill()
	for i := range p.parts {
		p.parts[i].mem = nil
	}
	return p.last
}

// Held returns the number of bytes of memory that the pile has.
func (p *Pile) Held() int {
	n := 0
	for i := range p.parts {
		n += cap(p.parts[i].mem)
	}
	return n
}

// Part returns the records of a part, one after the other, which are not to be changed, and forgets them unless the pile
// keeps them. When all records are there, goroutines may take different parts at once.
func (p *Pile) Part(i int) ([]byte, error) {
	t := &p.parts[i]
	mem := t.mem
	if !p.Keep {
		t.mem = nil
	}
	if t.file == nil {
		return mem, nil
	}
	data := make([]byte, t.size, t.size+int64(len(mem)))
	if n, err := t.file.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("what was set aside: %w", err)
	}
	if data = append(data, mem...); p.Keep {
		return data, nil
	}
	return data, t.close()
}

// Size returns the number of bytes of a part.
func (p *Pile) Size(i int) int64 { return p.parts[i].size + int64(len(p.parts[i].mem)) }

// maxRecord is the most bytes of a record that Split moves.
const maxRecord = 256

// Split moves the records of a part to another pile, in their order, or copies them if the pile keeps its parts: it never has all of
// them in memory. next says how long the record is with which data begin, and to which part it goes: -1 is none.
func (p *Pile) Split(i int, to *Pile, next func(data []byte) (size, part int)) error {
	t := &p.parts[i]
	all := io.Reader(bytes.NewReader(t.mem))
	if t.file != nil {
		all = io.MultiReader(io.NewSectionReader(t.file, 0, t.size), all)
	}
	r := bufio.NewReaderSize(all, 64<<10)
	for left := p.Size(i); left > 0; {
		data, err := r.Peek(int(min(left, maxRecord)))
		if err != nil {
			return fmt.Errorf("what was set aside: %w", err)
		}
		size, part := next(data)
		if size < 1 || size > len(data) {
			return fmt.Errorf("what was set aside: %w", packed.ErrCorrupt)
		}
		if part >= 0 {
			if err := to.Add(part, data[:size]); err != nil {
				return err
			}
		}
		_, _ = r.Discard(size) // it is there
		left -= int64(size)
	}
	if p.Keep {
		return nil
	}
	t.mem = nil
	return t.close()
}

func (t *part) close() error {
	f := t.file
	t.file, t.size = nil, 0
	if f == nil {
		return nil
	}
	return f.Close()
}

// Close removes the temporary files.
func (p *Pile) Close() error {
	for i := range p.parts {
		p.parts[i].mem = nil
		if err := p.parts[i].close(); err != nil {
			return err
		}
	}
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}
