package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/reading/calendar"
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

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
