package packed_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/reading/packed"
)

// block is a block with a column of each kind.
type block struct {
	Total   int64
	Note    []byte
	Rows    []line
	States  packed.Coded[string]
	Classes packed.Coded[int64]
	Minutes packed.Fixed
	Loans   packed.Sparse
	Users   []uint64
	Pair    [2]line // only Day and the seconds of Visits are stored
}

type line struct {
	ID     int64
	Day    int32
	Read   int64
	Bits   uint32
	Hash   uint64
	Visits []visit
}

type visit struct {
	Second int32
	Books  []int64
}

const daySeconds = 86400

func (s *block) Columns(c *packed.Columns) {
	c.Version(3)
	packed.Natural(c, 1<<40, &s.Total)
	c.Bytes(&s.Note)
	rows := packed.Rows(c, &s.Rows)
	packed.Ascending(rows, 0, func(l *line) *int64 { return &l.ID })
	packed.Rising(rows, 20000, func(l *line) *int32 { return &l.Day })
	packed.Naturals(rows, 1<<40, func(l *line) *int64 { return &l.Read })
	packed.Words(rows, func(l *line) *uint32 { return &l.Bits })
	packed.Words(rows, func(l *line) *uint64 { return &l.Hash })
	visits := packed.Lists(rows, func(l *line) *[]visit { return &l.Visits })
	packed.Naturals(visits, daySeconds-1, func(v *visit) *int32 { return &v.Second })
	books := packed.Lists(visits, func(v *visit) *[]int64 { return &v.Books })
	packed.Ascending(books, 0, packed.Itself)
	c.Texts(&s.States, len(s.Rows))
	c.Integers(&s.Classes, len(s.Rows))
	c.Fixed(&s.Minutes, len(s.Rows), -100, 1<<40)
	c.Sparse(&s.Loans, len(s.Rows))
	c.Set(&s.Users, 1<<16)
	pair := packed.Array(c, s.Pair[:])
	packed.Rising(pair, 0, func(l *line) *int32 { return &l.Day })
	visits = packed.Lists(pair, func(l *line) *[]visit { return &l.Visits })
	packed.Onward(visits, func(v *visit) *int32 { return &v.Second })
}

// random returns a block of up to 20 rows.
func random(r *rand.Rand) *block {
	s := &block{Total: r.Int64N(1 << 40), Note: []byte("nota")[:r.IntN(5)], Rows: make([]line, r.IntN(20))}
	id, day := int64(-5), int32(19990)
	minutes := make([]int64, len(s.Rows))
	for i := range s.Rows {
		id += 1 + r.Int64N(1<<r.IntN(40))
		day += r.Int32N(3)
		s.Rows[i] = line{ID: id, Day: day, Read: r.Int64N(3) * r.Int64N(300), Bits: r.Uint32(), Hash: r.Uint64(), Visits: make([]visit, r.IntN(3))}
		for j := range s.Rows[i].Visits {
			v := visit{r.Int32N(daySeconds), make([]int64, r.IntN(3))}
			for k := range v.Books {
				v.Books[k] = int64(k)*1000 + r.Int64N(1000)
			}
			s.Rows[i].Visits[j] = v
		}
		minutes[i] = r.Int64N(1<<r.IntN(40)) - 100
		s.Loans.Put(i, r.Int64N(2)*r.Int64N(1000))
	}
	s.Minutes = packed.FixedOf(minutes)
	states := []string{"", "Ceará", "Goiás", "São Paulo"}
	s.States = packed.CodedOf(len(s.Rows), func(int) string { return states[r.IntN(4)] })
	s.Classes = packed.CodedOf(len(s.Rows), func(int) int64 { return r.Int64N(5) - 1 })
	s.Users = make([]uint64, 1+r.IntN(20))
	for range r.IntN(1 << r.IntN(9)) {
		i := r.IntN(64 * len(s.Users))
		s.Users[i>>6] |= 1 << (i & 63)
	}
	for len(s.Users) > 0 && s.Users[len(s.Users)-1] == 0 {
		s.Users = s.Users[:len(s.Users)-1]
	}
	for i := range s.Pair {
		s.Pair[i].Day = 1000*int32(i) + r.Int32N(1000)
		s.Pair[i].Visits = make([]visit, r.IntN(3))
		for j, second := 0, r.Int32(); j < len(s.Pair[i].Visits); j++ {
			s.Pair[i].Visits[j].Second = second/2 + int32(j)
		}
	}
	return s
}

// numbers returns the values of the columns that stay packed.
func (s *block) numbers(t *testing.T) (all []int64) {
	all = packed.Unpack(all, &s.Minutes)
	if err := s.Loans.Visit(func(row int, v int64) { all = append(all, int64(row), v) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestColumns tests that random blocks are read back unchanged, and written again as the same bytes.
func TestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	got := &block{} // used again: earlier values must not remain
	for range 2000 {
		want := random(r)
		data := packed.Append([]byte("front"), want)[5:]
		if err := packed.Open(data, got); err != nil {
			t.Fatalf("Open(Append(%+v)) = %v, want nil", want, err)
		}
		if again := packed.Append(nil, got); !bytes.Equal(again, data) {
			t.Fatalf("Append of the opened block =\n%x, want\n%x", again, data)
		}
		if !slices.Equal(got.numbers(t), want.numbers(t)) || got.Total != want.Total || !slices.Equal(got.Users, want.Users) {
			t.Fatalf("Open = %+v, want %+v", got, want)
		}
		for i := range want.Pair {
			if !equalLines(got.Pair[i], want.Pair[i]) {
				t.Fatalf("line of the pair = %+v, want %+v", got.Pair[i], want.Pair[i])
			}
		}
		for i := range want.Rows {
			if !equalLines(got.Rows[i], want.Rows[i]) || got.States.Of(i) != want.States.Of(i) || got.Classes.Of(i) != want.Classes.Of(i) {
				t.Fatalf("row %d = %+v, want %+v", i, got.Rows[i], want.Rows[i])
			}
		}
	}
}

func equalLines(a, b line) bool {
	same := slices.EqualFunc(a.Visits, b.Visits, func(v, w visit) bool { return v.Second == w.Second && slices.Equal(v.Books, w.Books) })
	a.Visits, b.Visits = nil, nil
	return same && reflect.DeepEqual(a, b)
}

// TestColumnsCut tests that a block with missing or extra bytes is corrupt.
func TestColumnsCut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		data := packed.Append(nil, random(r))
		for n := range data {
			if err := packed.Open(data[:n], &block{}); !errors.Is(err, packed.ErrCorrupt) {
				t.Fatalf("Open of the first %d bytes of %x = %v, want ErrCorrupt", n, data, err)
			}
		}
		if err := packed.Open(append(data, 0), &block{}); !errors.Is(err, packed.ErrCorrupt) {
			t.Fatalf("Open of %x and one more byte = %v, want ErrCorrupt", data, err)
		}
	}
}

// FuzzColumns checks that bytes that can be opened are written again unchanged.
func FuzzColumns(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		f.Add(packed.Append(nil, random(r)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &block{}
		if err := packed.Open(data, s); err != nil {
			if !errors.Is(err, packed.ErrCorrupt) {
				t.Error(err)
			}
			return
		}
		if s.Loans.Visit(func(int, int64) {}) != nil {
			return
		}
		if again := packed.Append(nil, s); !bytes.Equal(again, data) {
			t.Errorf("Append of the block opened from %x = %x, want the same bytes", data, again)
		}
	})
}
