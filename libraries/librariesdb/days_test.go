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
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// putDay puts a day with the given forms.
func (f *fixture) putDay(n libraries.NetworkID, day calendar.Date, forms facts.DayForms) {
	f.Helper()
	for kind, data := range map[state.Kind][]byte{
		facts.TotalsKind: forms.Totals, facts.ReaderSheetKind: forms.Readers,
		facts.TitleSheetKind: forms.Titles, facts.LoginSheetKind: forms.Logins,
	} {
		if len(data) > 0 {
			f.putBlocks(n, kind, blockOf(day, data))
		}
	}
}

// forms are those of a day with so many previews of one reader.
func forms(tb testing.TB, day calendar.Date, previews int64) facts.DayForms {
	tb.Helper()
	d := &facts.Day{}
	if err := d.Add([]facts.DayDelta{{Day: day, Reader: 1, Previews: previews}}); err != nil {
		tb.Fatal(err)
	}
	forms, ok := d.Forms()
	if !ok {
		tb.Fatal("nothing is left of a day with previews")
	}
	return forms
}

func TestDays(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		for i, day := range []calendar.Date{firstDay + 5, firstDay, firstDay + 2} {
			f.putDay(f.a.Network, day, forms(t, day, int64(1+i)))
		}
		f.putDay(f.other, firstDay+1, forms(t, firstDay+1, 9))
		days, err := folded(f).Days(t.Context(), f.a)
		if err != nil {
			t.Fatal(err)
		}
		if want := []calendar.Date{firstDay, firstDay + 2, firstDay + 5}; !slices.Equal(days.Dates, want) {
			t.Fatalf("the days are %v, want %v", days.Dates, want)
		}
		for i, want := range []int64{2, 3, 1} {
			if got := days.Totals[i].Sums[metric.Previews]; got != want {
				t.Errorf("%s has %d previews, want %d", days.Dates[i], got, want)
			}
		}
		f.putDay(f.a.Network, firstDay+3, facts.DayForms{Totals: []byte{255}})
		if days, err := folded(f).Days(t.Context(), f.a); err == nil {
			t.Errorf("with corrupt totals the days are %+v", days)
		}
	})
}

// TestSheets reads each kind of sheet of a period: its first and last day, not those beside them, nor days without.
func TestSheets(t *testing.T) {
	kinds := map[state.Kind]string{facts.ReaderSheetKind: "readers", facts.TitleSheetKind: "titles", facts.LoginSheetKind: "logins"}
	eachEngine(t, func(t *testing.T, f *fixture) {
		for day := firstDay; day < firstDay+6; day++ {
			if day == firstDay+2 || day == firstDay+3 {
				continue
			}
			sheet := func(kind string) []byte { return fmt.Append(nil, kind, " of ", day) }
			f.putDay(f.a.Network, day, facts.DayForms{Totals: []byte{}, Readers: sheet("readers"), Titles: sheet("titles"), Logins: sheet("logins")})
			f.putDay(f.other, day, facts.DayForms{Totals: []byte{}, Readers: []byte("x"), Titles: []byte("x"), Logins: []byte("x")})
		}
		for kind, name := range kinds {
			sheets, err := folded(f).Sheets(t.Context(), f.a, kind, calendar.Period{Start: firstDay + 1, End: firstDay + 4})
			if err != nil {
				t.Fatal(err)
			}
			want := report.Sheets{firstDay + 1: fmt.Append(nil, name, " of ", firstDay+1), firstDay + 4: fmt.Append(nil, name, " of ", firstDay+4)}
			if !maps.EqualFunc(sheets, want, slices.Equal[[]byte]) {
				t.Errorf("the %s are %q, want %q", name, sheets, want)
			}
		}
		if sheets, err := folded(f).Sheets(t.Context(), f.a, facts.TitleSheetKind, calendar.Period{Start: firstDay + 4, End: firstDay + 1}); err != nil || len(sheets) != 0 {
			t.Errorf("sheets of no days = %q, %v", sheets, err)
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
