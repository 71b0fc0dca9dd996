package report_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/metric"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging"
	"github.com/lectern-dev/lectern/paging/fold"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
)

// wholePage is a page that has every row there is.
var wholePage = paging.Page{Number: 1, Size: 1000}

// firstDays is the period of the first days of the history.
func firstDays(n int) calendar.Period {
	return calendar.Period{Start: libraries.HistoryStart, End: libraries.HistoryStart + calendar.Date(n-1)}
}

// passes says whether a reader passes the filters of a query, attribute by attribute.
func passes(a facts.Attributes, q report.SummaryQuery) bool {
	f := q.Filter
	folds := func(want *string, have string) bool { // an empty text is the value of none (G7)
		return want == nil || have != "" && fold.Text(have) == fold.Text(*want)
	}
	return (f.Library == nil || a.Library == *f.Library && a.Library != libraries.None) &&
		(f.AgeGroup == nil || a.AgeGroup == *f.AgeGroup && a.AgeGroup != libraries.None) &&
		folds(f.State, a.State) && folds(f.City, a.City) && folds(f.Gender, a.Gender.String()) &&
		(!q.NewUsers || q.Period.Contains(a.Registered))
}

// slowGeneral counts what the chosen readers did, delta by delta.
func (n *network) slowGeneral(period calendar.Period, chosen func(facts.Attributes) bool) (g report.General) {
	in, users, titles := map[int64]bool{}, map[int64]bool{}, map[int64]bool{}
	for _, a := range n.readers {
		if in[a.ID] = chosen(a); in[a.ID] {
			g.RegisteredUsers++
			g.ActiveReservations += a.ActiveReservations
		}
	}
	for _, d := range n.deltas {
		if !in[d.Reader] || !period.Contains(d.Day) {
			continue
		}
		if d.Presence.Events > 0 {
			g.Sums[metric.Logins]++
			users[d.Reader] = true
		}
		g.Sums[metric.Previews] += d.Previews
		for _, b := range d.Books {
			for m := metric.Loans; m <= metric.ReservationsConverted; m++ {
				g.Sums[m] += b.Measures[m]
			}
			if b.Read {
				titles[b.Book] = true
			}
		}
	}
	g.UsersWithLogin, g.DistinctBooks = int64(len(users)), int64(len(titles))
	return g
}

// slowGroups makes the breakdown of a query group by group.
func (n *network) slowGroups(q report.SummaryQuery) []report.Group {
	of := func(a facts.Attributes) (key, label string) { return "", "" }
	named := func(v libraries.Vocabulary, id int64) (key, label string) {
		i := slices.IndexFunc(n.terms[v], func(t libraries.Term) bool { return t.ID == id })
		if i < 0 {
			return "", ""
		}
		return strconv.FormatInt(id, 10), n.terms[v][i].Name
	}
	switch q.GroupBy {
	case 0:
		return nil
	case report.ByLibrary:
		of = func(a facts.Attributes) (string, string) { return named(libraries.LibraryTerms, a.Library) }
	case report.ByAgeGroup:
		of = func(a facts.Attributes) (string, string) { return named(libraries.AgeGroupTerms, a.AgeGroup) }
	case report.ByState:
		of = func(a facts.Attributes) (string, string) { return a.State, a.State }
	case report.ByCity:
		of = func(a facts.Attributes) (string, string) { return a.City, a.City }
	}
	var groups []report.Group
	seen := map[string]bool{}
	for _, a := range n.readers {
		key, label := of(a)
		if !passes(a, q) || seen[key] {
			continue
		}
		seen[key] = true
		g := report.Group{Key: key, Label: label}
		if key == "" {
			g.Label = "Não informado"
		}
		g.Metrics = n.slowGeneral(q.Period, func(b facts.Attributes) bool {
			other, _ := of(b)
			return passes(b, q) && other == key
		})
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b report.Group) int {
		if a.Key == "" {
			return 1
		}
		if b.Key == "" {
			return -1
		}
		return cmp.Or(cmp.Compare(fold.Text(a.Label), fold.Text(b.Label)), cmp.Compare(a.Key, b.Key))
	})
	return groups
}

