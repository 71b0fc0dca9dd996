package generate

import (
	"context"
	"strconv"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// pupil is the state of an account of the schools between two days.
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

// One pupil in four comes almost daily, three in ten seldom. Few read much.
var (
	presences = []band{{25, 850, 1000}, {45, 450, 800}, {30, 20, 500}}
	appetites = []band{{60, 4, 14}, {30, 12, 30}, {10, 28, 48}}
)

// newPupil draws the habits of an account. 80 of a thousand never come, and 100 come and never read.
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

// The kinds of accesses: those that begin a day, those during it, and those that do not count.
var (
	arrivals = []string{"login", "login", "session"}
	deeds    = []string{"reading", "reading", "audiobook", "activity", "activity", "session", "assessment"}
	received = []string{"recommendation-received", "activity-received"}
)

// events writes the events by day, and on each day by account, as a daily export would.
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

// day writes the events of an account on a day. Accounts that do not come receive recommendations too.
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

// sitting writes successive page views, mostly of one book. It ends with the day.
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

// take gives the account a book, one time in three a popular one, which is at the front of the catalogue.
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

type view struct {
	words  int
	ms     int // how long it lasts
	tenths int // recorded speed in tenths of a word per minute; -1: none
}

// view draws a page view by its speed, and by whether it lasts three seconds. A page has 150 to 250 words: below 800 words per minute it
// lasts at least eleven seconds.
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
