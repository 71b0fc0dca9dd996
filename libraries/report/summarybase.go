package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// unfiltered are the blocks of a summary that no filter cuts, but for the channels.
type baseSummary struct {
	consumption  metric.DayCounts
	formats      Formats
	reservations ReservationTotals
	stock        StockTotals
	deleted      DeletedUsers
	profile      CatalogueProfile
	monthly      []Month
}

// Bytes returns about the memory that the blocks hold.
func (w *baseSummary) Bytes() int {
	n := 600 + 16*len(w.deleted.Daily) + 16*len(w.deleted.Monthly) + 120*len(w.monthly)
	for _, items := range [][]ProfileItem{w.profile.Categories, w.profile.Subjects, w.profile.Origins} {
		n += 32 * len(items)
	}
	return n
}

// unfiltered returns the blocks for a period.
func (r *Reports) baseSummary(ctx context.Context, a Access, period calendar.Period, now calendar.Date) (*baseSummary, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "summary base", period, now), func(ctx context.Context) (*baseSummary, error) {
		return r.countBase(ctx, a, period, now)
	})
}

func (r *Reports) countBase(ctx context.Context, a Access, period calendar.Period, now calendar.Date) (*baseSummary, error) {
	known := r.since(period)
	t, err := r.tables(ctx, a)
	if err != nil {
		return nil, err
	}
	byTitle, err := r.titleSums(ctx, a, known)
	if err != nil {
		return nil, err
	}
	listeners, err := r.listeners(ctx, a, t.readers, known)
	if err != nil {
		return nil, err
	}
	stock, err := r.stock(ctx, a)
	if err != nil {
		return nil, err
	}
	days := t.counted.Days.In(known)
	sums := sumOf(&days)
	w := &baseSummary{
		consumption: countsIn(&days),
		formats:     formatsOf(t.titles, byTitle),
		stock:       stock.totals(t.counted.Titles),
		deleted:     t.readers.deleted(r.history(), now),
		profile:     t.titles.profile(byTitle, r.history()),
		monthly:     monthly(&days, libraries.Months(period, r.history(), now)),
	}
	w.formats.Listeners, w.formats.ListeningSeconds = listeners, sums[metric.ListeningSeconds]
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
	return snapshot.Load(ctx, r.Cache, key(a, "title sums", period), func(ctx context.Context) (titleSums, error) {
		titles, err := r.catalogue(ctx, a)
		if err != nil {
			return nil, err
		}
		var scanners [scanWorkers]titleScanner
		for i := range scanners {
			scanners[i] = titleScanner{catalogue: titles, sums: make(titleSums, len(titles.Titles))}
		}
		err = r.visitDays(ctx, a, facts.DayOfTitlesKind, period, func(visitor int, day calendar.Date, data []byte) error {
			if err := scanners[visitor].scan(data); err != nil {
				return fmt.Errorf("titles of %s: %w", day, err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		all := scanners[0].sums
		for rank := range all {
			for _, other := range scanners[1:] {
				all[rank].Add(&other.sums[rank])
			}
		}
		return all, nil
	})
}

// titleScanner sums the days of titles. Each visitor has its own.
type titleScanner struct {
	catalogue *Catalogue
	sums      titleSums
	day       facts.DayOfTitles // the one that is scanned
	ranks     []int32           // by place
}

// scan adds a stored day.
func (s *titleScanner) scan(data []byte) error {
	err := packed.Open(data, &s.day)
	if err != nil {
		return err
	}
	if s.ranks, err = s.catalogue.ranks(s.ranks[:0], s.day.IDs); err != nil {
		return err
	}
	for m := range metric.Metrics {
		if err := s.day.Column(m, func(place int, value int64) { s.sums[s.ranks[place]][m] += value }); err != nil {
			return err
		}
	}
	return nil
}

// listeners counts the distinct readers who listened in a period, for however long (L20).
func (r *Reports) listeners(ctx context.Context, a Access, readers *Readers, period calendar.Period) (int64, error) {
	var found [scanWorkers]set
	err := r.visitDays(ctx, a, facts.DayOfReadersKind, period, func(visitor int, day calendar.Date, data []byte) error {
		if err := readers.addListeners(&found[visitor], data); err != nil {
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
func (r *Readers) addListeners(to *set, data []byte) error {
	var day facts.DayOfReaders
	if err := packed.Open(data, &day); err != nil {
		return err
	}
	return day.Column(metric.ListeningSessions, func(place int, _ int64) {
		if rank, ok := r.Rank(day.IDs[place]); ok {
			to.add(rank)
		}
	})
}

// deleted counts the readers whose accounts are gone since the history began (L12).
func (r *Readers) deleted(history, now calendar.Date) DeletedUsers {
	var d DeletedUsers
	since := calendar.Period{Start: history, End: now}
	days := map[calendar.Date]int64{}
	for _, g := range r.inactive {
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

// profile counts titles, and their loans in a period, by what they are (L20).
func (c *Catalogue) profile(sums titleSums, history calendar.Date) CatalogueProfile {
	categories, subjects, origins := profiled{}, profiled{}, profiled{}
	var p CatalogueProfile
	var video ProfileItem
	for rank := range c.Titles {
		t := &c.Titles[rank]
		loans := sums[rank][metric.Loans]
		categories.count(loans, t.Book.Categories...)
		subjects.count(loans, t.Book.Subjects...)
		if origin := stock.CollectionOf(t.Lines, history); origin != 0 {
			origins.count(loans, int64(origin))
		}
		p.Ebook.count(t.Book.HasEbook, loans)
		p.Audiobook.count(t.Book.HasAudiobook, loans)
		video.count(t.Book.HasVideo, loans)
	}
	if video.Titles > 0 {
		p.Video = &video
	}
	p.Categories = categories.items(func(id int64) string { return c.Term(libraries.CategoryTerms, id) })
	p.Subjects = subjects.items(func(id int64) string { return c.Term(libraries.SubjectTerms, id) })
	p.Origins = origins.items(func(id int64) string { return stock.Collection(id).String() })
	return p
}

// count counts a title with its loans, if it is one of the item's.
func (p *ProfileItem) count(is bool, loans int64) {
	if is {
		p.Titles++
		p.Loans += loans
	}
}

// profiled has the items of a list by identifier.
type profiled map[int64]ProfileItem

// count counts a title in each of the items.
func (p profiled) count(loans int64, ids ...int64) {
	for _, id := range ids {
		item := p[id]
		item.count(true, loans)
		p[id] = item
	}
}

// items returns the items in their order: most titles first, then by folded name, then by identifier.
func (p profiled) items(name func(id int64) string) []ProfileItem {
	type entry struct {
		id     int64
		folded string
		item   ProfileItem
	}
	entries := make([]entry, 0, len(p))
	for id, item := range p {
		item.Name = name(id)
		entries = append(entries, entry{id, fold.Text(item.Name), item})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.item.Titles, a.item.Titles), cmp.Compare(a.folded, b.folded), cmp.Compare(a.id, b.id))
	})
	items := make([]ProfileItem, len(entries))
	for i, e := range entries {
		items[i] = e.item
	}
	return items
}
