package generate

// habit is how often an account comes and how much it reads. The zero habit never comes.
type habit struct {
	presence int // days with an access, in a thousand weekdays
	reading  int // days with reading, in a thousand of those
	pages    int // page views on such a day, on average
}

// newHabit draws a habit: of a thousand accounts 80 never come and 100 come without reading.
func newHabit(c *chance) habit {
	kind := c.below(1000)
	if kind < 80 {
		return habit{}
	}
	h := habit{presence: c.presence(), reading: c.between(780, 980), pages: c.appetite()}
	if kind < 180 {
		h.reading = 0
	}
	return h
}

// presence draws how often an account comes: one in four almost daily, three in ten seldom.
func (c *chance) presence() int {
	switch kind := c.below(100); {
	case kind < 25:
		return c.between(850, 1000)
	case kind < 70:
		return c.between(450, 800)
	default:
		return c.between(20, 500)
	}
}

// appetite draws how many pages an account views on a day of reading: few read much.
func (c *chance) appetite() int {
	switch kind := c.below(100); {
	case kind < 60:
		return c.between(4, 14)
	case kind < 90:
		return c.between(12, 30)
	default:
		return c.between(28, 48)
	}
}

// view is one page view.
type view struct {
	words  int
	ms     int // how long it lasts
	tenths int // recorded speed in tenths of a word per minute; -1: none
}

// The classes of page views, of 10,000: their speed, and whether they last three seconds. A page has 150 to 250 words,
// so that below 800 words per minute it lasts at least eleven seconds, and in less than three it was above 3,000.
const (
	viewSlow     = 4900               // below 590: half of those with a speed
	viewMiddling = viewSlow + 400     // from 590 to 800: with the slow ones 53 %
	viewFast     = viewMiddling + 776 // above 800, three seconds or more
	viewFlip     = viewFast + 3724    // above 800, less than three seconds
	viewBlink    = viewFlip + 76      // without a speed, less than three seconds: 38 % with the flips
)

// view draws a page view.
func (c *chance) view() view {
	words := c.between(150, 250)
	switch class := c.below(10_000); {
	case class < viewSlow:
		return atSpeed(words, c.between(400, 5899))
	case class < viewMiddling:
		return atSpeed(words, c.between(5900, 8000))
	case class < viewFast:
		return atSpeed(words, c.between(8001, words*200)) // at which the page lasts 3 s
	case class < viewFlip:
		ms := c.between(300, 2999)
		return view{words, ms, words * 600_000 / ms}
	case class < viewBlink:
		return view{words, c.between(300, 2999), -1}
	default:
		return view{words, c.between(3000, 90_000), -1}
	}
}

// atSpeed returns the view of so many words at a speed.
func atSpeed(words, tenths int) view { return view{words, words * 600_000 / tenths, tenths} }
