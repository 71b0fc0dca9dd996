package spill

import (
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/reading/packed"
)

// Of is a pile of things of one type. What comes back of a part has the order in which it came.
type Of[T any] struct {
	Pile
	// In returns the part of a thing; Append packs it, and Read reads the next.
	In     func(T) int
	Append func([]byte, T) []byte
	Read   func(*packed.Decoder) T

	record []byte // the last one: its room is used again
}

// Add puts a thing on the pile. After an error every Add fails.
func (p *Of[T]) Add(v T) error {
	p.record = p.Append(p.record[:0], v)
	return p.Pile.Add(p.In(v), p.record)
}

// Part returns the things of a part, and forgets them unless the pile keeps them.
func (p *Of[T]) Part(i int) (list []T, err error) {
	data, err := p.Pile.Part(i)
	if err != nil {
		return nil, err
	}
	d := packed.Bare(data)
	for d.Len() > 0 && !d.Bad() {
		if list = append(list, p.Read(&d)); len(list) == 64 { // their size tells about how many there are
			list = slices.Grow(list, len(list)*d.Len()/(len(data)-d.Len()))
		}
	}
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("what was set aside: %w", err)
	}
	return list, nil
}
