package generate

import (
	"context"
	"strconv"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/stock"
	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// librariesFiles are the files of a libraries feed, each with the record that declares its fields.
var librariesFiles = map[string]row.Row{
	"libraries": &libraries.Term{}, "ageGroups": &libraries.Term{}, "publishers": &libraries.Term{}, "categories": &libraries.Term{}, "subjects": &libraries.Term{},
	"books": &libraries.Book{}, "lines": &stock.BookLine{}, "readers": &libraries.Reader{}, "channels": &libraries.ChannelDay{},
	"loans": &libraries.Loan{}, "renewals": &intake.RenewalRow{}, "reservations": &libraries.Reservation{}, "sessions": &intake.SessionRow{},
	"previews": &intake.PreviewRow{}, "activity": &intake.ActivityRow{}, "suggestions": &libraries.Request{},
}

// Libraries writes the feed of one library network into dir, which is created if it is missing. The same parameters
// give the same bytes. On an error it does what [Schools] does.
func Libraries(ctx context.Context, dir string, p Params) (Summary, error) {
	if p.First == 0 {
		p.First = libraries.HistoryStart
	}
	if p.Titles == 0 {
		p.Titles = min(max(p.Users/50, 200), 20_000)
	}
	return writeFeed(dir, p, librariesFiles, func(f *feed) error {
		l := newLending(f)
		l.vocabularies()
		l.catalogue()
		l.lines()
		l.channels()
		readers, err := l.events(ctx)
		if err == nil {
			l.readers(readers)
		}
		return err
	})
}

// lending is a libraries feed that is being written.
type lending struct {
	*feed
	works     []work
	popular   []int32 // works, the most asked for first
	wishes    []wish
	libraries []string
	region    int     // the index in states of the one that most readers live in
	queue     []int32 // of each title, how many reservations are active at the end
}

// newLending invents the titles and draws which of them are popular.
func newLending(f *feed) *lending {
	l := &lending{feed: f, region: f.chance(forSchool, 0).below(len(states))}
	l.works, l.popular = newWorks(f, inventTitles(f)[:f.Titles])
	l.wishes = newWishes(f, l.works)
	l.queue = make([]int32, len(l.works))
	for i := range min(max(f.Users/4000, 4), 60) {
		l.libraries = append(l.libraries, libraryKinds[i%len(libraryKinds)]+" "+schoolNames[i%len(schoolNames)])
	}
	return l
}

// vocabularies writes the terms that ids refer to. A term's id is its place, from 1.
func (l *lending) vocabularies() {
	for resource, names := range map[string][]string{
		"libraries": l.libraries, "ageGroups": ageGroups, "publishers": publishers, "categories": categories, "subjects": subjects,
	} {
		for i, name := range names {
			l.tables[resource].row(i+1, name)
		}
	}
}

// channels writes the sessions by channel: each day has a row of every web channel, and nearly every day one of the app.
func (l *lending) channels() {
	for day := range l.Days {
		c := l.chance(forChannel, day)
		for _, channel := range []struct {
			name  string
			share int // sessions a day of a thousand readers
		}{{"web-mobile", 40}, {"web-desktop", 25}, {"web-tablet", 4}, {"app", 30}} {
			app := channel.name == "app"
			sessions := (l.Users*channel.share/100*c.between(6, 14) + c.below(100)) / 100
			if app && c.in1000(50) {
				continue
			}
			l.tables["channels"].row(l.First+calendar.Date(day), channel.name, sessions, app)
		}
	}
}

// reader is the state of a reader between two days.
type reader struct {
	chance
	membership
	id       int
	presence int32         // days, in a thousand weekdays
	sittings int32         // on a day of reading, on average
	offline  int32         // of a thousand sittings
	seen     calendar.Date // the last day with activity
	loan     loan          // the one that is read
	next     loan          // the one that a reservation becomes
	progress int32         // how far the loan is read, in hundredths of a percent
}

// loan is a loan of a work, from its first day to its last one. Without a last day there is no loan.
type loan struct {
	work     int32
	from, to calendar.Date
}

// membership is when a reader belongs to the network.
type membership struct {
	joined calendar.Date // may be before the feed
	gone   calendar.Date // 0: the account is active
	status string
}

// drawMembership draws when a reader joins and leaves. Three in ten join during the feed. One in twenty is deactivated and one in sixty
// deleted, some of them before the feed.
func (l *lending) drawMembership(c *chance) membership {
	m := membership{joined: l.First - calendar.Date(c.between(1, 2000)), status: "active"}
	if c.in1000(300) {
		m.joined = l.First + calendar.Date(c.below(l.Days))
	}
	kind, early := c.below(1000), c.in1000(300)
	switch {
	case kind < 50:
		m.status = "deactivated"
	case kind < 66:
		m.status = "deleted"
	default:
		return m
	}
	if early && m.joined < l.First {
		m.gone = c.dayBetween(m.joined, l.First-1)
	} else {
		m.gone = c.dayBetween(max(l.First, m.joined), l.end())
	}
	return m
}

func (c *chance) dayBetween(low, high calendar.Date) calendar.Date {
	return low + calendar.Date(c.below(int(high-low)+1))
}

// known returns the last day on which a reader can have events.
func (l *lending) known(m membership) calendar.Date {
	if m.gone != 0 {
		return min(l.end(), m.gone-1)
	}
	return l.end()
}

// newReader draws a reader. Three in ten never come, most seldom, and one in a thousand all day. Every fourth id is not used.
func (l *lending) newReader(i int) reader {
	r := reader{chance: *l.chance(forVisits, i), membership: l.drawMembership(l.chance(forReader, i)), id: 10_000 + i + i/3}
	c := l.chance(forHabit, i)
	r.sittings, r.offline = int32(c.between(1, 2)), pick(c, []int32{0, 0, 50, 300, 900})
	r.presence = int32(c.of([]band{{300, 0, 0}, {450, 5, 60}, {200, 55, 225}, {49, 225, 900}, {1, 1000, 1000}}))
	switch {
	case r.presence == 1000:
		r.sittings = int32(c.between(15, 30))
	case r.presence > 225:
		r.sittings = int32(c.between(1, 3))
	}
	return r
}

// readers writes the readers as they are on the last day.
func (l *lending) readers(readers []reader) {
	for i := range readers {
		r, c := &readers[i], l.chance(forReader, i)
		m := l.drawMembership(c) // as it was drawn before
		name, address := person(c, i)
		if m.status == "deleted" {
			address = ""
		}
		row := []any{
			r.id, name, address,
			optional(1+c.below(len(l.libraries)), !c.in1000(60)), optional(1+c.below(len(ageGroups)), !c.in1000(50)),
		}
		row = append(row, l.home(c)...)
		row = append(row, gender(c), m.joined, m.status, m.gone)
		l.tables["readers"].row(append(row, l.changed(c, m, r.seen)...)...)
	}
}

// home returns where a reader lives: four in five in the network's own state. Only a state's first two cities have administrative regions.
func (l *lending) home(c *chance) []any {
	place := states[l.region]
	switch {
	case c.in1000(40):
		return make([]any, 3)
	case c.in1000(200):
		place = pick(c, states)
	}
	at := min(c.below(len(place.list)), c.below(len(place.list)))
	city, region := place.list[at], ""
	if c.in1000(20) {
		city = ""
	}
	if at < 2 {
		region = "RA " + strconv.Itoa(1+c.below(12))
	}
	return []any{city, place.of, region}
}

// gender returns a gender, one in fifty as other systems write it, or none.
func gender(c *chance) any {
	shouted, kind := c.in1000(20), c.below(100)
	for _, g := range []struct {
		below       int
		name, other string
	}{{8, "", ""}, {60, "Feminino", "FEMININO"}, {96, "Masculino", "MASCULINO"}, {98, "Não-binário", "nao-binario"}} {
		switch {
		case kind < g.below && shouted:
			return g.other
		case kind < g.below:
			return g.name
		}
	}
	return "Outro"
}

// changed returns when a reader was changed, confirmed and last seen. One in twenty never confirmed the address.
func (l *lending) changed(c *chance, m membership, last calendar.Date) []any {
	time := func(d calendar.Date) any { return at(d, c.moment()).written(c.below(2) == 0) }
	changed := m.joined
	switch {
	case m.gone != 0:
		changed = m.gone
	case c.in1000(250):
		changed = c.dayBetween(m.joined, l.end())
	}
	row := []any{time(changed), nil, nil}
	if !c.in1000(50) {
		row[1] = time(m.joined)
	}
	end := l.First - 1
	if m.gone != 0 {
		end = min(m.gone, l.First) - 1
	}
	if last == 0 && end >= m.joined && c.in1000(600) {
		last = c.dayBetween(m.joined, end)
	}
	if last != 0 {
		row[2] = time(last)
	}
	return row
}