func randomPeriod(r *rand.Rand, days int) calendar.Period {
	a, b := calendar.Date(r.IntN(days+6)-3), calendar.Date(r.IntN(days+6)-3)
	return calendar.Period{Start: libraries.HistoryStart + min(a, b), End: libraries.HistoryStart + max(a, b)}
}

func randomSummary(r *rand.Rand, days int) report.SummaryQuery {
	q := report.SummaryQuery{
		Period: pickOne(r, randomPeriod(r, days), firstDays(days), firstDays(7)), NewUsers: r.IntN(3) == 0,
		GroupBy: report.GroupBy(r.IntN(5)),
	}
	if r.IntN(3) == 0 {
		q.Filter.Library = new(pickOne[int64](r, libraries.None, 2, 9, 10, 77))
	}
	if r.IntN(3) == 0 {
		q.Filter.AgeGroup = new(pickOne[int64](r, libraries.None, 1, 2, 3))
	}
	if r.IntN(4) == 0 {
		q.Filter.State = new(pickOne(r, "SP", "mg", "RJ", ""))
	}
	if r.IntN(4) == 0 {
		q.Filter.City = new(pickOne(r, "SAO  paulo", "Betim", "Não informado", ""))
	}
	if r.IntN(4) == 0 {
		q.Filter.Gender = new(pickOne(r, "Feminino", "não informado", "Other", ""))
	}
	return q
}

func show(q report.SummaryQuery) string {
	f := q.Filter
	return fmt.Sprintf("%s to %s, new %t, by %s, library %s, age group %s, state %s, city %s, gender %s",
		q.Period.Start, q.Period.End, q.NewUsers, q.GroupBy, text(f.Library), text(f.AgeGroup), text(f.State), text(f.City), text(f.Gender))
}

// TestSummaryOfReaders compares general and breakdown of many queries with counting delta by delta.
func TestSummaryOfReaders(t *testing.T) {
	const days = 45
	n := randomNetwork(t, 1, days)
	reports, r := n.reports(), rand.New(rand.NewPCG(1, 2))
	for range 600 {
		q := randomSummary(r, days)
		got, err := reports.Summary(t.Context(), n.access(), q, wholePage)
		if err != nil {
			t.Fatal(err)
		}
		want := n.slowGeneral(q.Period, func(a facts.Attributes) bool { return passes(a, q) })
		if got.General != want {
			t.Errorf("%s: general\n%+v, want\n%+v", show(q), got.General, want)
		}
		groups := n.slowGroups(q)
		if int64(len(groups)) != got.BreakdownTotal || len(groups) != len(got.Breakdown) {
			t.Fatalf("%s: %d groups, total %d, want %d", show(q), len(got.Breakdown), got.BreakdownTotal, len(groups))
		}
		for i, g := range got.Breakdown {
			w := groups[i]
			if g != w {
				t.Errorf("%s: group %d\n%+v, want\n%+v", show(q), i, g, w)
			}
		}
	}
}

// TestSummaryGroupsAddUp holds that what adds up of the groups is general, and that their pages join to the breakdown.
func TestSummaryGroupsAddUp(t *testing.T) {
	n := randomNetwork(t, 2, 20)
	reports := n.reports()
	for by := report.ByLibrary; by <= report.ByAgeGroup; by++ {
		q := report.SummaryQuery{Period: firstDays(20), GroupBy: by}
		var general report.General
		groups := pages(t, 2, func(p paging.Page) ([]report.Group, int64) {
			s, err := reports.Summary(t.Context(), n.access(), q, p)
			if err != nil {
				t.Fatal(err)
			}
			general = s.General
			return s.Breakdown, s.BreakdownTotal
		})
		var sum report.General
		for _, g := range groups {
			sum.RegisteredUsers += g.Metrics.RegisteredUsers
			sum.UsersWithLogin += g.Metrics.UsersWithLogin
			sum.ActiveReservations += g.Metrics.ActiveReservations
			sum.Sums.Add(&g.Metrics.Sums)
		}
		sum.DistinctBooks = general.DistinctBooks // those do not add up
		if sum != general || len(groups) < 3 {
			t.Errorf("by %s: %d groups add up to %+v, general is %+v", by, len(groups), sum, general)
		}
		if last := groups[len(groups)-1]; last.Key != "" || last.Label != "Não informado" {
			t.Errorf("by %s: the last group is %+v, want the one without a key", by, last)
		}
	}
}

