package report

import (
	"cmp"
	"context"
	"fmt"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// unfiltered are the blocks of a summary that no filter cuts, but for the channels.
type unfiltered struct {
	consumption  metric.DayCounts
	formats      Formats
	reservations ReservationTotals
	stock        StockTotals
	deleted      DeletedUsers
	profile      CatalogueProfile
	monthly      []Month
}

// Bytes returns about the memory that the blocks hold.
func (w *unfiltered) Bytes() int {
	n := 600 + 16*len(w.deleted.Daily) + 16*len(w.deleted.Monthly) + 120*len(w.monthly)
	for _, items := range [][]ProfileItem{w.profile.Categories, w.profile.Subjects, w.profile.Origins} {
		n += 32 * len(items)
	}
	return n
}

// unfiltered returns the blocks for a period.
func (r *Reports) unfiltered(ctx context.Context, a Access, period calendar.Period, now calendar.Date) (*unfiltered, error) {
	return state.Load(ctx, r.Cache, key(a, "summary base", period, now), func(ctx context.Context) (*unfiltered, error) {
		return r.countUnfiltered(ctx, a, period, now)
	})
}

func (r *Reports) countUnfiltered(ctx context.Context, a Access, period calendar.Period, now calendar.Date) (*unfiltered, error) {
	var in struct {
		days      facts.Days
		readers   *Readers
		titles    *Catalogue
		counts    facts.CountsByTitle
		sums      titleSums
		listeners int64
		stock     *stockRows
	}
	known := r.since(period)
	err := state.Together(
		func() (err error) { in.days, err = r.daysIn(ctx, a, known); return err },
		func() (err error) { in.readers, err = r.readers(ctx, a); return err },
		func() (err error) { in.titles, err = r.catalogue(ctx, a); return err },
		func() (err error) { in.counts, err = r.titleCounts(ctx, a); return err },
		func() (err error) { in.sums, err = r.titleSums(ctx, a, known); return err },
		func() (err error) { in.listeners, err = r.listeners(ctx, a, known); return err },
		func() (err error) { in.stock, err = r.stock(ctx, a); return err },
	)
	if err != nil {
		return nil, err
	}
	sums := sumOf(&in.days)
	w := &unfiltered{
		consumption: countsIn(&in.days),
		formats:     formatsOf(in.titles, in.sums),
		stock:       in.stock.totals(in.counts),
		deleted:     in.readers.deleted(r.history(), now),
		profile:     in.titles.profile(in.sums, r.history()),
		monthly:     monthly(&in.days, libraries.Months(period, r.history(), now)),
	}
	w.formats.Listeners, w.formats.ListeningSeconds = in.listeners, sums[metric.ListeningSeconds]
	w.reservations = ReservationTotals{
		Active: w.stock.ActiveReservations, Converted: sums[metric.ConvertedThatDay],
		Cancelled: w.consumption.Cancelled, Lost: w.consumption.Lost,
	}
	return w, nil
}

// countsIn returns the counts of all days.
func countsIn(d *facts.Days) (counts metric.DayCounts) {
	for i := range d.Totals {
		counts.Add(&d.Totals[i].Counts)
	}
	return counts
}

// monthly returns the sums of the parts of months.
func monthly(d *facts.Days, months []calendar.Period) []Month {
	list := make([]Month, len(months))
	for i, month := range months {
		days := d.In(month)
		list[i] = Month{month, sumOf(&days)}
	}
	return list
}

// formatsOf counts the titles, and their loans, by the formats that they have: each once, one without either in none
// (L20).
func formatsOf(titles *Catalogue, sums titleSums) (f Formats) {
	for rank := range titles.Titles {
		b := &titles.Titles[rank].Book
		loans := sums[rank][metric.Loans]
		switch {
		case b.HasEbook && b.HasAudiobook:
			f.Catalogue.Both++
			f.Loans.Both += loans
		case b.HasEbook:
			f.Catalogue.EbookOnly++
			f.Loans.EbookOnly += loans
		case b.HasAudiobook:
			f.Catalogue.AudiobookOnly++
			f.Loans.AudiobookOnly += loans
		}
	}
	return f
}

// titleSums are the sums of a period by the ranks of the titles.
type titleSums []metric.Measures

// Bytes returns the memory that the sums hold.
func (s titleSums) Bytes() int { return 8 * int(metric.Metrics) * cap(s) }

// titleSums returns the sums of a period.
func (r *Reports) titleSums(ctx context.Context, a Access, period calendar.Period) (titleSums, error) {
	return state.Load(ctx, r.Cache, key(a, "title sums", period), func(ctx context.Context) (titleSums, error) {
		titles, err := r.catalogue(ctx, a)
		if err != nil {
			return nil, err
		}
		var sums [visitors]titleSums
		for i := range sums {
			sums[i] = make(titleSums, len(titles.Titles))
		}
		err = r.visitSheets(ctx, a, facts.TitleSheetKind, period, func(visitor int, day calendar.Date, data []byte) error {
			if err := sums[visitor].add(titles, data); err != nil {
				return fmt.Errorf("titles of %s: %w", day, err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		all, others := sums[0], sums[1:]
		for rank := range all {
			for _, other := range others {
				all[rank].Add(&other[rank])
			}
		}
		return all, nil
	})
}

// add adds a stored sheet.
func (s titleSums) add(titles *Catalogue, data []byte) error {
	rank := 0
	var missing error
	err := facts.VisitTitles(data, func(t facts.TitleDay) {
		if missing == nil {
			rank, missing = titles.rankFrom(rank, t.Book)
		}
		if missing == nil {
			s[rank].Add(&t.Sums)
		}
	})
	return cmp.Or(err, missing)
}

// listeners counts the distinct readers who listened in a period, for however long (L20).
func (r *Reports) listeners(ctx context.Context, a Access, period calendar.Period) (int64, error) {
	readers, err := r.readers(ctx, a)
	if err != nil {
		return 0, err
	}
	var found [visitors]bitset
	for i := range found {
		found[i] = newBitset(len(readers.IDs))
	}
	err = r.visitSheets(ctx, a, facts.ReaderSheetKind, period, func(visitor int, day calendar.Date, data []byte) error {
		if err := readers.addListeners(found[visitor], data); err != nil {
			return fmt.Errorf("readers of %s: %w", day, err)
		}
		return nil
	})
	all := newBitset(len(readers.IDs))
	for _, some := range found {
		all.join(some)
	}
	return all.count(), err
}

// addListeners adds the ranks of those who listened on a day.
func (r *Readers) addListeners(to bitset, data []byte) error {
	sheet, ids, err := openReaders(data)
	if err != nil {
		return err
	}
	return sheet.Column(metric.ListeningSessions, func(place int, _ int64) {
		if rank, ok := r.Rank(ids[place]); ok {
			to.add(rank)
		}
	})
}

// deleted counts the readers whose accounts are gone since the history began (L12).
func (r *Readers) deleted(history, now calendar.Date) DeletedUsers {
	var d DeletedUsers
	since := calendar.Period{Start: history, End: now}
	days := map[calendar.Date]int64{}
	for _, g := range r.gone {
		if !r.statuses[g.rank].CountsAsDeleted(g.day, history) {
			continue
		}
		d.Total++
		if r.statuses[g.rank] == libraries.ReaderDeactivated && r.loans[g.rank] > 0 {
			d.WithLoans++
		}
		days[g.day]++
	}
	last := libraries.LastDays(now)
	for day := last.Start; day <= last.End; day++ {
		d.Daily = append(d.Daily, DayCount{day, days[day]})
		d.Last30Days += days[day]
	}
	for _, month := range libraries.Months(since, history, now) {
		n := int64(0)
		for day := month.Start; day <= month.End; day++ {
			n += days[day]
		}
		d.Monthly = append(d.Monthly, MonthCount{month.Start, n})
	}
	return d
}
