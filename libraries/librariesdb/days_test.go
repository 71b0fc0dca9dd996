package librariesdb

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// putDay puts a day with the given forms.
func (f *fixture) putDay(n libraries.NetworkID, day calendar.Date, forms facts.DayForms) {
	f.Helper()
	for kind, data := range map[snapshot.Kind][]byte{
		facts.DayOfReadersKind: forms.Readers, facts.DayOfTitlesKind: forms.Titles,
	} {
		if len(data) > 0 {
			f.putBlocks(n, kind, blockOf(day, data))
		}
	}
}

// TestDayBlocks reads each kind of block of a period: its first and last day, not those beside them, nor days without.
func TestDayBlocks(t *testing.T) {
	kinds := map[snapshot.Kind]string{facts.DayOfReadersKind: "readers", facts.DayOfTitlesKind: "titles"}
	eachEngine(t, func(t *testing.T, f *fixture) {
		for day := firstDay; day < firstDay+6; day++ {
			if day == firstDay+2 || day == firstDay+3 {
				continue
			}
			block := func(kind string) []byte { return fmt.Append(nil, kind, " of ", day) }
			f.putDay(f.a.Network, day, facts.DayForms{Readers: block("readers"), Titles: block("titles")})
			f.putDay(f.other, day, facts.DayForms{Readers: []byte("x"), Titles: []byte("x")})
		}
		for kind, name := range kinds {
			blocks, err := f.blocks(t.Context(), f.a, kind, snapshot.Range{A: snapshot.Between(firstDay+1, firstDay+4)})
			if err != nil {
				t.Fatal(err)
			}
			want := map[int64]string{int64(firstDay + 1): fmt.Sprint(name, " of ", firstDay+1), int64(firstDay + 4): fmt.Sprint(name, " of ", firstDay+4)}
			if !maps.Equal(blocks, want) {
				t.Errorf("the %s are %v, want %v", name, blocks, want)
			}
		}
	})
}

// TestRequests reads requests by instant, then identifier, then reader, of the days of the period alone.
func TestRequests(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		at := (firstDay + 1).Start()
		request := func(id, reader int64, at time.Time) libraries.Request {
			return libraries.Request{ID: id, Reader: reader, Requested: at, Title: "Til", Availability: libraries.NotFound}
		}
		last := (firstDay + 3).Start().Add(-time.Microsecond)
		want := []libraries.Request{
			request(9, 9, at), request(2, 5, at.Add(time.Microsecond)), request(2, 10, at.Add(time.Microsecond)), request(10, 1, at.Add(time.Microsecond)),
			request(1, 1, last),
		}
		for i := range want {
			want[i].Requested = want[i].Requested.UTC()
		}
		putAll(f, intake.Requests, want)
		putAll(f, intake.Requests,
			[]libraries.Request{request(3, 3, at.Add(-time.Microsecond)), request(3, 3, last.Add(time.Microsecond))})
		f.put(f.other, intake.Requests.Table, intake.Requests.Values(request(4, 4, at)))
		got, err := f.Requests(t.Context(), f.a, calendar.Period{Start: firstDay + 1, End: firstDay + 2})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Requests =\n%v, %v, want\n%v", got, err, want)
		}
	})
}

// TestChannels reads channels by day, then in the order of the specification.
func TestChannels(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		var all []libraries.ChannelDay
		for day := firstDay; day < firstDay+4; day++ {
			for c := libraries.WebMobile; c <= libraries.App; c++ {
				all = append(all, libraries.ChannelDay{Day: day, Channel: c, Sessions: int64(day) * int64(c), Estimated: c == libraries.App})
			}
		}
		putAll(f, intake.Channels, all)
		f.put(f.other, intake.Channels.Table, intake.Channels.Values(libraries.ChannelDay{Day: firstDay + 9, Channel: libraries.App}))
		if got, err := f.Channels(t.Context(), f.a, always); err != nil || !slices.Equal(got, all) {
			t.Errorf("Channels = %v, %v, want %v", got, err, all)
		}
		if got, err := f.Channels(t.Context(), f.a, calendar.Period{Start: firstDay + 1, End: firstDay + 2}); err != nil || !slices.Equal(got, all[4:12]) {
			t.Errorf("Channels of two days = %v, %v, want %v", got, err, all[4:12])
		}
	})
}