// TestSummaryOfBase compares the blocks that no filter cuts with counting row by row.
func TestSummaryOfBase(t *testing.T) {
	const days = 45
	n := randomNetwork(t, 3, days)
	n.hour = libraries.HourOf((libraries.HistoryStart + 35).Start()) // months after it are not listed
	reports, r := n.reports(), rand.New(rand.NewPCG(3, 4))
	for range 60 {
		q := randomSummary(r, days)
		got, err := reports.Summary(t.Context(), n.access(), q, wholePage)
		if err != nil {
			t.Fatal(err)
		}
		want := n.slowBase(q.Period)
		want.General, want.Breakdown, want.BreakdownTotal = got.General, got.Breakdown, got.BreakdownTotal
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, want\n%+v", show(q), got, want)
		}
	}
}

// slowBase makes the blocks of the whole base.
func (n *network) slowBase(period calendar.Period) *report.Summary {
	s := &report.Summary{Channels: report.ChannelTotals{Available: true}}
	loans, listeners := map[int64]int64{}, map[int64]bool{}
	for _, d := range n.deltas {
		if !period.Contains(d.Day) {
			continue
		}
		s.Consumption.OnlineSessions += d.Totals.OnlineSessions
		s.Consumption.OfflineSessions += d.Totals.OfflineSessions
		s.Consumption.OnlineSeconds += d.Totals.OnlineSeconds
		s.Consumption.OfflineSeconds += d.Totals.OfflineSeconds
		s.Consumption.Cancelled += d.Totals.Cancelled
		s.Consumption.Lost += d.Totals.Lost
		for _, b := range d.Books {
			loans[b.Book] += b.Measures[metric.Loans]
			s.Reservations.Converted += b.Measures[metric.ConvertedThatDay]
			s.Formats.ListeningSeconds += b.Measures[metric.ListeningSeconds]
			if b.Measures[metric.ListeningSessions] > 0 {
				listeners[d.Reader] = true
			}
		}
	}
	s.Formats.Listeners = int64(len(listeners))
	s.Reservations.Cancelled, s.Reservations.Lost = s.Consumption.Cancelled, s.Consumption.Lost
	for _, c := range n.channels {
		if period.Contains(c.Day) {
			*map[libraries.Channel]*int64{
				libraries.WebMobile: &s.Channels.Mobile, libraries.WebDesktop: &s.Channels.Desktop,
				libraries.WebTablet: &s.Channels.Tablet, libraries.App: &s.Channels.App,
			}[c.Channel] += c.Sessions
			s.Channels.AppEstimated = s.Channels.AppEstimated || c.Channel == libraries.App
		}
	}
	for _, h := range n.held {
		s.Reservations.Active += h.ActiveReservations
	}
	n.slowTitles(s, loans)
	n.slowDeleted(s)
	for _, month := range libraries.Months(period, libraries.HistoryStart, n.hour.Day()) {
		m := report.Month{Period: month}
		for _, d := range n.deltas {
			if month.Contains(d.Day) {
				m.Sums.Add(sumOf(d))
			}
		}
		s.Monthly = append(s.Monthly, m)
	}
	if s.Monthly == nil {
		s.Monthly = []report.Month{}
	}
	return s
}

