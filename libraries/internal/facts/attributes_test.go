package facts_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// attributesFor makes the attributes of a reader: few values shared by many, as in a library network.
func attributesFor(r *rand.Rand, id int64) facts.Attributes {
	a := facts.Attributes{
		ID: id, Library: r.Int64N(40) + libraries.None, AgeGroup: r.Int64N(8) + libraries.None,
		State: pickOne(r, "", "SP", "MG"), City: fmt.Sprint("Cidade ", r.IntN(500)), RA: pickOne(r, "", "Gama"),
		Gender: libraries.Gender(r.IntN(5)), Status: libraries.ReaderStatus(1 + r.IntN(3)),
		Registered: libraries.HistoryStart + calendar.Date(r.IntN(200)-100),
		UpdatedDay: libraries.HistoryStart + calendar.Date(r.IntN(100)),
		Loans:      r.Int64N(30), ActiveReservations: r.Int64N(3),
	}
	if a.Status.Gone() {
		a.DeletedAt = libraries.HistoryStart + calendar.Date(r.IntN(100)-20)
	}
	return a
}

// blockOf makes the readers of one block.
func blockOf(r *rand.Rand, block int64, readers int) []facts.Attributes {
	ids := r.Perm(facts.BlockReaders)[:readers]
	slices.Sort(ids)
	attributes := make([]facts.Attributes, readers)
	for i, id := range ids {
		attributes[i] = attributesFor(r, block*facts.BlockReaders+int64(id))
	}
	return attributes
}

func TestAttributesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	extreme := facts.Attributes{
		ID: math.MaxInt64, Library: math.MaxInt64, AgeGroup: libraries.None, City: "São Paulo", Status: libraries.ReaderDeleted,
		Registered: math.MinInt32, DeletedAt: math.MaxInt32, UpdatedDay: math.MaxInt32, Loans: math.MaxInt64,
	}
	blocks := map[string][]facts.Attributes{
		"none":        {},
		"one":         blockOf(r, 3, 1),
		"two":         blockOf(r, 0, 2),
		"full":        blockOf(r, 7, facts.BlockReaders),
		"extremes":    {{ID: 0, Library: libraries.None, AgeGroup: 0, Status: libraries.ReaderActive}, extreme},
		"without any": {{ID: 5, Library: libraries.None, AgeGroup: libraries.None}},
	}
	for name, block := range blocks {
		data := facts.AppendAttributes([]byte("before"), block)
		got, err := facts.ParseAttributes(data[len("before"):])
		if err != nil || !slices.Equal(got, block) {
			t.Errorf("%s: parsed %+v, %v, want %+v", name, got, err, block)
		}
	}
}

// TestAttributesSize keeps the form small: a million readers are read after each load.
func TestAttributesSize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	block := blockOf(r, 1, facts.BlockReaders)
	if size := len(facts.AppendAttributes(nil, block)); size > 22*facts.BlockReaders {
		t.Errorf("%d readers take %d bytes, want at most 22 each", facts.BlockReaders, size)
	}
}

func TestAttributesOf(t *testing.T) {
	r := libraries.Reader{
		ID: 9, Name: "Ana", Email: "ana@example.org", Library: 2, AgeGroup: 3,
		City: "Gama", State: "DF", RA: "RA II", Gender: libraries.Female,
		Registered: libraries.HistoryStart, Status: libraries.ReaderActive, DeletedAt: libraries.HistoryStart + 1,
		Updated: time.Date(2026, 8, 2, 2, 59, 59, 0, time.UTC), // 1 August in Brasilia
	}
	want := facts.Attributes{
		ID: 9, Library: 2, AgeGroup: 3, City: "Gama", State: "DF", RA: "RA II", Gender: libraries.Female,
		Registered: libraries.HistoryStart, Status: libraries.ReaderActive, UpdatedDay: calendar.MustParse("2026-08-01"),
	}
	if got := facts.AttributesOf(r); got != want {
		t.Errorf("active: %+v, want %+v: no deletedAt", got, want)
	}
	r.Status, want.Status, want.DeletedAt = libraries.ReaderDeactivated, libraries.ReaderDeactivated, libraries.HistoryStart+1
	if got := facts.AttributesOf(r); got != want {
		t.Errorf("deactivated: %+v, want %+v", got, want)
	}
}

// formOfOne is the stored form of one reader, whose attributes are null, part by part.
func formOfOne() [][]byte {
	return [][]byte{
		{1, 1},       // the version, one reader
		{2, 0, 0},    // the identifier 1, no distance
		{1, 0, 0, 0}, // libraries: None, used by all
		{1, 0, 0, 0}, // age groups
		{1, 0, 0, 0}, // states: the empty one
		{1, 0, 0, 0}, // cities
		{1, 0, 0, 0}, // RAs
		{16, 0},      // active, gender not informed
		{0, 0},       // registered
		{0, 0},       // updated
		{0, 0},       // loans
		{0, 0},       // reservations
	}
}

