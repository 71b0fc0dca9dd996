package librariesdb

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/packed"
)

// TestReaders tests that the blocks of attributes are read by number, in whatever order they were written.
func TestReaders(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		var want []int64
		for _, block := range []int64{10, 9, 2, 0} {
			var as []facts.Attributes
			for i := range int64(3) {
				r := libraries.Reader{ID: block*facts.BlockReaders + 300*i, Library: i, AgeGroup: libraries.None, Status: libraries.ReaderActive, State: "SP"}
				as = append(as, facts.AttributesOf(r))
				want = append(want, r.ID)
			}
			f.putBlocks(f.a.Network, facts.AttributesKind, blockOf(block, packed.Append(nil, facts.PackAttributes(as))))
			f.putBlocks(f.other, facts.AttributesKind, blockOf(block+20, packed.Append(nil, facts.PackAttributes(as))))
		}
		slices.Sort(want)
		rs, err := reports(f).Readers(t.Context(), f.a)
		if err != nil || !slices.Equal(rs.IDs, want) {
			t.Errorf("Readers = %v, %v, want %v", rs, err, want)
		}
		f.putBlocks(f.a.Network, facts.AttributesKind, blockOf(11, []byte{255}))
		if rs, err := reports(f).Readers(t.Context(), f.a); err == nil {
			t.Errorf("Readers with a corrupt block = %v, want an error", rs)
		}
	})
}

// asked returns lists of ascending identifiers. The 3,000 readers have the odd numbers from 1 to 5,999. Some lists have
// unknown identifiers, or more than one statement names.
func asked() map[string][]int64 {
	r := rand.New(rand.NewPCG(1, 2))
	var far, many []int64
	for id := range int64(6000) {
		if r.IntN(200) == 0 {
			far = append(far, id)
		}
		if r.IntN(10) > 0 {
			many = append(many, id)
		}
	}
	return map[string][]int64{
		"none": {}, "one": {7}, "unknown": {8}, "below and above": {-5, 0, math.MaxInt64}, "side by side": {99, 101, 103, 105},
		"dense": {98, 99, 101, 102, 105, 106}, "first and last": {1, 5999}, "far": far, "many": many,
	}
}

// known returns the identifiers that have readers.
func known(ids []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return id < 1 || id > 5999 || id%2 == 0 })
}

func TestPeople(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		person := func(id int64) libraries.Reader {
			return libraries.Reader{ID: id, Name: fmt.Sprint("Leitora ", id), Status: libraries.ReaderActive, Registered: firstDay, Updated: full}
		}
		var all []libraries.Reader
		for id := int64(1); id < 6000; id += 2 {
			all = append(all, person(id))
		}
		putAll(f, intake.Readers, all)
		f.put(f.other, intake.Readers.Table, intake.Readers.Values(person(8)), intake.Readers.Values(libraries.Reader{ID: 7, Name: "Other"}))
		for name, ids := range asked() {
			var want []libraries.Reader
			for _, id := range known(ids) {
				want = append(want, person(id))
			}
			if got, err := f.People(t.Context(), f.a, ids); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: People = %d readers, %v, want %d", name, len(got), err, len(want))
			}
			for i := range want { // Named returns only the fields that attributes lack
				want[i].Status, want[i].Registered = 0, 0
			}
			for _, erasures := range []int64{0, 1} { // the store counts no erasure
				a := f.a
				a.Erasures = erasures
				got, erased, err := f.Named(t.Context(), a, ids)
				if err != nil || !slices.Equal(got, want) || len(want) > 0 && erased != (erasures == 1) {
					t.Errorf("%s: Named at %d = %d readers, %t, %v, want %d", name, erasures, len(got), erased, err, len(want))
				}
			}
		}
	})
}