// sumOf returns what a delta adds to the totals of its day.
func sumOf(d facts.DayDelta) *metric.Measures {
	var sums metric.Measures
	sums[metric.Logins], sums[metric.Previews] = d.Presence.Logins(), d.Previews
	for _, b := range d.Books {
		sums.Add(&b.Measures)
	}
	return &sums
}

// slowTitles makes formats, stock and catalogProfile.
func (n *network) slowTitles(s *report.Summary, loans map[int64]int64) {
	type counted struct {
		id   int64
		item report.ProfileItem
	}
	lists := map[string][]counted{}
	count := func(list string, id int64, name string, loans int64) {
		i := slices.IndexFunc(lists[list], func(c counted) bool { return c.id == id })
		if i < 0 {
			i = len(lists[list])
			lists[list] = append(lists[list], counted{id, report.ProfileItem{Name: name}})
		}
		lists[list][i].item.Titles++
		lists[list][i].item.Loans += loans
	}
	for _, b := range n.books {
		l := loans[b.ID]
		switch {
		case b.HasEbook && b.HasAudiobook:
			s.Formats.Catalogue.Both++
			s.Formats.Loans.Both += l
		case b.HasEbook:
			s.Formats.Catalogue.EbookOnly++
			s.Formats.Loans.EbookOnly += l
		case b.HasAudiobook:
			s.Formats.Catalogue.AudiobookOnly++
			s.Formats.Loans.AudiobookOnly += l
		}
		for _, id := range b.Categories {
			count("categories", id, n.terms[libraries.CategoryTerms][id-1].Name, l)
		}
		for _, id := range b.Subjects {
			count("subjects", id, n.terms[libraries.SubjectTerms][id-1].Name, l)
		}
		if c := stock.CollectionOf(n.linesOf(b), libraries.HistoryStart); c != 0 {
			count("origins", int64(c), c.String(), l)
		}
		for list, is := range map[string]bool{"ebook": b.HasEbook, "audiobook": b.HasAudiobook, "video": b.HasVideo} {
			if is {
				count(list, 0, "", l)
			}
		}
	}
	items := func(list string) []report.ProfileItem {
		slices.SortFunc(lists[list], func(a, b counted) int {
			return cmp.Or(
				-cmp.Compare(a.item.Titles, b.item.Titles),
				cmp.Compare(fold.Text(a.item.Name), fold.Text(b.item.Name)),
				cmp.Compare(a.id, b.id),
			)
		})
		var items []report.ProfileItem
		for _, c := range lists[list] {
			items = append(items, c.item)
		}
		return items
	}
	s.Profile = report.CatalogueProfile{
		Categories: items("categories"), Subjects: items("subjects"), Origins: items("origins"),
		Ebook: items("ebook")[0], Audiobook: items("audiobook")[0], Video: &items("video")[0],
	}
	allocated := int64(0)
	for _, b := range n.books {
		i := slices.IndexFunc(n.held, func(h facts.TitleCounts) bool { return h.Book == b.ID })
		s.Stock.ActiveLoans += n.held[i].ActiveLoans
		s.Stock.ActiveReservations += n.held[i].ActiveReservations
		if own := stock.OwnLines(n.linesOf(b), libraries.HistoryStart).Lines(); len(own) > 0 {
			readings, possible := n.held[i].Readings, stock.Capacity(own)
			s.Stock.Readings += readings
			s.Stock.Possible += possible
			s.Stock.Histogram[stock.BandOf(readings, possible)]++
			allocated += min(readings, possible)
		}
	}
	s.Stock.Percentage = stock.Ratio(allocated, s.Stock.Possible)
}

// linesOf returns the lines of a title, with its maxUses.
func (n *network) linesOf(b libraries.Book) (lines []stock.Line) {
	for _, l := range n.lines {
		if l.Book == b.ID {
			l.Line.MaxUses = b.MaxUses
			lines = append(lines, l.Line)
		}
	}
	return lines
}

