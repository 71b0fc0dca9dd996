package generate

import (
	"context"
	"strconv"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// pupil is what has to be known of an account of the schools to write its next day.
type pupil struct {
	chance
	presence int // days with an access, in a thousand weekdays
	reading  int // days with reading, in a thousand of those
	pages    int // page views on such a day, on average
	ref      string
	segment  string // what the identifiers of its segments begin with
	access   string
	book     int // its place among the books; -1: none
	at       int // how far it is read
	segments int // written so far
	accesses int
}

// What pupils differ in: one in four comes almost daily, three in ten seldom; few read much.
var (
	presences = []band{{25, 850, 1000}, {45, 450, 800}, {30, 20, 500}}
	appetites = []band{{60, 4, 14}, {30, 12, 30}, {10, 28, 48}}
)

// newPupil draws the habits of an account: of a thousand 80 never come and 100 come without reading.
func (n *network) newPupil(i int) pupil {
	p := pupil{chance: *n.chance(forDays, i), ref: n.ref(i), book: -1}
	p.segment, p.access = "s-"+p.ref+"-", "a-"+p.ref+"-"
	c := n.chance(forHabit, i)
	kind := c.below(1000)
	if kind < 80 {
		return p
	}
	p.presence, p.reading, p.pages = c.of(presences), c.between(780, 980), c.of(appetites)
	if kind < 180 {
		p.reading = 0
	}
	return p
}

// The kinds of accesses: those with which a day begins, those that come in its course, and those that are no access.
var (
	arrivals = []string{"login", "login", "session"}
	deeds    = []string{"reading", "reading", "audiobook", "activity", "activity", "session", "assessment"}
	received = []string{"recommendation-received", "activity-received"}
)

// events writes the events day by day, and on each day account by account, as an export of every hour or day would.
func (n *network) events(ctx context.Context) error {
	pupils := make([]pupil, n.Users)
	for i := range pupils {
		pupils[i] = n.newPupil(i)
	}
	return n.days(ctx, func(today calendar.Date) {
		open := week{550, 480}.open(today)
		for i := range pupils {
			n.day(&pupils[i], today, open)
		}
	})
}

// day writes what one account does on a day. What is received comes to those who are away, too.
func (n *network) day(p *pupil, today calendar.Date, open int) {
	if p.in1000(40) {
		n.access(p, pick(&p.chance, received), at(today, p.moment()))
	}
	if !p.comes(p.presence, open) {
		return
	}
	start := at(today, p.moment())
	read := p.in1000(p.reading)
	if !read || p.in1000(600) {
		n.access(p, pick(&p.chance, arrivals), start)
	}
	if p.in1000(220) {
		n.access(p, pick(&p.chance, deeds), at(today, p.moment()))
	}
	if read {
		n.sitting(p, start)
	}
}

// access writes a row of accesses.
func (n *network) access(p *pupil, kind string, when instant) {
	p.accesses++
	n.tables["accesses"].row(p.access+strconv.Itoa(p.accesses), p.ref, when.written(p.below(2) == 0), kind)
}

// sitting writes page views one after the other, mostly of one book. It ends with the day.
func (n *network) sitting(p *pupil, when instant) {
	if p.book < 0 || p.in1000(110) {
		n.take(p)
	}
	today, utc := when.day(), p.below(2) == 0
	for range 1 + p.below(2*p.pages-1) {
		v := p.view()
		if when.day() > today {
			return
		}
		n.view(p, v, when.written(utc))
		when += instant(v.ms + p.between(100, 2500))
	}
}

// take gives the account a book, one time in three a popular one: those at the front of the catalogue.
func (n *network) take(p *pupil) {
	books := len(n.books)
	p.book, p.at = p.below(books), 0
	if p.below(3) == 0 {
		p.book = p.book * (p.below(books) + 1) / books
	}
}

// view writes a page view as a row of segments, and turns the page. One view in twenty goes back to pages read before.
func (n *network) view(p *pupil, v view, when time.Time) {
	if p.at >= n.books[p.book].length {
		n.take(p)
	}
	from := p.at
	if p.in1000(50) {
		from = max(0, from-v.words*p.between(1, 5))
	}
	to := min(from+v.words, n.books[p.book].length)
	p.at = max(p.at, to)
	p.segments++
	n.segments.row(p.segment+strconv.Itoa(p.segments), p.ref, p.book+1, when, v.ms, from, to, optional(tenths(v.tenths), v.tenths >= 0))
}

// view is one page view.
type view struct {
	words  int
	ms     int // how long it lasts
	tenths int // recorded speed in tenths of a word per minute; -1: none
}

// view draws a page view, of 10,000 by its speed, and whether it lasts three seconds. A page has 150 to 250 words, so that below 800
// words per minute it lasts at least eleven seconds, and in less than three it was above 3,000.
func (c *chance) view() view {
	words := c.between(150, 250)
	switch class := c.below(10_000); {
	case class < 4900: // below 590: half of those with a speed
		return atSpeed(words, c.between(400, 5899))
	case class < 5300: // from 590 to 800: with the slow ones 53 %
		return atSpeed(words, c.between(5900, 8000))
	case class < 6076: // above 800, three seconds or more
		return atSpeed(words, c.between(8001, words*200))
	case class < 9800: // above 800, less than three seconds
		ms := c.between(300, 2999)
		return view{words, ms, words * 600_000 / ms}
	case class < 9876: // without a speed, less than three seconds: 38 % with those before
		return view{words, c.between(300, 2999), -1}
	default:
		return view{words, c.between(3000, 90_000), -1}
	}
}

// atSpeed returns the view of so many words at a speed.
func atSpeed(words, tenths int) view { return view{words, words * 600_000 / tenths, tenths} }
