package intake

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/schools"
)

// Pile gathers the events of a load, parted by user, in bounded memory: past its limit they go to temporary files. A
// part's events keep the order in which they came, those that were moved into it being last.
type Pile struct {
	spill.Pile
	buf   []byte
	moves Moves
	moved *Pile // the events that are others' now
}

// neighbours is the number of users who follow one another and stay in one part, so that what is written of a part has
// runs. They go round the parts: the users of one network, or of one load, are mostly neighbours, and spread evenly.
const neighbours = 16

// Add puts an event on the pile. After an error every Add fails.
func (p *Pile) Add(e schools.Event) error {
	p.buf = appendEvent(p.buf[:0], e)
	return p.Pile.Add(partOf(e.User), p.buf)
}

// partOf returns the part of a user's events.
func partOf(u directory.UserID) int { return int(uint64(u) / neighbours % spill.Parts) }

// Move makes events those of other accounts, or nobody's, in place of former moves. A pile whose events were taken must keep
// them (Keep).
func (p *Pile) Move(m Moves) error {
	if err := p.closeMoved(); err != nil {
		return err
	}
	p.moves = m
	parts := map[int]bool{}
	for user, to := range m {
		if to != 0 {
			parts[partOf(user)] = true
		}
	}
	if len(parts) == 0 {
		return nil
	}
	p.moved = &Pile{Pile: spill.Pile{Dir: p.Dir, Limit: p.Limit}}
	p.moved.Keep = true
	for _, i := range slices.Sorted(maps.Keys(parts)) {
		events, err := p.own(i)
		if err != nil {
			return err
		}
		for _, e := range events {
			if e.User = m[e.User]; e.User == 0 {
				continue
			}
			if err := p.moved.Add(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Pile) closeMoved() error {
	if p.moved == nil {
		return nil
	}
	moved := p.moved
	p.moved = nil
	return moved.Close()
}

// Close removes the temporary files.
func (p *Pile) Close() error { return errors.Join(p.closeMoved(), p.Pile.Close()) }

// Parts returns the number of parts; all events of a user are in one.
func (p *Pile) Parts() int { return spill.Parts }

// Part returns the events of one part, each under the account whose it is, and forgets them unless the pile keeps them.
func (p *Pile) Part(i int) ([]schools.Event, error) {
	events, err := p.own(i)
	if err != nil || len(p.moves) == 0 {
		return events, err
	}
	events = slices.DeleteFunc(events, func(e schools.Event) bool {
		_, moved := p.moves[e.User]
		return moved
	})
	if p.moved == nil {
		return events, nil
	}
	more, err := p.moved.own(i)
	return append(events, more...), err
}

// own returns the events of one part as they were added.
func (p *Pile) own(i int) ([]schools.Event, error) { return spill.Read(&p.Pile, i, unpackEvent) }

// appendEvent packs an event.
func appendEvent(b []byte, e schools.Event) []byte {
	b = binary.LittleEndian.AppendUint64(b, e.ID.Hash)
	b = binary.LittleEndian.AppendUint64(b, e.ID.Series)
	b = binary.AppendUvarint(b, uint64(e.ID.Number))
	b = binary.AppendUvarint(b, uint64(e.User))
	b = binary.AppendVarint(b, int64(e.Day))
	b = binary.AppendUvarint(b, uint64(e.Effect))
	if e.Effect != schools.EffectiveReading {
		return b
	}
	b = binary.AppendUvarint(b, uint64(e.At))
	b = binary.AppendUvarint(b, uint64(e.MS))
	b = binary.AppendUvarint(b, uint64(e.Book))
	b = binary.AppendUvarint(b, uint64(e.Extent.From))
	return binary.AppendUvarint(b, uint64(e.Extent.To-e.Extent.From))
}

// unpackEvent reads the next event.
func unpackEvent(d *packed.Decoder) schools.Event {
	id := d.Bytes(16)
	if id == nil {
		return schools.Event{}
	}
	e := schools.Event{
		ID:     schools.EventID{Hash: binary.LittleEndian.Uint64(id), Series: binary.LittleEndian.Uint64(id[8:]), Number: int64(d.Uvarint())},
		User:   directory.UserID(d.Uvarint()),
		Day:    calendar.Date(d.Varint()),
		Effect: schools.Effect(d.Uvarint()),
	}
	if e.Effect == schools.EffectiveReading {
		e.At = int32(d.Uvarint() & math.MaxInt32)
		e.MS = int64(d.Uvarint())
		e.Book = int64(d.Uvarint())
		e.Extent.From = int64(d.Uvarint())
		e.Extent.To = e.Extent.From + int64(d.Uvarint())
	}
	return e
}