// slowDeleted makes deletedUsers, reader by reader for each day and month.
func (n *network) slowDeleted(s *report.Summary) {
	count := func(counted func(day calendar.Date) bool) (total int64) {
		for _, a := range n.readers {
			if a.Status != libraries.ReaderActive && a.DeletedAt >= libraries.HistoryStart && counted(a.DeletedAt) {
				total++
			}
		}
		return total
	}
	now := n.hour.Day()
	s.Deleted.Total = count(func(calendar.Date) bool { return true })
	s.Deleted.Last30Days = count(func(d calendar.Date) bool { return d > now-30 && d <= now })
	for _, a := range n.readers {
		if a.Status == libraries.ReaderDeactivated && a.DeletedAt >= libraries.HistoryStart && a.Loans > 0 {
			s.Deleted.WithLoans++
		}
	}
	for d := now - 29; d <= now; d++ {
		total := count(func(at calendar.Date) bool { return at == d })
		s.Deleted.Daily = append(s.Deleted.Daily, report.DayCount{Day: d, Total: total})
	}
	for d := libraries.HistoryStart; d <= now; d++ {
		if d == libraries.HistoryStart || d.String()[8:] == "01" {
			s.Deleted.Monthly = append(s.Deleted.Monthly, report.MonthCount{First: d, Total: count(func(at calendar.Date) bool {
				return libraries.MonthOf(at) == libraries.MonthOf(d) && at <= now
			})})
		}
	}
}

// TestSummaryWithoutVideo shows materials.video as null, and no data as zeros.
func TestSummaryWithoutVideo(t *testing.T) {
	n := (&network{books: []libraries.Book{{ID: 1, HasEbook: true}}}).pack(t)
	q := report.SummaryQuery{Period: firstDays(10), Today: libraries.HistoryStart + 40, GroupBy: report.ByCity}
	s, err := n.reports().Summary(t.Context(), n.access(), q, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	if s.Profile.Video != nil || s.Profile.Ebook.Titles != 1 || s.General != (report.General{}) || len(s.Breakdown) != 0 {
		t.Errorf("summary of a network with one title: %+v", s)
	}
	// Before the first load, now is the day of the query.
	if days := s.Deleted.Daily; len(days) != 30 || days[29].Day != q.Today || len(s.Deleted.Monthly) != 2 || len(s.Monthly) != 1 {
		t.Errorf("days and months up to %s: %+v, %+v", q.Today, s.Deleted, s.Monthly)
	}
}

// TestSummaryOfOneVideo shows materials.video as soon as one title is one.
func TestSummaryOfOneVideo(t *testing.T) {
	n := (&network{books: []libraries.Book{{ID: 1, HasVideo: true}}}).pack(t)
	s, err := n.reports().Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(10)}, wholePage)
	if err != nil || s.Profile.Video == nil || s.Profile.Video.Titles != 1 {
		t.Errorf("profile of a network of one video: %+v, %v", s, err)
	}
}

// TestSummaryActiveLoans holds that returns of loans made before the period make no negative number.
func TestSummaryActiveLoans(t *testing.T) {
	g := report.General{Sums: metric.Measures{metric.Loans: 3, metric.Returns: 5}}
	if got := g.ActiveLoans(); got != 0 {
		t.Errorf("3 loans and 5 returns: %d active, want 0", got)
	}
	if g.Sums[metric.Loans] = 7; g.ActiveLoans() != 2 {
		t.Errorf("7 loans and 5 returns: %d active, want 2", g.ActiveLoans())
	}
}

