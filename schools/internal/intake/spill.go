package intake

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
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
		data, err := p.Pile.Part(i)
		if err != nil {
			return err
		}
		err = each(data, func(_ int, e schools.Event) error {
			if e.User = m[e.User]; e.User == 0 {
				return nil
			}
			return p.moved.Add(e)
		})
		if err != nil {
			return err
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
func (p *Pile) Part(i int) (*Part, error) {
	data, err := p.Pile.Part(i)
	if err != nil {
		return nil, err
	}
	own := len(data)
	if p.moved != nil {
		more, err := p.moved.Pile.Part(i)
		if err != nil {
			return nil, err
		}
		data = slices.Concat(data, more)
	}
	found := make([]place, 0, len(data)/packedEvent)
	err = each(data, func(at int, e schools.Event) error {
		if _, moved := p.moves[e.User]; !moved || at >= own {
			found = append(found, place{e.User, uint32(at)})
		}
		return nil
	})
	return &Part{data, inOrder(found)}, err
}

// A Part is the events of some users, which stay packed: those of a few users are taken out at a time.
type Part struct {
	data   []byte
	places []place // users ascending, a user's events in the order in which they came
}

// place is where an event of a user stands.
type place struct {
	user directory.UserID
	at   uint32
}

// packedEvent is how many bytes most events take at least.
const packedEvent = 24

// inOrder returns the places by user, each user's in the order in which they stand.
func inOrder(found []place) []place {
	next := map[directory.UserID]int{} // first the count, then where a user's next place goes
	for _, p := range found {
		next[p.user]++
	}
	i := 0
	for _, user := range slices.Sorted(maps.Keys(next)) {
		n := next[user]
		next[user] = i
		i += n
	}
	places := make([]place, len(found))
	for _, p := range found {
		places[next[p.user]] = p
		next[p.user]++
	}
	return places
}

// Batches yields the events, of whole users and of about n or more at a time, users ascending, each user's in the order in which
// they came. A batch is gone when the next is asked for.
func (p *Part) Batches(n int) iter.Seq[[]schools.Event] {
	return func(yield func([]schools.Event) bool) {
		var batch []schools.Event
		for i, at := range p.places {
			if len(batch) >= n && at.user != p.places[i-1].user {
				if !yield(batch) {
					return
				}
				batch = batch[:0]
			}
			d := packed.Bare(p.data[at.at:])
			batch = append(batch, unpackEvent(&d))
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// each visits packed events, and tells where each stands.
func each(data []byte, visit func(at int, e schools.Event) error) error {
	for d := packed.Bare(data); d.Len() > 0; {
		at := len(data) - d.Len()
		e := unpackEvent(&d)
		if d.Bad() {
			return fmt.Errorf("what was set aside: %w", packed.ErrCorrupt)
		}
		if err := visit(at, e); err != nil {
			return err
		}
	}
	return nil
}

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
