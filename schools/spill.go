package schools

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// Pile gathers the events of a load, parted by user, in bounded memory: past its limit they go to temporary files. A
// part's events keep the order in which they came.
type Pile struct {
	spill.Pile
	buf []byte
}

// neighbours is the number of users who follow one another and stay in one part, so that what is written of a part has
// runs. They go round the parts: the users of one network, or of one load, are mostly neighbours, and spread evenly.
const neighbours = 16

// Add puts an event on the pile. After an error every Add fails.
func (p *Pile) Add(e Event) error {
	p.buf = appendEvent(p.buf[:0], e)
	return p.Pile.Add(int(uint64(e.User)/neighbours%spill.Parts), p.buf)
}

// Parts returns the number of parts; all events of a user are in one.
func (p *Pile) Parts() int { return spill.Parts }

// Part returns the events of one part and forgets them.
func (p *Pile) Part(i int) ([]Event, error) {
	data, err := p.Pile.Part(i)
	if err != nil {
		return nil, err
	}
	d := packed.Bare(data)
	events := make([]Event, 0, len(data)/eventSize)
	for d.Len() > 0 && !d.Bad() {
		events = append(events, unpackEvent(&d))
	}
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("events of a load: %w", err)
	}
	return events, nil
}

// eventSize is the least size of the packed form of an event.
const eventSize = 8 + 3

// appendEvent packs an event.
func appendEvent(b []byte, e Event) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(e.ID))
	b = binary.AppendUvarint(b, uint64(e.User))
	b = binary.AppendVarint(b, int64(e.Day))
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

// unpackEvent reads the next event.
func unpackEvent(d *packed.Decoder) Event {
	id := d.Bytes(8)
	if id == nil {
		return Event{}
	}
	e := Event{
		ID:     EventID(binary.LittleEndian.Uint64(id)),
		User:   directory.UserID(d.Uvarint()),
		Day:    calendar.Date(d.Varint()),
		Effect: Effect(d.Uvarint()),
	}
	if e.Effect == EffectiveReading {
		e.At = int32(d.Uvarint() & math.MaxInt32)
		e.MS = int64(d.Uvarint())
		e.Book = int64(d.Uvarint())
		e.Extent.From = int64(d.Uvarint())
		e.Extent.To = e.Extent.From + int64(d.Uvarint())
	}
	return e
}
