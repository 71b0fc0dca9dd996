package facts

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// A Sheet is one day of a partner: the users with an access (S6), and for each the tenths of a minute of effective
// reading. It holds the engagement rows of the day in the order of the API.
type Sheet struct {
	Users  []directory.UserID // ascending
	Tenths []int64
}

// Sorted returns the sheet with its users in order; each must stand once.
func (s Sheet) Sorted() Sheet {
	if slices.IsSorted(s.Users) {
		return s
	}
	order := make([]int, len(s.Users))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(int64(s.Users[i]), int64(s.Users[j])) })
	t := Sheet{make([]directory.UserID, len(order)), make([]int64, len(order))}
	for to, from := range order {
		t.Users[to], t.Tenths[to] = s.Users[from], s.Tenths[from]
	}
	return t
}

// Keep, as tenths of Merge, leaves what the user had on the day, or 0.
const Keep int64 = -1

// Merge puts a later sheet's users in: each has the tenths of the later sheet, or its own where those are Keep.
func (s Sheet) Merge(later Sheet) Sheet {
	m := Sheet{make([]directory.UserID, 0, len(s.Users)+len(later.Users)), make([]int64, 0, len(s.Users)+len(later.Users))}
	i := 0
	for j, id := range later.Users {
		for ; i < len(s.Users) && s.Users[i] < id; i++ {
			m.Users, m.Tenths = append(m.Users, s.Users[i]), append(m.Tenths, s.Tenths[i])
		}
		had := int64(0)
		if i < len(s.Users) && s.Users[i] == id {
			had = s.Tenths[i]
			i++
		}
		if t := later.Tenths[j]; t != Keep {
			had = t
		}
		m.Users, m.Tenths = append(m.Users, id), append(m.Tenths, had)
	}
	m.Users, m.Tenths = append(m.Users, s.Users[i:]...), append(m.Tenths, s.Tenths[i:]...)
	return m
}

// Presence forms: the smaller of the two is stored, the list where they are equal.
const (
	presenceList = iota
	presenceBits
)

// AppendPresence appends the stored form of the sheet's users: version, form, then either their number and the
// differences of their identifiers, or the number of the first word of 64 identifiers and the words, little-endian.
func (s Sheet) AppendPresence(b []byte) []byte {
	list := binary.AppendUvarint([]byte{formVersion, presenceList}, uint64(len(s.Users)))
	last := directory.UserID(0)
	for _, id := range s.Users {
		list = binary.AppendUvarint(list, uint64(id-last))
		last = id
	}
	if len(s.Users) == 0 {
		return append(b, list...)
	}
	first := uint64(s.Users[0] >> 6)
	n := uint64(last>>6) - first + 1
	if n*8 >= uint64(len(list)) {
		return append(b, list...)
	}
	words := make([]uint64, n)
	for _, id := range s.Users {
		words[uint64(id>>6)-first] |= 1 << (id & 63)
	}
	packed := binary.AppendUvarint([]byte{formVersion, presenceBits}, first)
	for _, w := range words {
		packed = binary.LittleEndian.AppendUint64(packed, w)
	}
	if len(packed) >= len(list) {
		packed = list
	}
	return append(b, packed...)
}

// maxUserID bounds what a stored presence may name, so that a corrupt one cannot ask for all memory.
const maxUserID = 1 << 32

// ParsePresence unpacks a stored presence as a set.
func ParsePresence(data []byte) (Set, error) {
	d := packed.NewDecoder(data, formVersion)
	var s Set
	switch d.Byte() {
	case presenceList:
		id := uint64(0)
		for n := d.Count(1); n > 0 && !d.Bad(); n-- {
			step := d.Uvarint()
			if id += step; step == 0 || id > maxUserID {
				return Set{}, packed.ErrCorrupt
			}
			s.Add(directory.UserID(id))
		}
	case presenceBits:
		first := d.Uvarint()
		n := d.Len() / 8
		if d.Bad() || first > maxUserID/64 {
			return Set{}, packed.ErrCorrupt
		}
		s.words = make([]uint64, int(first)+n)
		for i := range n {
			s.words[int(first)+i] = binary.LittleEndian.Uint64(d.Bytes(8))
		}
	default:
		return Set{}, packed.ErrCorrupt
	}
	return s, d.End()
}

// Minutes are the tenths of a day's users in a form of one width, so that one user's are read alone.
type Minutes []byte

// AppendMinutes appends the stored form of the sheet's tenths: version, width in bytes, then one little-endian number
// of that width for each user.
func (s Sheet) AppendMinutes(b []byte) []byte {
	most := uint64(0)
	for _, t := range s.Tenths {
		most = max(most, uint64(t))
	}
	width := max(1, (bits.Len64(most)+7)/8)
	b = append(b, formVersion, byte(width))
	for _, t := range s.Tenths {
		for i := range width {
			b = append(b, byte(uint64(t)>>(8*i)))
		}
	}
	return b
}

// Check returns an error unless the minutes are those of n users.
func (m Minutes) Check(n int) error {
	if len(m) < 2 || m[0] != formVersion || m[1] < 1 || m[1] > 8 || len(m) != 2+n*int(m[1]) {
		return fmt.Errorf("minutes of %d users: %w", n, packed.ErrCorrupt)
	}
	return nil
}

// users returns how many users the minutes are of, if they are well-formed.
func (m Minutes) users() int {
	if len(m) < 2 || m[1] == 0 {
		return 0
	}
	return (len(m) - 2) / int(m[1])
}

// At returns the minutes of the user of the given rank among the users of the day. The minutes must have been checked.
func (m Minutes) At(rank int) reading.Minutes {
	width := int(m[1])
	var v uint64
	for i := range width {
		v |= uint64(m[2+rank*width+i]) << (8 * i)
	}
	return reading.Minutes(v)
}

// ParseSheet unpacks both stored forms of a day.
func ParseSheet(presence []byte, minutes Minutes) (Sheet, error) {
	set, err := ParsePresence(presence)
	if err != nil {
		return Sheet{}, err
	}
	users := slices.Collect(set.All())
	if err := minutes.Check(len(users)); err != nil {
		return Sheet{}, err
	}
	s := Sheet{users, make([]int64, len(users))}
	for i := range users {
		s.Tenths[i] = int64(minutes.At(i))
	}
	return s, nil
}

// Attendance has the users of every day with an access, days ascending.
type Attendance struct {
	Days []calendar.Date
	Sets []Set
}

// Bytes returns about the memory that the attendance holds.
func (a *Attendance) Bytes() int {
	n := 28 * cap(a.Days)
	for _, s := range a.Sets {
		n += s.Bytes()
	}
	return n
}

// In returns the attendance of a period.
func (a *Attendance) In(p calendar.Period) Attendance {
	from, _ := slices.BinarySearch(a.Days, p.Start)
	to, _ := slices.BinarySearch(a.Days, p.End+1)
	to = max(from, to)
	return Attendance{a.Days[from:to], a.Sets[from:to]}
}

// MinutesByDay are the minutes of some days.
type MinutesByDay map[calendar.Date]Minutes

// Bytes returns about the memory that the minutes hold.
func (m MinutesByDay) Bytes() int {
	n := 0
	for _, d := range m {
		n += 64 + len(d)
	}
	return n
}
