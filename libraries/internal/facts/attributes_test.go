package facts_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// attributesFor returns random attributes of a reader. Many readers share few values, as in a library network.
func attributesFor(r *rand.Rand, id int64) facts.Attributes {
	a := facts.Attributes{
		ID: id, Library: r.Int64N(40) + libraries.None, AgeGroup: r.Int64N(8) + libraries.None,
		State: pickOne(r, "", "SP", "MG"), City: fmt.Sprint("Cidade ", r.IntN(500)), RA: pickOne(r, "", "Gama"),
		Gender: libraries.Gender(r.IntN(5)), Status: libraries.ReaderStatus(1 + r.IntN(3)),
		Registered: libraries.HistoryStart + calendar.Date(r.IntN(200)-100),
		UpdatedDay: libraries.HistoryStart + calendar.Date(r.IntN(100)),
		Loans:      r.Int64N(30), ActiveReservations: r.Int64N(3),
	}
	if a.Status.Inactive() {
		a.DeletedAt = libraries.HistoryStart + calendar.Date(r.IntN(100)-20)
	}
	return a
}

// blockOf returns random readers of one block, ascending.
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
		var got facts.AttributeColumns
		if err := packed.Open(packed.Append(nil, facts.PackAttributes(block)), &got); err != nil || !slices.Equal(got.Rows(), block) {
			t.Errorf("%s: read %+v, %v, want %+v", name, got.Rows(), err, block)
		}
	}
}

// TestAttributesSize tests that the stored form is small, because a million readers are read after each load.
func TestAttributesSize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	block := blockOf(r, 1, facts.BlockReaders)
	if size := len(packed.Append(nil, facts.PackAttributes(block))); size > 23*facts.BlockReaders {
		t.Errorf("%d readers take %d bytes, want at most 23 each", facts.BlockReaders, size)
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
		t.Errorf("active: %+v, want %+v without deletedAt", got, want)
	}
	r.Status, want.Status, want.DeletedAt = libraries.ReaderDeactivated, libraries.ReaderDeactivated, libraries.HistoryStart+1
	if got := facts.AttributesOf(r); got != want {
		t.Errorf("deactivated: %+v, want %+v", got, want)
	}
}

// TestAttributeColumns compares the stored form with bytes written by hand, because stored blocks must stay readable.
func TestAttributeColumns(t *testing.T) {
	rows := []facts.Attributes{
		{ID: 1, Library: libraries.None, AgeGroup: libraries.None, Status: libraries.ReaderActive},
		{ID: 5, Library: 7, AgeGroup: libraries.None, City: "SP", Gender: libraries.Female, Status: libraries.ReaderDeleted, DeletedAt: 3, Loans: 300},
	}
	form := slices.Concat(
		[]byte{1, 2, 2, 4},                    // version, number, identifiers: 1, signed, and 4 more
		[]byte{2, 1, 8, 0, 1, 0, 1},           // libraries: two, -1 and 7; their indexes: the least is 0, each a byte
		[]byte{1, 1, 0, 0},                    // age groups: one, which takes no bytes
		[]byte{1, 0, 0, 0},                    // states: the empty one
		[]byte{2, 0, 2, 'S', 'P', 0, 1, 0, 1}, // cities
		[]byte{1, 0, 0, 0},                    // RAs
		[]byte{0, 1, 0, 1, 2, 1, 0, 2},        // genders and statuses
		[]byte{0, 0, 0, 0, 6, 0},              // registered, updated, deleted: of one reader
		[]byte{0, 2, 0, 0, 44, 1, 0, 0},       // loans and active reservations
	)
	if got := packed.Append(nil, facts.PackAttributes(rows)); !bytes.Equal(got, form) {
		t.Errorf("written as %v, want %v", got, form)
	}
}
