package facts

import (
	"iter"
	"math/bits"

	"github.com/lectern-dev/lectern/directory"
)

// Set is a set of users, one bit an identifier: the service counts identifiers up from 1, so that a set of n users
// takes about n/8 bytes. The zero Set is empty.
type Set struct{ words []uint64 }

// Add puts a user into the set; an identifier below 1 is ignored.
func (s *Set) Add(id directory.UserID) {
	if id < 1 {
		return
	}
	w := int(id >> 6)
	for len(s.words) <= w {
		s.words = append(s.words, 0)
	}
	s.words[w] |= 1 << (id & 63)
}

// Has reports whether the user is in the set.
func (s Set) Has(id directory.UserID) bool {
	w := id >> 6
	return id > 0 && w < directory.UserID(len(s.words)) && s.words[w]&(1<<(id&63)) != 0
}

// Join adds the users of another set.
func (s *Set) Join(t Set) {
	s.words = append(s.words, make([]uint64, max(len(t.words)-len(s.words), 0))...)
	for i, w := range t.words {
		s.words[i] |= w
	}
}

// Len returns the number of users.
func (s Set) Len() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Equal reports whether both sets have the same users.
func (s Set) Equal(t Set) bool { return s.Len() == t.Len() && s.Common(t) == s.Len() }

// Common returns the number of users that are in both sets.
func (s Set) Common(t Set) int {
	n := min(len(s.words), len(t.words))
	a, b := s.words[:n], t.words[:n]
	count := 0
	for i, w := range a {
		count += bits.OnesCount64(w & b[i])
	}
	return count
}

// All yields the users in ascending order.
func (s Set) All() iter.Seq[directory.UserID] {
	return func(yield func(directory.UserID) bool) {
		for i, w := range s.words {
			for ; w != 0; w &= w - 1 {
				if !yield(directory.UserID(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// Ranked yields the users of both sets from the skip-th on, ascending, each with its rank among all users of s.
func (s Set) Ranked(t Set, skip int) iter.Seq2[int, directory.UserID] {
	return func(yield func(int, directory.UserID) bool) {
		rank := 0
		for i := 0; i < min(len(s.words), len(t.words)); i++ {
			own := s.words[i]
			both := own & t.words[i]
			if n := bits.OnesCount64(both); n <= skip {
				skip -= n
				rank += bits.OnesCount64(own)
				continue
			}
			for ; both != 0; both &= both - 1 {
				if skip > 0 {
					skip--
					continue
				}
				bit := bits.TrailingZeros64(both)
				below := bits.OnesCount64(own & (1<<bit - 1))
				if !yield(rank+below, directory.UserID(i<<6+bit)) {
					return
				}
			}
			rank += bits.OnesCount64(own)
		}
	}
}

// Bytes returns the memory that the set holds.
func (s Set) Bytes() int { return 8 * cap(s.words) }
