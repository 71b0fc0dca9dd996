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
		broken := each(data, func(at int, user directory.UserID) {
			if to := m[user]; to != 0 && err == nil {
				d := packed.Bare(data[at:])
				e := unpackEvent(&d)
				e.User = to
				err = p.moved.Add(e)
			}
		})
		if err := errors.Join(broken, err); err != nil {
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
	l := listing{index: map[directory.UserID]uint32{}, found: make([]found, 0, len(data)/packedEvent)}
	err = each(data, func(at int, user directory.UserID) {
		if _, moved := p.moves[user]; !moved || at >= own {
			l.add(user, at)
		}
	})
	return l.part(data), err
}

// packedEvent is how many bytes most events take at least.
const packedEvent = 26

// A Part is the events of some users, which stay packed: those of a few users are taken out at a time.
type Part struct {
	data []byte
	at   []uint32 // where events stand: users ascending, a user's in the order in which they came
	ends []int    // of each user's
}

// listing makes a list of where the events of a part stand.
type listing struct {
	users []directory.UserID
	index map[directory.UserID]uint32 // of users
	n     []int                       // the events of each
	found []found
}

// found is where an event of a user stands.
type found struct{ index, at uint32 }

func (l *listing) add(user directory.UserID, at int) {
	i, ok := l.index[user]
	if !ok {
		i = uint32(len(l.users))
		l.index[user], l.users, l.n = i, append(l.users, user), append(l.n, 0)
	}
	l.n[i]++
	l.found = append(l.found, found{i, uint32(at)})
}

// part returns the part that was listed.
func (l *listing) part(data []byte) *Part {
	p := &Part{data: data, at: make([]uint32, len(l.found))}
	next, end := make([]int, len(l.users)), 0
	for _, user := range slices.Sorted(slices.Values(l.users)) {
		i := l.index[user]
		next[i] = end
		end += l.n[i]
		p.ends = append(p.ends, end)
	}
	for _, f := range l.found {
		p.at[next[f.index]] = f.at
		next[f.index]++
	}
	return p
}

// Batches yields the events, of whole users and of about n or more at a time, users ascending, each user's in the order in which
// they came. A batch is gone when the next is asked for.
func (p *Part) Batches(n int) iter.Seq[[]schools.Event] {
	return func(yield func([]schools.Event) bool) {
		var batch []schools.Event
		from := 0
		for i, end := range p.ends {
			if end-from < n && i < len(p.ends)-1 {
				continue
			}
			batch = slices.Grow(batch[:0], end-from)
			for _, at := range p.at[from:end] {
				d := packed.Bare(p.data[at:])
				batch = append(batch, unpackEvent(&d))
			}
			if from = end; !yield(batch) {
				return
			}
		}
	}
}

// each visits packed events, and tells where each stands.
func each(data []byte, visit func(at int, user directory.UserID)) error {
	for at := 0; at < len(data); {
		next := at + 1 + int(data[at])
		if next > len(data) {
			return errSetAside
		}
		user, n := binary.Uvarint(data[at+1 : next])
		if n <= 0 {
			return errSetAside
		}
		visit(at, directory.UserID(user))
		at = next
	}
	return nil
}

var errSetAside = fmt.Errorf("what was set aside: %w", packed.ErrCorrupt)

// appendEvent packs an event: how many bytes follow, its user, and the rest.
func appendEvent(b []byte, e schools.Event) []byte {
	begin := len(b)
	b = append(b, 0)
	b = binary.AppendUvarint(b, uint64(e.User))
	b = binary.LittleEndian.AppendUint64(b, e.ID.Hash)
	b = binary.LittleEndian.AppendUint64(b, e.ID.Series)
	b = binary.AppendUvarint(b, uint64(e.ID.Number))
	b = binary.AppendVarint(b, int64(e.Day))
	b = binary.AppendUvarint(b, uint64(e.Effect))
	if e.Effect == schools.EffectiveReading {
		b = binary.AppendUvarint(b, uint64(e.At))
		b = binary.AppendUvarint(b, uint64(e.MS))
		b = binary.AppendUvarint(b, uint64(e.Book))
		b = binary.AppendUvarint(b, uint64(e.Extent.From))
		b = binary.AppendUvarint(b, uint64(e.Extent.To-e.Extent.From))
	}
	b[begin] = byte(len(b) - begin - 1) // 96 at most
	return b
}

// unpackEvent reads the next event.
func unpackEvent(d *packed.Decoder) schools.Event {
	d.Bytes(1)
	user := directory.UserID(d.Uvarint())
	id := d.Bytes(16)
	if id == nil {
		return schools.Event{}
	}
	e := schools.Event{
		ID:     schools.EventID{Hash: binary.LittleEndian.Uint64(id), Series: binary.LittleEndian.Uint64(id[8:]), Number: int64(d.Uvarint())},
		User:   user,
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
