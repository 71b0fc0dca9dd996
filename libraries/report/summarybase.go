package report

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// Bytes returns about the memory of the parts that [Reports.baseSummary] makes.
func (s *Summary) Bytes() int {
	n := 600 + 16*len(s.Deleted.Daily) + 16*len(s.Deleted.Monthly) + 120*len(s.Monthly)
	return n + 32*(len(s.Profile.Categories)+len(s.Profile.Subjects)+len(s.Profile.Origins))
}

// baseSummary returns the parts of a summary that no filter narrows, except the channels.
func (r *Reports) baseSummary(ctx context.Context, a Access, period calendar.Period, now calendar.Date) (*Summary, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "summary base", period, now), func(ctx context.Context) (*Summary, error) {
		return r.countBase(ctx, a, period, now)
	})
}

func (r *Reports) countBase(ctx context.Context, a Access, period calendar.Period, now calendar.Date) (*Summary, error) {
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
	s := &Summary{
		Formats: formatsOf(t.titles, byTitle),
		Stock:   stock.totals(t.counted.Titles),
		Deleted: t.readers.deletedUsers(r.history(), now),
		Profile: t.titles.profile(byTitle, r.history()),
	}
	for i := range days.Totals {
		s.Consumption.Add(&days.Totals[i].Counts)
	}
	for _, month := range libraries.Months(period, r.history(), now) {
		part := days.In(month)
		s.Monthly = append(s.Monthly, Month{month, sumOf(&part)})
	}
	s.Formats.Listeners, s.Formats.ListeningSeconds = listeners, sums[metric.ListeningSeconds]
	s.Reservations = ReservationTotals{
		Active: s.Stock.ActiveReservations, Converted: sums[metric.ConvertedThatDay],
		Cancelled: s.Consumption.Cancelled, Lost: s.Consumption.Lost,
	}
	return s, nil
}

// formatsOf counts titles and their loans by format (L20). A title without an e-book or audiobook is not counted.
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

// titleSums has the sums of a period by the ranks of the titles.
type titleSums []metric.Measures

// Bytes returns the memory that the sums take.
func (s titleSums) Bytes() int { return 8 * int(metric.Metrics) * cap(s) }

// titleSums returns the sums of a period.
func (r *Reports) titleSums(ctx context.Context, a Access, period calendar.Period) (titleSums, error) {
	return snapshot.Load(ctx, r.Cache, key(a, "title sums", period), func(ctx context.Context) (titleSums, error) {
		titles, err := r.catalogue(ctx, a)
		if err != nil {
			return nil, err
		}
		var sums [scanWorkers]titleSums
		var buffers [scanWorkers]facts.DayOfTitles
		for worker := range sums {
			sums[worker] = make(titleSums, len(titles.Titles))
		}
		err = r.scanDays(ctx, a, facts.DayOfTitlesKind, period, func(worker int, _ calendar.Date, data []byte) error {
			return sums[worker].add(titles, data, &buffers[worker])
		})
		for rank := range sums[0] {
			for _, other := range sums[1:] {
				sums[0][rank].Add(&other[rank])
			}
		}
		return sums[0], err
	})
}

// add adds a stored day, which it opens as day.
func (s titleSums) add(titles *Catalogue, data []byte, day *facts.DayOfTitles) error {
	if err := packed.Open(data, day); err != nil {
		return err
	}
	ranks, err := titles.ranks(make([]int32, 0, len(day.IDs)), day.IDs)
	for m := metric.Metric(0); m < metric.Metrics && err == nil; m++ {
		err = day.Column(m, func(place int, value int64) { s[ranks[place]][m] += value })
	}
	return err
}

// listeners counts the readers who listened in a period, for however long (L20).
func (r *Reports) listeners(ctx context.Context, a Access, readers *Readers, period calendar.Period) (int64, error) {
	var found [scanWorkers]set
	var buffers [scanWorkers]facts.DayOfReaders
	err := r.scanDays(ctx, a, facts.DayOfReadersKind, period, func(worker int, _ calendar.Date, data []byte) error {
		day := &buffers[worker]
		if err := packed.Open(data, day); err != nil {
			return err
		}
		return day.Column(metric.ListeningSessions, func(place int, _ int64) {
			if rank, ok := readers.Rank(day.IDs[place]); ok {
				found[worker].add(rank)
			}
		})
	})
	for _, other := range found[1:] {
		found[0].join(other)
	}
	return found[0].count(), err
}

// deletedUsers counts the accounts that were deactivated or deleted since the history began (L12).
func (r *Readers) deletedUsers(history, now calendar.Date) DeletedUsers {
	var d DeletedUsers
	days := map[calendar.Date]int64{}
	for rank, day := range r.deleted {
		if !r.statuses[rank].CountsAsDeleted(day, history) {
			continue
		}
		d.Total++
		if r.statuses[rank] == libraries.ReaderDeactivated && r.loans[rank] > 0 {
			d.WithLoans++
		}
		days[day]++
	}
	last := libraries.LastDays(now)
	for day := last.Start; day <= last.End; day++ {
		d.Daily = append(d.Daily, DayCount{day, days[day]})
		d.Last30Days += days[day]
	}
	for _, month := range libraries.Months(calendar.Period{Start: history, End: now}, history, now) {
		n := int64(0)
		for day := month.Start; day <= month.End; day++ {
			n += days[day]
		}
		d.Monthly = append(d.Monthly, DayCount{month.Start, n})
	}
	return d
}

// profile counts titles and their loans in a period, by category, subject, origin and material (L20).
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

// count counts a title with its loans if the item has it.
func (p *ProfileItem) count(is bool, loans int64) {
	if is {
		p.Titles++
		p.Loans += loans
	}
}

// profiled has the items of a list by identifier.
type profiled map[int64]*ProfileItem

// count counts a title with its loans in each of the items.
func (p profiled) count(loans int64, ids ...int64) {
	for _, id := range ids {
		if p[id] == nil {
			p[id] = new(ProfileItem)
		}
		p[id].count(true, loans)
	}
}

// items returns the items: most titles first, then by folded name, then by identifier.
func (p profiled) items(name func(id int64) string) []ProfileItem {
	for id, item := range p {
		item.Name = name(id)
	}
	ids := slices.Collect(maps.Keys(p))
	sortByName(ids, func(id int64) (string, int64) { return p[id].Name, id })
	slices.SortStableFunc(ids, func(a, b int64) int { return cmp.Compare(p[b].Titles, p[a].Titles) })
	items := make([]ProfileItem, len(ids))
	for i, id := range ids {
		items[i] = *p[id]
	}
	return items
}
