package schools

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Pile gathers the events of a load, parted by user, in bounded memory: past its limit they go to temporary files. A
// part's events keep the order in which they came.
type Pile struct {
	// Dir is where temporary files go; empty is the system's place.
	Dir string
	// Limit is the number of bytes held in memory, by default 64 MiB.
	Limit int

	parts [pileParts]part
	held  int
	dir   string
	last  error
}

// pileParts is the number of parts: 20 million events make parts of 80,000.
const pileParts = 256

// neighbours is the number of users who follow one another and stay in one part, so that what is written of a part has
// runs. They go round the parts: the users of one network, or of one load, are mostly neighbours, and spread evenly.
const neighbours = 16

// part is what waits of one 256th of the users.
type part struct {
	mem  []byte
	file *os.File
}

// Add puts an event on the pile. After an error every Add fails.
func (p *Pile) Add(e Event) error {
	if p.last != nil {
		return p.last
	}
	part := &p.parts[uint64(e.User)/neighbours%pileParts]
	before := len(part.mem)
	part.mem = appendEvent(part.mem, e)
	if p.held += len(part.mem) - before; p.held > p.limit() {
		p.last = p.spill()
	}
	return p.last
}

func (p *Pile) limit() int {
	if p.Limit > 0 {
		return p.Limit
	}
	return 64 << 20
}

// spill moves what is held to the files.
func (p *Pile) spill() error {
	if p.dir == "" {
		dir, err := os.MkdirTemp(p.Dir, "lectern-load-")
		if err != nil {
			return fmt.Errorf("room for a load's events: %w", err)
		}
		p.dir = dir
	}
	for i := range p.parts {
		if err := p.parts[i].spill(p.dir, i, 2*p.limit()/pileParts); err != nil {
			return fmt.Errorf("room for a load's events: %w", err)
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
	_, err := t.file.Write(t.mem)
	if t.mem = t.mem[:0]; cap(t.mem) > share {
		t.mem = nil
	}
	return err
}

// Held returns the number of bytes of memory that wait in the pile.
func (p *Pile) Held() int {
	n := 0
	for i := range p.parts {
		n += cap(p.parts[i].mem)
	}
	return n
}

// Parts returns the number of parts; all events of a user are in one.
func (p *Pile) Parts() int { return pileParts }

// Part returns the events of one part and forgets them.
func (p *Pile) Part(i int) ([]Event, error) {
	t := &p.parts[i]
	var events []Event
	if t.file != nil {
		if _, err := t.file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		var err error
		if events, err = readEvents(bufio.NewReaderSize(t.file, 1<<16), events); err != nil {
			return nil, fmt.Errorf("events of a load: %w", err)
		}
		if err := t.close(); err != nil {
			return nil, err
		}
	}
	events, err := decodeEvents(t.mem, events)
	t.mem = nil
	return events, err
}

func (t *part) close() error {
	f := t.file
	t.file = nil
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

// eventSize bounds the packed form of an event.
const eventSize = 8 + 8*binary.MaxVarintLen64

// appendEvent packs an event.
func appendEvent(b []byte, e Event) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(e.ID))
	b = binary.AppendUvarint(b, uint64(e.User))
	b = binary.AppendUvarint(b, zigzag(int64(e.Day)))
	b = binary.AppendUvarint(b, uint64(e.Effect))
	if e.Effect != EffectiveReading {
		return b
	}
	b = binary.AppendUvarint(b, uint64(e.At))
	b = binary.AppendUvarint(b, uint64(e.MS))
	b = binary.AppendUvarint(b, uint64(e.Book))
	b = binary.AppendUvarint(b, uint64(e.Extent.From))
	return binary.AppendUvarint(b, uint64(e.Extent.To-e.Extent.From))
}

// readEvents unpacks the events of a file.
func readEvents(r *bufio.Reader, events []Event) ([]Event, error) {
	for {
		b, err := r.Peek(eventSize)
		if len(b) == 0 {
			if err == io.EOF {
				err = nil
			}
			return events, err
		}
		e, n := unpackEvent(b)
		if n == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		events = append(events, e)
		if _, err := r.Discard(n); err != nil {
			return nil, err
		}
	}
}

// decodeEvents unpacks events held in memory.
func decodeEvents(b []byte, events []Event) ([]Event, error) {
	for len(b) > 0 {
		e, n := unpackEvent(b)
		if n == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		events = append(events, e)
		b = b[n:]
	}
	return events, nil
}

// unpackEvent returns the event in front of b and its packed size, 0 when it is cut short.
func unpackEvent(b []byte) (Event, int) {
	if len(b) < 8 {
		return Event{}, 0
	}
	d := decoder{b: b[8:]}
	e := Event{
		ID:     EventID(binary.LittleEndian.Uint64(b)),
		User:   directory.UserID(d.uvarint()),
		Day:    calendar.Date(unzigzag(d.uvarint())),
		Effect: Effect(d.uvarint()),
	}
	if e.Effect == EffectiveReading {
		e.At = int32(d.uvarint() & math.MaxInt32)
		e.MS = int64(d.uvarint())
		e.Book = int64(d.uvarint())
		e.Extent.From = int64(d.uvarint())
		e.Extent.To = e.Extent.From + int64(d.uvarint())
	}
	if d.bad {
		return Event{}, 0
	}
	return e, len(b) - len(d.b)
}