// TestSummaryChannelsSilent shows channels as not available, and asks again the next time.
func TestSummaryChannelsSilent(t *testing.T) {
	n := randomNetwork(t, 4, 10)
	reports := n.reports()
	reports.Channels = n
	q := report.SummaryQuery{Period: firstDays(10)}
	summary := func() report.ChannelTotals {
		t.Helper()
		s, err := reports.Summary(t.Context(), n.access(), q, wholePage)
		if err != nil {
			t.Fatal(err)
		}
		return s.Channels
	}
	n.channelsErr = fmt.Errorf("asking: %w", report.ErrChannels)
	if got := summary(); got != (report.ChannelTotals{}) {
		t.Errorf("without an answer: %+v, want zeros, not available", got)
	}
	n.channelsErr = nil
	want := n.slowBase(q.Period).Channels
	if got := summary(); got != want || !got.Available {
		t.Errorf("with an answer: %+v, want %+v", got, want)
	}
	n.channelsErr = fmt.Errorf("asking again: %w", report.ErrChannels)
	if got := summary(); got != (report.ChannelTotals{}) {
		t.Errorf("an answer that was good is kept above its source: %+v", got)
	}
	n.channelsErr = errors.New("disk on fire")
	if _, err := reports.Summary(t.Context(), n.access(), q, wholePage); !errors.Is(err, n.channelsErr) {
		t.Errorf("error %v, want %v", err, n.channelsErr)
	}
}

// TestSummarySource asks another source than the store for channels.
func TestSummarySource(t *testing.T) {
	n, source := randomNetwork(t, 5, 5), &network{}
	source.at = n.at
	source.channels = []libraries.ChannelDay{{Day: libraries.HistoryStart, Channel: libraries.WebTablet, Sessions: 3}}
	reports := n.reports()
	reports.Channels = source
	s, err := reports.Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(5)}, wholePage)
	if want := (report.ChannelTotals{Available: true, Tablet: 3}); err != nil || s.Channels != want {
		t.Errorf("channels %+v, %v, want %+v", s.Channels, err, want)
	}
}

