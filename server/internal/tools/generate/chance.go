package generate

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// chance is a source of random numbers.
type chance struct{ pcg rand.PCG }

// The purposes of chance. Each account and each table has its own source, so that one does not change the other.
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

// below returns a number from 0 to n-1.
func (c *chance) below(n int) int {
	high, _ := bits.Mul64(c.pcg.Uint64(), uint64(n))
	return int(high)
}

// between returns a number from low to high, both included.
func (c *chance) between(low, high int) int { return low + c.below(high-low+1) }

// in1000 reports true n times in a thousand.
func (c *chance) in1000(n int) bool { return c.below(1000) < n }

func pick[T any](c *chance, list []T) T { return list[c.below(len(list))] }

func shuffle[T any](c *chance, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := c.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// band is a range of numbers, both ends included, and its share among several.
type band struct{ share, low, high int }

// of draws one of the bands by its share, and a number within it.
func (c *chance) of(bands []band) int {
	whole := 0
	for _, b := range bands {
		whole += b.share
	}
	at := c.below(whole)
	for _, b := range bands {
		if at -= b.share; at < 0 {
			if b.low == b.high {
				return b.low
			}
			return c.between(b.low, b.high)
		}
	}
	panic("generate: the shares of bands are counted wrongly")
}

// comes draws whether a person comes on a day: presence is per thousand weekdays, open is per thousand of those who come on a weekday.
func (c *chance) comes(presence, open int) bool { return c.below(1_000_000) < presence*open }

// week has how many of a thousand people who come on a weekday come on a Saturday and on a Sunday.
type week struct{ saturday, sunday int }

// open returns how many of a thousand people who come on a weekday come on a day.
func (w week) open(d calendar.Date) int {
	switch (int(d)%7 + 7) % 7 {
	case 2:
		return w.saturday
	case 3:
		return w.sunday
	}
	return 1000
}

// hours are the weights of the hours at which readers come: school hours, a busy evening, a quiet night.
var hours = [24]int{2, 1, 1, 1, 1, 3, 10, 30, 45, 50, 50, 40, 30, 40, 50, 50, 45, 45, 60, 80, 85, 70, 35, 10}

// hourOf lists each hour as often as its weight.
var hourOf = func() (list []int) {
	for hour, weight := range hours {
		for range weight {
			list = append(list, hour)
		}
	}
	return list
}()

const (
	hourMS = 3_600_000
	dayMS  = 24 * hourMS
)

// moment draws a time of the day, in milliseconds; most are full seconds.
func (c *chance) moment() int {
	ms := pick(c, hourOf)*hourMS + c.below(3600)*1000
	if c.below(8) == 0 {
		ms += c.below(1000)
	}
	return ms
}

// instant is a time in milliseconds since 1970 began in Brasilia. The zero instant is none.
type instant int

func at(d calendar.Date, ms int) instant { return instant(int(d)*dayMS + ms) }

// written returns the time as feeds of different origin write it: in UTC, or with the offset of Brasilia.
func (t instant) written(utc bool) time.Time {
	at := time.UnixMilli(int64(t) + 3*hourMS)
	if utc {
		return at.UTC()
	}
	return at.In(calendar.Brasilia())
}

// day returns the day in Brasilia.
func (t instant) day() calendar.Date {
	d := int(t) / dayMS
	if int(t)%dayMS < 0 {
		d--
	}
	return calendar.Date(d)
}
