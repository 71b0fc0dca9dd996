package generate

import (
	"context"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// visits is what has to be known of a reader to write the next day.
type visits struct {
	chance   chance
	custom   custom
	joined   int32
	gone     int32
	last     int32 // the last day with activity; -1: none
	book     int32 // the title on loan that is read, by its place; -1: none
	until    int32 // the last day of its loan
	next     int32 // the title of a reservation that becomes a loan; -1: none
	from     int32 // the day of that
	nextDue  int32 // the last day of that loan
	progress int32 // how far book is read, in hundredths of a percent
}

// custom is how often a reader comes and how much is read then.
type custom struct {
	presence int16 // days, in a thousand weekdays
	sittings int16 // on a day of reading, on average
	offline  int16 // of a thousand sittings
}

// newCustom draws a custom: three in ten never come, most seldom, and one in a thousand all day long.
func newCustom(c *chance) custom {
	h := custom{sittings: int16(c.between(1, 2)), offline: pick(c, []int16{0, 0, 50, 300, 900})}
	switch kind := c.below(1000); {
	case kind < 300:
	case kind < 750:
		h.presence = int16(c.between(5, 60))
	case kind < 950:
		h.presence = int16(c.between(55, 225))
	case kind < 999:
		h.presence, h.sittings = int16(c.between(225, 900)), int16(c.between(1, 3))
	default:
		h.presence, h.sittings = 1000, int16(c.between(15, 30))
	}
	return h
}

// visitWriter writes the events day by day, and on each day reader by reader.
type visitWriter struct {
	feed   *librariesFeed
	clocks []clock // of every day
	today  int
	open   int     // of a thousand of those who come on a weekday, how many come today
	queue  []int32 // of each title, how many reservations are active at the end

	loans, renewals, reservations, sessions, previews, activity, suggestions *table
	loanID, renewalID, reservationID                                         int
}

// days writes all days.
func (w *visitWriter) days(ctx context.Context) ([]visits, error) {
	g := w.feed
	diaries := make([]visits, g.Users)
	for i := range diaries {
		c := newChance(g.Seed, forReader, i)
		m := c.membership(g.Days)
		c = newChance(g.Seed, forHabit, i)
		diaries[i] = visits{
			chance: newChance(g.Seed, forVisits, i), custom: newCustom(&c), joined: m.joined, gone: m.gone, last: -1, book: -1, next: -1,
		}
	}
	for day := range g.Days {
		w.clocks = append(w.clocks, newClock(g.First+calendar.Date(day)))
	}
	for day := range g.Days {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.begin(day)
		for i := range diaries {
			if d := &diaries[i]; w.comes(d) {
				visit{w, d, &d.chance, userID(i), d.chance.moment()}.write()
			}
		}
		if g.Progress != nil {
			g.Progress(int64(day+1)*int64(g.Users), int64(g.Days)*int64(g.Users))
		}
	}
	return diaries, nil
}

// begin turns to a day. Libraries are visited on weekends, too.
func (w *visitWriter) begin(day int) {
	w.today, w.open = day, 1000
	if d := weekday(w.feed.First + calendar.Date(day)); d == saturday || d == sunday {
		w.open = 850
	}
}

// comes draws whether a reader has activity today.
func (w *visitWriter) comes(d *visits) bool {
	if d.custom.presence == 0 || int(d.joined) > w.today || int(d.gone) <= w.today {
		return false
	}
	return d.chance.below(1_000_000) < int(d.custom.presence)*w.open
}

// visit is what one reader does today.
type visit struct {
	*visitWriter
	d    *visits
	c    *chance
	user int
	ms   int // when it begins
}

// write writes the day: whoever does nothing else leaves a record of activity, and who is yet to come, nothing.
func (v visit) write() {
	if !v.feed.horizon.reaches(v.today, v.ms) {
		return
	}
	v.d.last = int32(v.today)
	done := v.borrow(v.ms)
	if v.c.in1000(585) {
		done = v.read(v.ms) || done
	}
	if v.c.in1000(150) {
		v.preview()
		done = true
	}
	if v.c.in1000(45) {
		v.reserve()
		done = true
	}
	if v.c.in1000(31) {
		v.suggest()
	}
	if !done || v.c.in1000(480) {
		v.act()
	}
}

// borrow takes up a loan that is ready, or makes one: more often where there is none. It reports whether it made one.
func (v visit) borrow(ms int) bool {
	d := v.d
	if d.next >= 0 && int(d.from) <= v.today {
		d.book, d.until, d.next, d.progress = d.next, d.nextDue, -1, 0
	}
	often := 210
	if d.book < 0 || int(d.until) < v.today {
		d.book, often = -1, 950
	}
	if !v.c.in1000(often) {
		return false
	}
	book := v.feed.work(v.c)
	d.book, d.progress = int32(book), 0
	d.until = int32(v.loan(book, v.today, ms))
	return true
}

// read writes the sittings of a day, one after the other, most of them of the loan: one in ten with none is of a title
// that was never lent. One day in fifty was without a connection and is told of days later. It reports whether there were
// sittings today.
func (v visit) read(ms int) bool {
	book := int(v.d.book)
	if book < 0 {
		if !v.c.in1000(100) {
			return false
		}
		book = v.feed.work(v.c)
	}
	if !v.feed.works[book].readable() {
		return false
	}
	day, today := v.today, true
	if v.c.in1000(20) {
		day = max(day-v.c.between(1, 9), int(v.d.joined), 0)
		today = day == v.today
	}
	utc := v.c.below(2) == 0
	for range 1 + v.c.below(2*int(v.d.custom.sittings)) {
		if ms >= dayMS || !v.feed.horizon.reaches(day, ms) {
			break
		}
		seconds := v.c.sitting()
		v.session(book, day, ms, utc, seconds)
		ms += (seconds + v.c.between(5, 1200)) * 1000
	}
	return today
}

// sitting draws its seconds: three in ten are a short look, two are long.
func (c *chance) sitting() int {
	switch kind := c.below(10); {
	case kind < 3:
		return c.between(5, 120)
	case kind < 8:
		return c.between(120, 1800)
	default:
		return c.between(1800, 5400)
	}
}

// session writes one sitting. One in twenty goes back in the book.
func (v visit) session(book, day, ms int, utc bool, seconds int) {
	work := &v.feed.works[book]
	reached := seconds * 10_000 / (work.hours * 3600)
	if book == int(v.d.book) {
		v.d.progress = min(v.d.progress+int32(reached), 10_000)
		reached = int(v.d.progress)
	}
	if v.c.in1000(50) {
		reached = reached * v.c.below(1000) / 1000
	}
	t := v.sessions
	t.id('s', int(t.rows)+1)
	t.int(v.user)
	t.int(book + 1)
	t.time(v.clocks[day], ms, utc)
	t.int(seconds)
	t.word(v.mode())
	t.word(v.format(work))
	t.hundredths(min(reached, 10_000))
	t.end()
}

func (v visit) mode() string {
	if v.c.in1000(int(v.d.custom.offline)) {
		return "offline"
	}
	return "online"
}

// format returns the format of a sitting: one in three where the title has both is listened to.
func (v visit) format(w *work) string {
	if !w.ebook || w.audio && v.c.below(3) == 0 {
		return "audiobook"
	}
	return "ebook"
}

// preview writes a view without a loan.
func (v visit) preview() {
	t := v.previews
	t.id('p', int(t.rows)+1)
	t.int(v.user)
	t.int(v.feed.work(v.c) + 1)
	v.now(t)
	t.end()
}

// act writes a record of activity.
func (v visit) act() {
	t := v.activity
	t.id('a', int(t.rows)+1)
	t.int(v.user)
	v.now(t)
	t.end()
}

// now writes a time of today.
func (v visit) now(t *table) { t.time(v.clocks[v.today], v.moment(), v.c.below(2) == 0) }

// moment draws a time of today; one that is yet to come is that of the visit.
func (v visit) moment() int {
	if ms := v.c.moment(); v.feed.horizon.reaches(v.today, ms) {
		return ms
	}
	return v.ms
}
