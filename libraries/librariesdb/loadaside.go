package librariesdb

import (
	"encoding/binary"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
)

// What the parts of a pile say of a day is set aside until all are folded: the day is then written once, whole, and its
// loans in the order in which they stand in their table. A million loans written by reader would touch every page of the
// table in every part.

// slotOf returns the slot that a day's things wait in.
func slotOf(day calendar.Date) int { return int(uint32(day) % spill.Parts) }

// kind says what a frame holds.
type kind byte

const (
	deltaFrames kind = iota
	loanFrames
	reservationFrames
	requestFrames
	kinds
)

// sheaf is what one part sets aside, packed.
type sheaf struct {
	frames [spill.Parts][kinds][]byte
	first  calendar.Date // the first of its days
	some   bool
}

// of returns where the things of a kind and a day go.
func (s *sheaf) of(k kind, day calendar.Date) *[]byte {
	if !s.some || day < s.first {
		s.first, s.some = day, true
	}
	return &s.frames[slotOf(day)][k]
}

// reset empties the sheaf, whose room is used again.
func (s *sheaf) reset() {
	s.some = false
	for slot := range s.frames {
		for k := range s.frames[slot] {
			s.frames[slot][k] = s.frames[slot][k][:0]
		}
	}
}

func (s *sheaf) addDelta(d libraries.DayDelta) {
	b := s.of(deltaFrames, d.Day)
	*b = libraries.AppendDayDelta(*b, d)
}

func (s *sheaf) addLoan(c libraries.LoanChange) {
	b := s.of(loanFrames, c.Loan.Day())
	*b = appendLoan(*b, c)
}

func (s *sheaf) addReservation(c libraries.ReservationChange) {
	b := s.of(reservationFrames, c.Reservation.Day())
	*b = appendReservation(*b, c)
}

func (s *sheaf) addRequest(r libraries.Request) {
	b := s.of(requestFrames, r.Day())
	*b = appendRequest(*b, r)
}

// aside is what all parts set aside: frames, each a kind, a length, and what a sheaf has.
type aside struct {
	pile  spill.Pile
	first calendar.Date
	some  bool
	head  []byte
}

func (a *aside) add(s *sheaf) error {
	if s.some && (!a.some || s.first < a.first) {
		a.first, a.some = s.first, true
	}
	for slot := range s.frames {
		for k, data := range s.frames[slot] {
			if len(data) == 0 {
				continue
			}
			if err := a.frame(slot, kind(k), data); err != nil {
				return err
			}
		}
	}
	return nil
}

// frame adds a frame to a slot.
func (a *aside) frame(slot int, k kind, data []byte) error {
	a.head = binary.AppendUvarint(append(a.head[:0], byte(k)), uint64(len(data)))
	if err := a.pile.Add(slot, a.head); err != nil {
		return err
	}
	return a.pile.Add(slot, data)
}

// slot returns what waited in the slot that is i slots after the first day's: so the slots follow one another as the days
// do, and rows are mostly written in the order of their tables.
func (a *aside) slot(i int) ([]byte, error) { return a.pile.Part((slotOf(a.first) + i) % spill.Parts) }

// slot is what waited in a slot. The old keys are those of rows that are replaced.
type slot struct {
	deltas                    [][]libraries.DayDelta // of each part
	loans                     []libraries.Loan
	reservations              []libraries.Reservation
	requests                  []libraries.Request
	oldLoans, oldReservations [][]int64
}

// parseSlot unpacks the frames of a slot.
func parseSlot(data []byte) (s slot, err error) {
	frames := packed.Bare(data)
	for frames.Len() > 0 && !frames.Bad() {
		k := kind(frames.Byte())
		body := frames.Bytes(frames.Count(1))
		if k == deltaFrames {
			deltas, err := libraries.DecodeDayDeltas(body)
			if err != nil {
				return s, fmt.Errorf("what was set aside: %w", err)
			}
			s.deltas = append(s.deltas, deltas)
			continue
		}
		frames.Check(k < kinds && s.parse(k, body) == nil)
	}
	if err := frames.End(); err != nil {
		return s, fmt.Errorf("what was set aside: %w", err)
	}
	return s, nil
}

// parse unpacks a frame of rows.
func (s *slot) parse(k kind, body []byte) error {
	d := packed.Bare(body)
	for d.Len() > 0 && !d.Bad() {
		switch k {
		case loanFrames:
			l, old := readLoan(&d)
			if s.loans = append(s.loans, l); old {
				s.oldLoans = append(s.oldLoans, []int64{int64(l.Day()), l.ID})
			}
		case reservationFrames:
			r, old := readReservation(&d)
			if s.reservations = append(s.reservations, r); old {
				s.oldReservations = append(s.oldReservations, []int64{int64(r.Day()), r.ID})
			}
		case requestFrames:
			s.requests = append(s.requests, readRequest(&d))
		}
	}
	return d.End()
}

// sheaf returns an empty sheaf, perhaps with the room of one that was set aside.
func (l *load) sheaf() *sheaf {
	if s, ok := l.sheaves.Get().(*sheaf); ok {
		return s
	}
	return &sheaf{}
}

// setAside sets aside what is in a sheaf, which is not to be used afterwards.
func (l *load) setAside(s *sheaf) error {
	if err := l.aside.add(s); err != nil {
		return err
	}
	s.reset()
	l.sheaves.Put(s)
	return nil
}
