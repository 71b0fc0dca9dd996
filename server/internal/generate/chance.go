package generate

import (
	"math/bits"
	"math/rand/v2"
)

// chance is a source of draws. Its zero value is not seeded.
type chance struct{ pcg rand.PCG }

// The purposes of chance: each account and each register has its own, so that one does not move the other.
const (
	forAccount = iota + 1
	forHabit
	forDays
	forBook
	forSchool
	forEvaluation
	forReader
	forVisits
	forTitle
	forShelf
	forLine
	forRank
	forWish
	forChannel
)

// newChance returns the source of the i-th thing of a purpose.
func newChance(seed uint64, purpose, i int) chance {
	var c chance
	c.pcg.Seed(mix(seed+uint64(purpose)<<56), mix(uint64(i)))
	return c
}

// mix spreads neighbouring numbers over all 64 bits (the finisher of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns a number from 0 to n-1. n is at least 1.
func (c *chance) below(n int) int {
	high, _ := bits.Mul64(c.pcg.Uint64(), uint64(n))
	return int(high)
}

// between returns a number from low to high, both included.
func (c *chance) between(low, high int) int { return low + c.below(high-low+1) }

// in1000 reports true n times in a thousand.
func (c *chance) in1000(n int) bool { return c.below(1000) < n }

// pick returns one of list.
func pick[T any](c *chance, list []T) T { return list[c.below(len(list))] }

// shuffle puts list in a random order.
func shuffle[T any](c *chance, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := c.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}
