package generate

import (
	"context"
	"strconv"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// diary is what has to be known of an account to write its next day.
type diary struct {
	chance   chance
	habit    habit
	book     int // its place among the books; -1: none
	at       int // how far it is read
	segments int // written so far
	accesses int
}

// days writes the events day by day, and on each day account by account, as an export of every hour or day would.
func (g *schoolsFeed) days(ctx context.Context, segments, accesses *table) error {
	diaries := make([]diary, g.Users)
	for i := range diaries {
		c := newChance(g.Seed, forHabit, i)
		diaries[i] = diary{chance: newChance(g.Seed, forDays, i), habit: newHabit(&c), book: -1}
	}
	w := &dayWriter{feed: g, segments: segments, accesses: accesses}
	for day := range g.Days {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.begin(day)
		for i := range diaries {
			w.day(&diaries[i], i)
		}
		if g.Progress != nil {
			g.Progress(int64(day+1)*int64(g.Users), int64(g.Days)*int64(g.Users))
		}
	}
	return nil
}

// dayWriter writes the events of one day after another.
type dayWriter struct {
	feed     *schoolsFeed
	segments *table
	accesses *table
	clock    clock
	today    int    // from the feed's first day
	presence int    // of a thousand of those who come on a weekday, how many come on this day
	ref      []byte // of the account
}

// begin turns to a day.
func (w *dayWriter) begin(day int) {
	d := w.feed.First + calendar.Date(day)
	w.clock, w.today = newClock(d), day
	w.presence = 1000
	switch weekday(d) {
	case saturday:
		w.presence = 550
	case sunday:
		w.presence = 480
	}
}

// day writes what one account does on the day.
func (w *dayWriter) day(d *diary, number int) {
	c := &d.chance
	w.ref = w.feed.network.appendRef(w.ref[:0], number)
	if c.in1000(40) { // what is received comes to those who are away, too
		w.access(d, pick(c, received), c.moment())
	}
	if c.below(1_000_000) >= d.habit.presence*w.presence {
		return
	}
	start := c.moment()
	read := c.in1000(d.habit.reading)
	if !read || c.in1000(600) {
		w.access(d, pick(c, arrivals), start)
	}
	if c.in1000(220) {
		w.access(d, pick(c, deeds), c.moment())
	}
	if read {
		w.session(d, start)
	}
}

// The kinds of accesses: those with which a day begins, those that come in its course, and those that are no access.
var (
	arrivals = []string{"login", "login", "session"}
	deeds    = []string{"reading", "reading", "audiobook", "activity", "activity", "session", "assessment"}
	received = []string{"recommendation-received", "activity-received"}
)

// access writes a row of accesses. One that is yet to come takes its number all the same, so that it has it when it comes.
func (w *dayWriter) access(d *diary, kind string, ms int) {
	d.accesses++
	utc := d.chance.below(2) == 0
	if !w.feed.horizon.reaches(w.today, ms) {
		return
	}
	t := w.accesses
	w.id(t, 'a', d.accesses)
	w.account(t)
	t.time(w.clock, ms, utc)
	t.text(kind)
	t.end()
}

// session writes one sitting: page views one after the other, mostly of one book. It ends with the day, or the feed.
func (w *dayWriter) session(d *diary, ms int) {
	c := &d.chance
	if d.book < 0 || c.in1000(110) {
		w.open(d)
	}
	utc := c.below(2) == 0
	for range 1 + c.below(2*d.habit.pages-1) {
		v := c.view()
		if ms >= dayMS || !w.feed.horizon.reaches(w.today, ms) {
			return
		}
		w.view(d, v, ms, utc)
		ms += v.ms + c.between(100, 2500)
	}
}

// open gives the account a book, one time in three a popular one: those at the front of the catalogue.
func (w *dayWriter) open(d *diary) {
	n := len(w.feed.books)
	d.book, d.at = d.chance.below(n), 0
	if d.chance.below(3) == 0 {
		d.book = d.book * (d.chance.below(n) + 1) / n
	}
}

// view writes a page view as a row of segments, and turns the page. One view in twenty goes back to pages read before.
func (w *dayWriter) view(d *diary, v view, ms int, utc bool) {
	if d.at >= w.feed.books[d.book].length {
		w.open(d)
	}
	from := d.at
	if d.chance.in1000(50) {
		from = max(0, from-v.words*d.chance.between(1, 5))
	}
	to := min(from+v.words, w.feed.books[d.book].length)
	d.at = max(d.at, to)
	d.segments++
	t := w.segments
	w.id(t, 's', d.segments)
	w.account(t)
	t.int(w.feed.books[d.book].id)
	t.time(w.clock, ms, utc)
	t.int(v.ms)
	t.int(from)
	t.int(to)
	t.tenths(v.tenths)
	t.end()
}

// id writes the n-th identifier of the account's events: s-aluno-000001-42.
func (w *dayWriter) id(t *table, kind byte, n int) {
	t.open()
	t.buf = append(append(append(t.buf, kind, '-'), w.ref...), '-')
	t.buf = strconv.AppendInt(t.buf, int64(n), 10)
	t.close()
}

// account writes the account's reference.
func (w *dayWriter) account(t *table) {
	t.open()
	t.buf = append(t.buf, w.ref...)
	t.close()
}
