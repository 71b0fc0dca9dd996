package report_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// source is an analytics source that answers with days, or with an error.
type source struct {
	days  []libraries.ChannelDay
	err   error
	calls int
}

func (s *source) Channels(_ context.Context, _ report.Access, p calendar.Period) ([]libraries.ChannelDay, error) {
	s.calls++
	return only(s.days, func(d libraries.ChannelDay) bool { return p.Contains(d.Day) }), s.err
}

// threeChannels returns three rows of sessions, on two days.
func threeChannels() []libraries.ChannelDay {
	return []libraries.ChannelDay{
		{Day: history, Channel: libraries.WebMobile, Sessions: 4}, {Day: history, Channel: libraries.App, Sessions: 5, Estimated: true},
		{Day: history + 1, Channel: libraries.WebMobile, Sessions: 6},
	}
}

func TestChannelDays(t *testing.T) {
	all := threeChannels()
	both := calendar.Period{Start: history, End: history + 1}
	for _, tt := range []struct {
		rule string
		q    report.ChannelQuery
		want []libraries.ChannelDay
	}{
		{"every channel", report.ChannelQuery{Period: both}, all},
		{"the period", report.ChannelQuery{Period: calendar.Period{Start: history + 1, End: history + 2}}, all[2:]},
		{"one channel", report.ChannelQuery{Period: both, Channel: libraries.WebMobile}, []libraries.ChannelDay{all[0], all[2]}},
		{"a channel without sessions", report.ChannelQuery{Period: both, Channel: libraries.WebTablet}, nil},
	} {
		s := newListStore(t, 51, 0)
		s.channels = all
		for name, r := range map[string]*report.Reports{
			"the feed": {Store: s}, "a source": {Store: newListStore(t, 52, 0), Channels: &source{days: all}},
		} {
			l, err := r.ChannelDays(t.Context(), s.access(), tt.q)
			if err != nil || !slices.Equal(l.Rows, tt.want) || l.Total != int64(len(tt.want)) {
				t.Errorf("%s from %s = %+v, %v, want %+v", tt.rule, name, l, err, tt.want)
			}
		}
	}
}

// TestChannelsOfASilentSource tests that the answer is ErrChannels if the source fails, and that the next call asks again.
func TestChannelsOfASilentSource(t *testing.T) {
	s := newListStore(t, 53, 0)
	silent := &source{days: threeChannels(), err: report.ErrChannels}
	r := report.Reports{Store: s, Cache: &keepAll{}, Channels: silent}
	q := report.ChannelQuery{Period: calendar.Period{Start: history, End: history + 1}}
	for range 2 {
		if l, err := r.ChannelDays(t.Context(), s.access(), q); !errors.Is(err, report.ErrChannels) || l.Rows != nil {
			t.Errorf("channels = %+v, %v, want ErrChannels", l, err)
		}
	}
	if silent.calls != 2 {
		t.Errorf("two calls asked the source %d times, want 2", silent.calls)
	}
	silent.err = nil
	if l, err := r.ChannelDays(t.Context(), s.access(), q); err != nil || l.Total != 3 {
		t.Errorf("channels = %+v, %v, want 3 rows once the source answers again", l, err)
	}
}
