package facts

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
)

// seenDays is the number of days whose events are remembered together: a row a day would cost more than its content.
const seenDays = 32

// SeenBlock returns the number of the block of days that a day belongs to.
func SeenBlock(d calendar.Date) int64 { return int64(d) >> 5 }

// Seen are the events that one user had on the days of one block: what makes loading a feed twice the same as once.
type Seen struct{ days [seenDays][]seenEvent }

// seenEvent is what is remembered of an event: its series and number, or 0 and its hash.
type seenEvent struct{ series, number uint64 }

func (e seenEvent) compare(f seenEvent) int {
	return cmp.Or(cmp.Compare(e.series, f.series), cmp.Compare(e.number, f.number))
}

func seenOf(id schools.EventID) seenEvent {
	if id.Series == 0 {
		return seenEvent{0, id.Hash}
	}
	return seenEvent{id.Series, uint64(id.Number)}
}

// Has reports whether the event of that day was seen.
func (s *Seen) Has(d calendar.Date, id schools.EventID) bool {
	_, found := slices.BinarySearchFunc(s.days[d&(seenDays-1)], seenOf(id), seenEvent.compare)
	return found
}

// Add remembers events of a day, none of which was seen.
func (s *Seen) Add(d calendar.Date, ids []schools.EventID) {
	day := &s.days[d&(seenDays-1)]
	*day = slices.Grow(*day, len(ids))
	for _, id := range ids {
		*day = append(*day, seenOf(id))
	}
	slices.SortFunc(*day, seenEvent.compare)
}

// AppendBinary appends the stored form: version, the number of series and each, ascending; then for each day with events its place in
// the block, the number of events without a series and their hashes, ascending, and the number of its series. Of each of these
// follow the difference of places among all (the first from -1), the number of events, and the events' numbers: the first as the
// difference (zigzag) from the series' last one before, or from 0, the others as differences, ascending. Series and hashes are 8 bytes,
// little-endian, a day's place is one; other numbers are varints.
func (s *Seen) AppendBinary(b []byte) []byte {
	series := s.series()
	b = append(b, formVersion)
	b = binary.AppendUvarint(b, uint64(len(series)))
	for _, of := range series {
		b = binary.LittleEndian.AppendUint64(b, of)
	}
	last := make([]uint64, len(series))
	for i, events := range s.days {
		if len(events) == 0 {
			continue
		}
		b = append(b, byte(i))
		n := run(events, 0)
		b = binary.AppendUvarint(b, uint64(n))
		for _, e := range events[:n] {
			b = binary.LittleEndian.AppendUint64(b, e.number)
		}
		b = appendNumbers(b, events[n:], series, last)
	}
	return b
}

// run returns how many events at the front are of a series.
func run(events []seenEvent, series uint64) (n int) {
	for n < len(events) && events[n].series == series {
		n++
	}
	return n
}

// series returns all series, ascending.
func (s *Seen) series() (all []uint64) {
	for _, events := range s.days {
		for n := run(events, 0); n < len(events); n += run(events[n:], events[n].series) {
			all = append(all, events[n].series)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// appendNumbers appends the events of a day that are of series. last has the last number of each series, up to the day before.
func appendNumbers(b []byte, events []seenEvent, series, last []uint64) []byte {
	days := 0
	for n := 0; n < len(events); n += run(events[n:], events[n].series) {
		days++
	}
	b = binary.AppendUvarint(b, uint64(days))
	for before := -1; len(events) > 0; {
		place, _ := slices.BinarySearch(series, events[0].series)
		n := run(events, events[0].series)
		b = binary.AppendUvarint(b, uint64(place-before))
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendVarint(b, int64(events[0].number)-int64(last[place]))
		for i := range n - 1 {
			b = binary.AppendUvarint(b, events[i+1].number-events[i].number)
		}
		before, last[place], events = place, events[n-1].number, events[n:]
	}
	return b
}

// UnmarshalBinary replaces s by a stored form, of which it keeps nothing.
func (s *Seen) UnmarshalBinary(data []byte) error {
	*s = Seen{}
	d := &seenDecoder{Decoder: *packed.NewDecoder(data, formVersion)}
	d.readSeries()
	for place := -1; d.Len() > 0 && !d.Bad(); {
		next := int(d.Byte())
		d.Check(next > place && next < seenDays)
		if d.Bad() {
			break
		}
		place = next
		s.days[place] = d.day()
		d.Check(len(s.days[place]) > 0)
	}
	for i := range d.series {
		d.Check(d.used[i])
	}
	if err := d.End(); err != nil {
		*s = Seen{}
		return err
	}
	return nil
}

// seenDecoder reads seen events.
type seenDecoder struct {
	packed.Decoder
	series, last []uint64
	used         []bool
}

func (d *seenDecoder) readSeries() {
	d.series = make([]uint64, d.Count(8))
	d.last, d.used = make([]uint64, len(d.series)), make([]bool, len(d.series))
	before := uint64(0)
	for i := range d.series {
		d.series[i] = d.word()
		d.Check(d.series[i] > before)
		before = d.series[i]
	}
}

// word reads 8 bytes.
func (d *seenDecoder) word() uint64 {
	if b := d.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// day reads the events of a day.
func (d *seenDecoder) day() (events []seenEvent) {
	n := d.Count(8)
	events = make([]seenEvent, 0, n)
	for range n {
		e := seenEvent{0, d.word()}
		d.Check(len(events) == 0 || events[len(events)-1].number < e.number)
		events = append(events, e)
	}
	place := -1
	for of := d.Count(3); of > 0 && !d.Bad(); of-- {
		step, n := d.Uvarint(), d.Count(1)
		d.Check(step > 0 && step < uint64(len(d.series)-place) && n > 0)
		if d.Bad() {
			break
		}
		place += int(step)
		events = d.numbers(slices.Grow(events, n), place, n)
	}
	return events
}

// numbers reads n events of the series at a place.
func (d *seenDecoder) numbers(events []seenEvent, place, n int) []seenEvent {
	number := int64(d.last[place]) + d.Varint()
	for {
		d.Check(number >= 0)
		events = append(events, seenEvent{d.series[place], uint64(number)})
		if n--; n == 0 || d.Bad() {
			break
		}
		step := d.Uvarint()
		d.Check(step > 0 && step <= uint64(math.MaxInt64-number))
		number += int64(step)
	}
	d.last[place], d.used[place] = uint64(number), true
	return events
}