// TestSummaryAgain holds that an answer that was given is not read again, for other pages neither, and that it is of
// the state of its access: after a load it is the new one.
func TestSummaryAgain(t *testing.T) {
	n := randomNetwork(t, 6, 30)
	reports, before := n.reports(), n.access()
	q := report.SummaryQuery{Period: firstDays(30), GroupBy: report.ByCity}
	first, err := reports.Summary(t.Context(), before, q, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	for key, v := range reports.Cache.(*keepAll).values {
		if v.value.Bytes() <= 0 {
			t.Errorf("%s takes %d bytes", key.What, v.value.Bytes())
		}
	}
	reads := n.reads // but for the channels, whose source may be another
	q.Today++        // nothing of it depends on the clock
	again, err := reports.Summary(t.Context(), before, q, wholePage)
	if err != nil || n.reads > reads+1 || !reflect.DeepEqual(first, again) {
		t.Errorf("again: %v, %d more reads", err, n.reads-reads)
	}
	n.at = snapshot.Versions{Registers: 5, Facts: 5}
	n.readers = n.readers[:0]
	n.deltas = nil
	n.pack(t)
	q.Period.End-- // not in the cache
	after, err := reports.Summary(t.Context(), n.access(), q, wholePage)
	if err != nil || after.General.RegisteredUsers != 0 {
		t.Errorf("after a load: %+v, %v, want no readers", after, err)
	}
}

// TestSummaryCorrupt holds that blocks that do not fit the registers are an error, not a panic or a wrong number.
func TestSummaryCorrupt(t *testing.T) {
	breaks := map[string]func(n *network){
		"a reader who is not there": func(n *network) { n.blocks = n.blocks[:1] },
		"a title that is not there": func(n *network) { n.books = n.books[1:] },
		"a broken block": func(n *network) {
			for d, f := range n.forms {
				f.Readers = f.Readers[:len(f.Readers)-1]
				n.forms[d] = f
			}
		},
	}
	for name, breaks := range breaks {
		n := randomNetwork(t, 7, 10)
		breaks(n)
		q := report.SummaryQuery{Period: firstDays(10), GroupBy: report.ByState}
		if _, err := n.reports().Summary(t.Context(), n.access(), q, wholePage); !errors.Is(err, packed.ErrCorrupt) {
			t.Errorf("%s: error %v, want ErrCorrupt", name, err)
		}
	}
}

// TestChannelSums stop at the largest number instead of turning negative.
func TestChannelSums(t *testing.T) {
	n, source := randomNetwork(t, 5, 5), &network{}
	source.at = n.at
	for day := range calendar.Date(2000) {
		for c := libraries.WebMobile; c <= libraries.App; c++ {
			source.channels = append(source.channels, libraries.ChannelDay{Day: libraries.HistoryStart + day, Channel: c, Sessions: 1<<53 - 1})
		}
	}
	reports := n.reports()
	reports.Channels = source
	period := calendar.Period{Start: libraries.HistoryStart, End: libraries.HistoryStart + 2000}
	s, err := reports.Summary(t.Context(), n.access(), report.SummaryQuery{Period: period}, wholePage)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Channels; c.App != math.MaxInt64 || c.Web() != math.MaxInt64 || c.Total() != math.MaxInt64 {
		t.Errorf("app %d, web %d, total %d, want the largest number", c.App, c.Web(), c.Total())
	}
	period.End = period.Start + 999 // 1,000 days of one channel stay below it
	s, err = reports.Summary(t.Context(), n.access(), report.SummaryQuery{Period: period}, wholePage)
	if err != nil || s.Channels.App != 1000*(1<<53-1) || s.Channels.Web() != math.MaxInt64 {
		t.Errorf("1,000 days: %+v, %v", s.Channels, err)
	}
}

// TestDeletedUsers has readers of each status on both sides of the first day of the history, of the last 30 days, and of now
// (L12); withLoans counts the deactivated ones alone.
func TestDeletedUsers(t *testing.T) {
	now := libraries.HistoryStart + 60
	for _, test := range []struct {
		rule                         string
		status                       libraries.ReaderStatus
		day                          calendar.Date
		loans                        int64
		total, last30, withLoans, in int64 // in: the last 30 days one by one
	}{
		{"active", libraries.ReaderActive, 0, 3, 0, 0, 0, 0},
		{"deactivated with a loan", libraries.ReaderDeactivated, now, 1, 1, 1, 1, 1},
		{"deactivated without", libraries.ReaderDeactivated, now, 0, 1, 1, 0, 1},
		{"deleted with a loan", libraries.ReaderDeleted, now, 1, 1, 1, 0, 1},
		{"deleted without", libraries.ReaderDeleted, now, 0, 1, 1, 0, 1},
		{"on the first of the last 30 days", libraries.ReaderDeleted, now - 29, 0, 1, 1, 0, 1},
		{"on the day before", libraries.ReaderDeleted, now - 30, 0, 1, 0, 0, 0},
		{"on the first day of the history", libraries.ReaderDeactivated, libraries.HistoryStart, 2, 1, 0, 1, 0},
		{"before the history", libraries.ReaderDeactivated, libraries.HistoryStart - 1, 2, 0, 0, 0, 0},
		{"after now", libraries.ReaderDeactivated, now + 1, 2, 1, 0, 1, 0},
	} {
		n := &network{hour: libraries.HourOf(now.Start()), readers: []facts.Attributes{
			{ID: 1, Library: libraries.None, AgeGroup: libraries.None, Status: test.status, DeletedAt: test.day, Loans: test.loans},
		}}
		s, err := n.pack(t).reports().Summary(t.Context(), n.access(), report.SummaryQuery{Period: firstDays(20)}, wholePage)
		noError(t, err)
		d, in := s.Deleted, int64(0)
		for _, one := range d.Daily {
			in += one.Total
		}
		if d.Total != test.total || d.Last30Days != test.last30 || d.WithLoans != test.withLoans || in != test.in || len(d.Daily) != 30 {
			t.Errorf("%s: total %d, last 30 days %d, withLoans %d, daily %d in %d days, want %d, %d, %d, %d in 30",
				test.rule, d.Total, d.Last30Days, d.WithLoans, in, len(d.Daily), test.total, test.last30, test.withLoans, test.in)
		}
	}
}
