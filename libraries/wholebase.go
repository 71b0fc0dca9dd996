package libraries

import (
	"context"
	"fmt"

	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// wholeBase are the blocks of a summary that no filter cuts, but for the channels.
type wholeBase struct {
	consumption  DayCounts
	formats      Formats
	reservations ReservationTotals
	stock        StockTotals
	deleted      DeletedUsers
	profile      CatalogueProfile
	monthly      []Month
}

// Bytes returns about the memory that the blocks hold.
func (w *wholeBase) Bytes() int {
	n := 600 + 16*len(w.deleted.Daily) + 16*len(w.deleted.Monthly) + 120*len(w.monthly)
	for _, items := range [][]ProfileItem{w.profile.Categories, w.profile.Subjects, w.profile.Origins} {
		n += 32 * len(items)
	}
	return n
}

// wholeBase returns the blocks for a period.
func (r *Reports) wholeBase(ctx context.Context, a Access, period calendar.Period, now calendar.Date) (*wholeBase, error) {
	return state.Load(ctx, r.Cache, key(a, "summary base", period, now), func(ctx context.Context) (*wholeBase, error) {
		return r.countBase(ctx, a, period, now)
	})
}

func (r *Reports) countBase(ctx context.Context, a Access, period calendar.Period, now calendar.Date) (*wholeBase, error) {
	var in struct {
		days      Days
		readers   *Readers
		titles    *Catalogue
		holdings  Holdings
		sums      titleSums
		listeners int64
		stock     *stock
	}
	known := r.since(period)
	err := state.Together(
		func() (err error) { in.days, err = r.daysIn(ctx, a, known); return err },
		func() (err error) { in.readers, err = r.readers(ctx, a); return err },
		func() (err error) { in.titles, err = r.catalogue(ctx, a); return err },
		func() (err error) { in.holdings, err = r.holdings(ctx, a); return err },
		func() (err error) { in.sums, err = r.titleSums(ctx, a, known); return err },
		func() (err error) { in.listeners, err = r.listeners(ctx, a, known); return err },
		func() (err error) { in.stock, err = r.stock(ctx, a); return err },
	)
	if err != nil {
		return nil, err
	}
	sums := in.days.sum()
	w := &wholeBase{
		consumption: in.days.counts(),
		formats:     formatsOf(in.titles, in.sums),
		stock:       in.stock.totals(in.holdings),
		deleted:     in.readers.deleted(r.history(), now),
		profile:     in.titles.profile(in.sums, r.history()),
		monthly:     in.days.monthly(Months(period, r.history(), now)),
	}
	w.formats.Listeners, w.formats.ListeningSeconds = in.listeners, sums[ListeningSeconds]
	w.reservations = ReservationTotals{
		Active: w.stock.ActiveReservations, Converted: sums[ConvertedThatDay],
		Cancelled: w.consumption.Cancelled, Lost: w.consumption.Lost,
	}
	return w, nil
}

// counts returns the counts of all days.
func (d *Days) counts() (counts DayCounts) {
	for i := range d.Totals {
		counts.add(&d.Totals[i].Counts)
	}
	return counts
}

// monthly returns the sums of the parts of months.
func (d *Days) monthly(months []calendar.Period) []Month {
	list := make([]Month, len(months))
	for i, month := range months {
		days := d.In(month)
		list[i] = Month{month, days.sum()}
	}
	return list
}

// formatsOf counts the titles, and their loans, by the formats that they have: each once, one without either in none
// (L20).
func formatsOf(titles *Catalogue, sums titleSums) (f Formats) {
	for rank := range titles.Titles {
		b := &titles.Titles[rank].Book
		loans := sums[rank][Loans]
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
type titleSums []Measures

// Bytes returns the memory that the sums hold.
func (s titleSums) Bytes() int { return 8 * int(Metrics) * cap(s) }

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
		err = r.visitSheets(ctx, a, TitleSheets, period, func(visitor int, day calendar.Date, data []byte) error {
			if err := sums[visitor].add(titles, data); err != nil {
				return fmt.Errorf("titles of %s: %w", day, err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for rank := range sums[0] {
			for _, other := range sums[1:] {
				sums[0][rank].Add(&other[rank])
			}
		}
		return sums[0], nil
	})
}

// add adds a stored sheet.
func (s titleSums) add(titles *Catalogue, data []byte) error {
	rank := 0
	var missing error
	err := VisitTitles(data, func(t TitleDay) {
		if missing != nil {
			return
		}
		if rank, missing = titles.rankFrom(rank, t.Book); missing == nil {
			s[rank].Add(&t.Sums)
		}
	})
	if err != nil {
		return err
	}
	return missing
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
	err = r.visitSheets(ctx, a, ReaderSheets, period, func(visitor int, day calendar.Date, data []byte) error {
		if err := readers.addListeners(found[visitor], data); err != nil {
			return fmt.Errorf("readers of %s: %w", day, err)
		}
		return nil
	})
	for _, other := range found[1:] {
		found[0].join(other)
	}
	return found[0].count(), err
}

// addListeners adds the ranks of those who listened on a day.
func (r *Readers) addListeners(to bitset, data []byte) error {
	sheet, ids, err := openReaders(data)
	if err != nil {
		return err
	}
	return sheet.Column(ListeningSessions, func(place int, _ int64) {
		if rank, ok := r.Rank(ids[place]); ok {
			to.add(rank)
		}
	})
}
