package report

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Summary is the answer of summary, block by block.
type Summary struct {
	Hour           libraries.Hour
	General        General
	Consumption    metric.DayCounts // its sessions and seconds by mode
	Channels       ChannelTotals
	Formats        Formats
	Reservations   ReservationTotals
	Stock          StockTotals
	Deleted        DeletedUsers
	Profile        CatalogueProfile
	Monthly        []Month
	Breakdown      []Group // the page's groups; of none without GroupBy
	BreakdownTotal int64
}

// General is data.general, of the whole base or of a group.
type General struct {
	RegisteredUsers, UsersWithLogin int64
	DistinctBooks                   int64
	ActiveReservations              int64
	// Sums has the others: logins, loans, returns, readings10, readings50, previews, readingSeconds, renewals, reservations,
	// and convertedReservations as ReservationsConverted.
	Sums metric.Measures
}

// ActiveLoans returns the loans minus the returns of the period.
func (g *General) ActiveLoans() int64 {
	return libraries.ActiveLoans(g.Sums[metric.Loans], g.Sums[metric.Returns])
}

// ChannelTotals is data.channels.
type ChannelTotals struct {
	Available, AppEstimated      bool
	App, Mobile, Desktop, Tablet int64
}

// Bytes returns the memory that the totals hold.
func (ChannelTotals) Bytes() int { return 40 }

// Split counts titles, or loans, by format.
type Split struct{ EbookOnly, AudiobookOnly, Both int64 }

// Formats is data.formats.
type Formats struct {
	Catalogue, Loans            Split
	Listeners, ListeningSeconds int64
}

// ReservationTotals is data.reservationsByStatus.
type ReservationTotals struct{ Active, Converted, Cancelled, Lost int64 }

// StockTotals is data.stock.
type StockTotals struct {
	ActiveLoans, Readings, Possible int64
	Percentage                      stock.Fraction
	ActiveReservations              int64
	Histogram                       [stock.Bands]int64
}

// DeletedUsers is data.deletedUsers. WithLoans counts the deactivated readers alone, who have had a loan (L12).
type DeletedUsers struct {
	Total, Last30Days, WithLoans int64
	Daily                        []DayCount
	Monthly                      []MonthCount
}

// DayCount is a count of one day.
type DayCount struct {
	Day   calendar.Date
	Total int64
}

// MonthCount is a count of one month, which is shown by MonthOf its first day.
type MonthCount struct {
	First calendar.Date
	Total int64
}

// ProfileItem is an entry of data.catalogProfile.
type ProfileItem struct {
	Name          string
	Titles, Loans int64
}

// CatalogueProfile is data.catalogProfile. Video is nil unless some title is one.
type CatalogueProfile struct {
	Categories, Subjects, Origins []ProfileItem
	Ebook, Audiobook              ProfileItem
	Video                         *ProfileItem
}

// Month is an entry of data.monthly: the part of a month that lies in the period.
type Month struct {
	Period calendar.Period
	Sums   metric.Measures
}

// Group is an entry of data.breakdown. Key is empty in the group of readers without the value.
type Group struct {
	Key, Label string
	Metrics    General
}

// Summary answers summary; the page is that of the breakdown, and is not read where there is none. Its lists are shared and must not be changed. Each part is kept
// for all queries that share it.
func (r *Reports) Summary(ctx context.Context, a Access, q SummaryQuery, p paging.Page) (*Summary, error) {
	now := q.Today
	if a.Hour != 0 {
		now = a.Hour.Day()
	}
	var of people
	var base *unfiltered
	var channels ChannelTotals
	err := state.Together(
		func() (err error) { of, err = r.people(ctx, a, q); return err },
		func() (err error) { base, err = r.unfiltered(ctx, a, q.Period, now); return err },
		func() (err error) { channels, err = r.channelTotals(ctx, a, q.Period); return err },
	)
	if err != nil {
		return nil, err
	}
	var breakdown page[Group]
	if q.GroupBy != 0 {
		if breakdown, err = pageOf(of.groups, p); err != nil {
			return nil, err
		}
	}
	return &Summary{
		Hour: a.Hour, General: of.general, Consumption: base.consumption, Channels: channels, Formats: base.formats,
		Reservations: base.reservations, Stock: base.stock, Deleted: base.deleted, Profile: base.profile,
		Monthly: base.monthly, Breakdown: breakdown.rows, BreakdownTotal: breakdown.total,
	}, nil
}

// channelTotals returns the sessions of a period by channel, none where their source does not answer now (L13). Only those of
// the feed are kept: a source of its own has hours that are not the state's, and keeps its answers itself.
func (r *Reports) channelTotals(ctx context.Context, a Access, period calendar.Period) (ChannelTotals, error) {
	if r.Channels == nil {
		return state.Load(ctx, r.Cache, key(a, "channel totals", period), func(ctx context.Context) (ChannelTotals, error) {
			days, err := r.Store.Channels(ctx, a, period)
			return totalChannels(days), err
		})
	}
	days, err := r.Channels.Channels(ctx, a, period)
	if errors.Is(err, ErrChannels) {
		return ChannelTotals{}, nil
	}
	if err != nil {
		return ChannelTotals{}, err
	}
	return totalChannels(days), nil
}

// saturated returns the sum of two numbers that are not negative, or the largest int64 where that is larger.
func saturated(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }

// Web returns the sessions of the three web channels together. Where a sum is too large, it is the largest int64.
func (t ChannelTotals) Web() int64 { return saturated(saturated(t.Mobile, t.Desktop), t.Tablet) }

// Total returns the sessions of all channels.
func (t ChannelTotals) Total() int64 { return saturated(t.Web(), t.App) }

// totalChannels adds up the rows of a source that answered.
func totalChannels(days []libraries.ChannelDay) ChannelTotals {
	t := ChannelTotals{Available: true}
	for _, d := range days {
		switch d.Channel {
		case libraries.WebMobile:
			t.Mobile = saturated(t.Mobile, d.Sessions)
		case libraries.WebDesktop:
			t.Desktop = saturated(t.Desktop, d.Sessions)
		case libraries.WebTablet:
			t.Tablet = saturated(t.Tablet, d.Sessions)
		case libraries.App:
			t.App = saturated(t.App, d.Sessions)
			t.AppEstimated = true // all rows of it are (L13)
		}
	}
	return t
}

// ChannelDays answers the sessions by channel: every row of the period, by date, then channel. The error is ErrChannels
// where their source does not answer. Nothing is kept here: a source that is slow keeps its own good answers (L13).
func (r *Reports) ChannelDays(ctx context.Context, a Access, q ChannelQuery) (List[libraries.ChannelDay], error) {
	return listed(a, func() (page[libraries.ChannelDay], error) {
		source := cmp.Or(r.Channels, ChannelSource(r.Store))
		days, err := source.Channels(ctx, a, q.Period)
		if err != nil {
			return page[libraries.ChannelDay]{}, err
		}
		var rows []libraries.ChannelDay
		for _, d := range days {
			if q.Channel == 0 || d.Channel == q.Channel {
				rows = append(rows, d)
			}
		}
		return page[libraries.ChannelDay]{rows, int64(len(rows))}, nil
	})
}