// corruptAttributes are forms that AppendAttributes cannot have written, each wrong in one part.
func corruptAttributes() map[string][]byte {
	with := func(part int, b ...byte) []byte {
		form := formOfOne()
		form[part] = b
		return bytes.Join(form, nil)
	}
	many := append(binary.AppendUvarint(nil, 1100), make([]byte, 1)...)
	many = append(many, bytes.Repeat([]byte{1}, 1099)...)
	many = append(binary.AppendVarint(many, 1050), 0)
	two := formOfOne()
	two[0], two[1], two[2] = []byte{1, 2}, []byte{2, 0, 1, 0, 1}, []byte{2, 0, 1, 0, 0}
	return map[string][]byte{
		"a value that none has":     bytes.Join(two, nil),
		"empty":                     {},
		"version":                   with(0, 2, 1),
		"no reader":                 with(0, 1, 0),
		"more readers than a block": append([]byte{1}, binary.AppendUvarint(nil, facts.BlockReaders+1)...),
		"a first distance":          with(1, 2, 2, 0),
		"a width of 3":              with(1, 2, 0, 3, 0, 0, 0),
		"wider than needed":         with(8, 0, 1, 0),
		"a least that is not there": with(8, 0, 1, 1),
		"no value":                  with(2, 0, 0, 0),
		"an unused value":           with(2, 2, 0, 1, 0, 0),
		"a value twice":             with(2, 2, 0, 0, 0, 0),
		"an unknown value":          with(2, 1, 0, 2, 0),
		"more values than readers":  with(2, many...),
		"a huge dictionary":         with(2, 0xff, 0xff, 0xff, 0xff, 0x0f),
		"an unused text":            with(4, 2, 0, 1, 'a', 0, 0),
		"an unknown gender":         with(7, 26, 0),
		"an unknown status":         with(7, 64, 0),
		"a day out of range":        with(8, append(binary.AppendVarint(nil, math.MaxInt32+1), 0)...),
		"loans below 0":             with(10, 1, 0),
		"reservations below 0":      with(11, 1, 0),
		"more bytes":                with(11, 0, 0, 0),
	}
}

// TestAttributesForm holds the form by hand, so that what is stored stays readable.
func TestAttributesForm(t *testing.T) {
	one := facts.Attributes{ID: 1, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive}
	form := bytes.Join(formOfOne(), nil)
	if got := facts.AppendAttributes(nil, []facts.Attributes{one}); !bytes.Equal(got, form) {
		t.Errorf("written as %v, want %v", got, form)
	}
	if got, err := facts.ParseAttributes(form); err != nil || !slices.Equal(got, []facts.Attributes{one}) {
		t.Errorf("parsed as %+v, %v, want %+v", got, err, one)
	}
}

func TestCorruptAttributes(t *testing.T) {
	bad := corruptAttributes()
	ids := []facts.Attributes{{ID: 7, Library: libraries.None}, {ID: 7, Library: libraries.None}}
	bad["an identifier twice"] = facts.AppendAttributes(nil, ids)
	ids = []facts.Attributes{{ID: 7, City: "b"}, {ID: 9, City: "a"}}
	good := facts.AppendAttributes(nil, ids)
	bad["texts that do not ascend"] = bytes.Replace(good, []byte("\x01a\x01b"), []byte("\x01b\x01a"), 1)
	block := facts.AppendAttributes(nil, blockOf(rand.New(rand.NewPCG(5, 6)), 0, 20))
	for n := range block {
		bad[fmt.Sprintf("cut at %d", n)] = block[:n]
	}
	for name, data := range bad {
		if _, err := facts.ParseAttributes(data); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: ParseAttributes error %v, want ErrCorrupt", name, err)
		}
		if _, err := report.ReadReaders([][]byte{data}); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: ReadReaders error %v, want ErrCorrupt", name, err)
		}
	}
}

// FuzzAttributes holds that whatever parses is the one form of what it holds, and reads alike in columns.
func FuzzAttributes(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{0, 1, 2, 30} {
		f.Add(facts.AppendAttributes(nil, blockOf(r, 1, n)))
	}
	for _, data := range corruptAttributes() {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		block, err := facts.ParseAttributes(data)
		if err != nil {
			if !errors.Is(err, packed.ErrCorrupt) {
				t.Fatalf("error %v, want ErrCorrupt", err)
			}
			return
		}
		if again := facts.AppendAttributes(nil, block); !bytes.Equal(again, data) {
			t.Errorf("%x parses, but is written as %x", data, again)
		}
		readers, err := report.ReadReaders([][]byte{data})
		if err != nil || len(readers.IDs) != len(block) {
			t.Errorf("ReadReaders = %v, %v, want %d readers", readers, err, len(block))
		}
	})
}
