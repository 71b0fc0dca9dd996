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
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// SummaryQuery has the parameters of a summary. Filter and NewUsers apply only to general and breakdown.
type SummaryQuery struct {
	Period   calendar.Period
	Filter   ReaderFilter
	NewUsers bool // only readers registered in the period
	GroupBy  GroupBy
	// Today is used in place of the snapshot's day before the first load.
	Today calendar.Date
}

// ReaderFilter narrows a report by the readers' present attributes. Its zero value narrows nothing. A reader without the
// attribute matches no value; a gender that is not canonical, none either.
type ReaderFilter struct {
	Library, AgeGroup   *int64
	State, City, Gender *string
}

// GroupBy says by which attribute a summary's breakdown groups. The zero GroupBy makes none.
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

// ChannelQuery is what the dataset channels is asked. The zero Channel is every one.
type ChannelQuery struct {
	Period  calendar.Period
	Channel libraries.Channel
}

// Summary is the answer of summary, block by block.
type Summary struct {
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
	of, err := r.readerSummary(ctx, a, q)
	if err != nil {
		return nil, err
	}
	base, err := r.baseSummary(ctx, a, q.Period, now)
	if err != nil {
		return nil, err
	}
	channels, err := r.channelTotals(ctx, a, q.Period)
	if err != nil {
		return nil, err
	}
	var breakdown paging.List[Group]
	if q.GroupBy != 0 {
		if breakdown, err = paging.ListOf(of.groups, p); err != nil {
			return nil, err
		}
	}
	return &Summary{
		General: of.general, Consumption: base.consumption, Channels: channels, Formats: base.formats,
		Reservations: base.reservations, Stock: base.stock, Deleted: base.deleted, Profile: base.profile,
		Monthly: base.monthly, Breakdown: breakdown.Rows, BreakdownTotal: breakdown.Total,
	}, nil
}

// channelTotals returns the sessions of a period by channel, none where their source does not answer now (L13). They are not
// kept: a source of its own has hours that are not the state's, and keeps its answers itself.
func (r *Reports) channelTotals(ctx context.Context, a Access, period calendar.Period) (ChannelTotals, error) {
	days, err := cmp.Or(r.Channels, ChannelSource(r.Store)).Channels(ctx, a, period)
	if errors.Is(err, ErrChannels) {
		return ChannelTotals{}, nil
	}
	return totalChannels(days), err
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
func (r *Reports) ChannelDays(ctx context.Context, a Access, q ChannelQuery) (paging.List[libraries.ChannelDay], error) {
	days, err := cmp.Or(r.Channels, ChannelSource(r.Store)).Channels(ctx, a, q.Period)
	if err != nil {
		return paging.List[libraries.ChannelDay]{}, err
	}
	var rows []libraries.ChannelDay
	for _, d := range days {
		if q.Channel == 0 || d.Channel == q.Channel {
			rows = append(rows, d)
		}
	}
	return paging.List[libraries.ChannelDay]{Rows: rows, Total: int64(len(rows))}, nil
}
