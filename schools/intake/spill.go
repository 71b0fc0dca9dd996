package intake

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Pile gathers the events of a load, parted by user, in bounded memory: past its limit they go to temporary files. A
// part's events keep the order in which they came, those that were moved into it being last.
type Pile struct {
	spill.Pile
	buf    []byte
	blocks [spill.Parts]blocks
	moves  Moves
	moved  *Pile // the events that are others' now
}

// blocks are the blocks of users that a part has events of: one, from 1 on, or several.
type blocks struct {
	first   int
	several bool
}

// Add puts an event on the pile. After an error every Add fails.
func (p *Pile) Add(e schools.Event) error {
	p.buf = appendEvent(p.buf[:0], &e)
	i, block := partOf(e.User), 1+blockOf(e.User)
	if b := &p.blocks[i]; b.first == 0 {
		b.first = block
	} else if b.first != block {
		b.several = true
	}
	return p.Pile.Add(i, p.buf)
}

// partOf returns the part of a user's events: users whose ledgers are stored together stay together, and what is written of a part has
// runs. Their blocks go round the parts: the users of one network, or of one load, are mostly neighbours, and spread evenly.
func partOf(u directory.UserID) int { return int(facts.LedgerBlock(u) % spill.Parts) }

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
				err = p.moved.Pile.Add(partOf(to), moved(data[at:], to))
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
	return list(data, func(at int, user directory.UserID) bool {
		_, moved := p.moves[user]
		return !moved || at >= own
	})
}

// Pieces calls fold with the events of one part, as Part gives them, piece by piece: of whole blocks of users whose ledgers are stored
// together, and of one such block alone where the part has more bytes than AtOnce.
func (p *Pile) Pieces(i int, fold func(*Part) error) error {
	if !p.large(i) {
		part, err := p.Part(i)
		if err != nil {
			return err
		}
		return fold(part)
	}
	blocks := &spill.Pile{Dir: p.Dir, Limit: p.Batch() / 2}
	return errors.Join(p.split(i, blocks, fold), blocks.Close())
}

// AtOnce is the most bytes of packed events of a part that are in memory at a time, where they are of several blocks of users.
func (p *Pile) AtOnce() int { return 2 * p.Batch() }

// large reports whether a part is to be split.
func (p *Pile) large(i int) bool {
	size := p.Size(i)
	if p.moved != nil {
		size += p.moved.Size(i)
	}
	return size > int64(p.AtOnce()) && p.blocks[i].several
}

// split calls fold with each block of users of a part.
func (p *Pile) split(i int, blocks *spill.Pile, fold func(*Part) error) error {
	if err := p.Split(i, blocks, p.placed); err != nil {
		return err
	}
	if p.moved != nil {
		if err := p.moved.Split(i, blocks, p.moved.placed); err != nil {
			return err
		}
	}
	for block := range spill.Parts {
		if blocks.Size(block) == 0 {
			continue
		}
		data, err := blocks.Part(block)
		if err != nil {
			return err
		}
		part, err := list(data, func(int, directory.UserID) bool { return true })
		if err != nil {
			return err
		}
		if err := fold(part); err != nil {
			return err
		}
	}
	return nil
}

// placed returns the size of the event with which data begin, and the place of its block, or -1 where it was moved.
func (p *Pile) placed(data []byte) (size, block int) {
	user, _ := header(data)
	if _, moved := p.moves[user]; moved {
		return 1 + int(data[0]), -1
	}
	return 1 + int(data[0]), blockOf(user)
}

// blockOf is the place of a user's block among those of its part: those of 8 million users have one each.
func blockOf(u directory.UserID) int { return int(facts.LedgerBlock(u) / spill.Parts % spill.Parts) }

// list makes a part of packed events, of those that are wanted.
func list(data []byte, wanted func(at int, user directory.UserID) bool) (*Part, error) {
	p := &Part{data: data, found: make([]found, 0, len(data)/packedEvent)}
	err := each(data, func(at int, user directory.UserID) {
		if wanted(at, user) {
			p.found = append(p.found, found{user, at})
		}
	})
	slices.SortFunc(p.found, func(a, b found) int { return cmp.Or(cmp.Compare(a.user, b.user), cmp.Compare(a.at, b.at)) })
	return p, err
}

// packedEvent is how many bytes most events take at least.
const packedEvent = 26

// A Part is the events of some users, which stay packed: those of a few users are taken out at a time.
type Part struct {
	data  []byte
	found []found // users ascending, a user's in the order in which they came
}

// found is where an event of a user stands.
type found struct {
	user directory.UserID
	at   int
}

// Batches yields the events, of whole users and of about n or more at a time, users ascending, each user's in the order in which
// they came. A batch is gone when the next is asked for.
func (p *Part) Batches(n int) iter.Seq[[]schools.Event] {
	return func(yield func([]schools.Event) bool) {
		var room []schools.Event
		for i, f := range p.found {
			if len(room) >= n && f.user != p.found[i-1].user {
				if !yield(room) {
					return
				}
				room = room[:0]
			}
			room = append(room, unpackEvent(p.data[f.at:]))
		}
		if len(room) > 0 {
			yield(room)
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
