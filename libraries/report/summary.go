package report

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// SummaryQuery has the parameters of a summary. Filter and NewUsers apply only to general and breakdown.
type SummaryQuery struct {
	Period   calendar.Period
	Filter   ReaderFilter
	NewUsers bool // only readers registered in the period
	GroupBy  GroupBy
	Today    calendar.Date // the day of the snapshot before the first load
}

// ReaderFilter narrows a report by present attributes of the readers. Its zero value selects all. A reader without the
// attribute matches no value, and a gender that is not canonical matches no reader.
type ReaderFilter struct {
	Library, AgeGroup   *int64
	State, City, Gender *string
}

// GroupBy is the attribute by which a summary's breakdown groups. The zero GroupBy makes no breakdown.
type GroupBy uint8

// The groupings, in the order of the specification.
const (
	ByLibrary GroupBy = iota + 1
	ByState
	ByCity
	ByAgeGroup
)

var groupings = [...]string{ByLibrary: "library", ByState: "state", ByCity: "city", ByAgeGroup: "ageGroup"}

// String returns the grouping's name in queries.
func (g GroupBy) String() string { return row.NameOf(groupings[:], "grouping", g) }

// ChannelQuery has the parameters of the dataset channels. The zero Channel selects all.
type ChannelQuery struct {
	Period  calendar.Period
	Channel libraries.Channel
}

// Summary is the answer of the route summary.
type Summary struct {
	General        General
	Consumption    metric.DayCounts // the sessions and seconds by mode
	Channels       ChannelTotals
	Formats        Formats
	Reservations   ReservationTotals
	Stock          StockTotals
	Deleted        DeletedUsers
	Profile        CatalogueProfile
	Monthly        []Month
	Breakdown      []Group // of the page; empty without GroupBy
	BreakdownTotal int64
}

// General is data.general, or the metrics of a group.
type General struct {
	RegisteredUsers, UsersWithLogin int64
	DistinctBooks                   int64
	ActiveReservations              int64
	// Sums has the other numbers. convertedReservations is ReservationsConverted.
	Sums metric.Measures
}

// ActiveLoans returns the loans of the period minus its returns, or 0 if that is below 0.
func (g *General) ActiveLoans() int64 {
	return libraries.ActiveLoans(g.Sums[metric.Loans], g.Sums[metric.Returns])
}

// ChannelTotals is data.channels.
type ChannelTotals struct {
	Available, AppEstimated      bool
	App, Mobile, Desktop, Tablet int64
}

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

// DeletedUsers is data.deletedUsers. WithLoans counts only deactivated readers who have had a loan (L12).
type DeletedUsers struct {
	Total, Last30Days, WithLoans int64
	Daily                        []DayCount
	Monthly                      []DayCount // by the first days of the months
}

// DayCount is a number of one day, or of the month that begins with it.
type DayCount struct {
	Day   calendar.Date
	Total int64
}

// ProfileItem is an entry of data.catalogProfile.
type ProfileItem struct {
	Name          string
	Titles, Loans int64
}

// CatalogueProfile is data.catalogProfile. Video is nil if no title has a video.
type CatalogueProfile struct {
	Categories, Subjects, Origins []ProfileItem
	Ebook, Audiobook              ProfileItem
	Video                         *ProfileItem
}

// Month is an entry of data.monthly: the part of a month that is in the period.
type Month struct {
	Period calendar.Period
	Sums   metric.Measures
}

// Group is an entry of data.breakdown. Key is empty for readers without the value.
type Group struct {
	Key, Label string
	Metrics    General
}

// Summary answers the route summary. The page is that of the breakdown, and is ignored without GroupBy. The lists are
// shared and must not be changed. Each part is cached for all queries that share it.
func (r *Reports) Summary(ctx context.Context, a Access, q SummaryQuery, p paging.Page) (*Summary, error) {
	now := q.Today
	if a.Hour != 0 {
		now = a.Hour.Day()
	}
	var readers readerSummary
	var base *Summary
	var channels ChannelTotals
	err := snapshot.Parallel(ctx,
		func(ctx context.Context) (err error) { readers, err = r.readerSummary(ctx, a, q); return err },
		func(ctx context.Context) (err error) { base, err = r.baseSummary(ctx, a, q.Period, now); return err },
		func(ctx context.Context) (err error) { channels, err = r.channelTotals(ctx, a, q.Period); return err },
	)
	if err != nil {
		return nil, err
	}
	s := *base
	s.General, s.Channels = readers.general, channels
	if q.GroupBy != 0 {
		breakdown, err := paging.ListOf(readers.groups, p)
		if err != nil {
			return nil, err
		}
		s.Breakdown, s.BreakdownTotal = breakdown.Rows, breakdown.Total
	}
	return &s, nil
}

// channelTotals returns the sessions of a period by channel, or none while their source is not available (L13). They are
// not cached here: an outside source has hours of its own, and caches its answers itself.
func (r *Reports) channelTotals(ctx context.Context, a Access, period calendar.Period) (ChannelTotals, error) {
	days, err := cmp.Or(r.Channels, ChannelSource(r.Store)).Channels(ctx, a, period)
	if errors.Is(err, ErrChannels) {
		return ChannelTotals{}, nil
	}
	return totalChannels(days), err
}

// saturated returns the sum of two numbers that are not negative. It stops at the largest int64.
func saturated(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }

// Web returns the sessions of the three web channels.
func (t ChannelTotals) Web() int64 { return saturated(saturated(t.Mobile, t.Desktop), t.Tablet) }

// Total returns the sessions of all channels.
func (t ChannelTotals) Total() int64 { return saturated(t.Web(), t.App) }

// totalChannels sums the rows of a source.
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
			t.AppEstimated = true // always (L13)
		}
	}
	return t
}

// ChannelDays answers the dataset channels: every row of the period, by date, then channel. The error is [ErrChannels]
// while their source is not available (L13).
func (r *Reports) ChannelDays(ctx context.Context, a Access, q ChannelQuery) (paging.List[libraries.ChannelDay], error) {
	days, err := cmp.Or(r.Channels, ChannelSource(r.Store)).Channels(ctx, a, q.Period)
	if err != nil {
		return paging.List[libraries.ChannelDay]{}, err
	}
	if q.Channel != 0 {
		days = slices.DeleteFunc(slices.Clone(days), func(d libraries.ChannelDay) bool { return d.Channel != q.Channel })
	}
	return paging.List[libraries.ChannelDay]{Rows: days, Total: int64(len(days))}, nil
}
