package librariesdb

import (
	"slices"
	"testing"
	"time"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// TestRequests tests that Requests returns those of the period, by instant, then identifier, then reader.
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

// TestChannels tests that Channels returns those of the period, by day, then in the order of the specification.
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
