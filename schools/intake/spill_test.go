package intake_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
)

// someID is an identifier of few series, one at their longest and one beyond that, or without a number.
var someID = rapid.Custom(func(t *rapid.T) string {
	series := rapid.SampledFrom([]string{"", "s-ana-", "s-rui-", "x", "0123456789012345678901234567890-", "01234567890123456789012345678901-"}).Draw(t, "series")
	return series + fmt.Sprint(rapid.SampledFrom([]int64{0, 7, 1<<63 - 1}).Draw(t, "number"))
})

// TestRowsKeepIdentifiers: the events of rows come back with the identifiers of their texts, whichever follow one another.
func TestRowsKeepIdentifiers(t *testing.T) {
	in := settled(t)
	at := calendar.MustParse("2026-03-10").Start()
	rapid.Check(t, func(t *rapid.T) {
		p := &intake.Pile{}
		var want []schools.EventID
		for _, id := range rapid.SliceOf(someID).Draw(t, "identifiers") {
			kind := byte('s')
			e, err := in.Segment(intake.SegmentRow{ID: []byte(id), Account: []byte("ana"), Book: 10, Start: at, DurationMS: 60_000, To: 50})
			if rapid.Bool().Draw(t, "access") {
				kind = 'a'
				e, err = in.Access(intake.AccessRow{ID: []byte(id), Account: []byte("ana"), At: at, Kind: []byte("login")})
			}
			if err == nil {
				err = p.Add(e)
			}
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, schools.NewEventID(kind, []byte(id)))
		}
		var got []schools.EventID
		for i := range p.Parts() {
			part, err := p.Part(i)
			if err != nil {
				t.Fatal(err)
			}
			for batch := range part.Batches(1) {
				for _, e := range batch {
					got = append(got, e.ID)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("identifiers = %v, want %v", got, want)
		}
	})
}
