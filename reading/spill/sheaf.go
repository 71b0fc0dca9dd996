package spill

import "sync"

// A Sheaf is what one goroutine gathers for the parts of a pile, which is not for several at once.
type Sheaf [Parts][]byte

// Of returns the records for a part, to be appended to.
func (s *Sheaf) Of(part int) *[]byte { return &s[part] }

// Sheaves makes sheaves, and uses their room again. The zero Sheaves are ready, for several goroutines.
type Sheaves struct{ pool sync.Pool }

// New returns an empty sheaf.
func (s *Sheaves) New() *Sheaf {
	if sheaf, ok := s.pool.Get().(*Sheaf); ok {
		return sheaf
	}
	return &Sheaf{}
}

// Take puts what is in a sheaf on a pile. The sheaf is not to be used afterwards.
func (s *Sheaves) Take(p *Pile, sheaf *Sheaf) error {
	for part, records := range sheaf {
		if len(records) == 0 {
			continue
		}
		if err := p.Add(part, records); err != nil {
			return err
		}
		sheaf[part] = records[:0]
	}
	s.pool.Put(sheaf)
	return nil
}
