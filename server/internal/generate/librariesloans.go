package generate

// loanDays is how long a loan or its renewal lasts.
const loanDays = 14

// loan writes a loan with its renewals, as they will have come about by the feed's last day, and returns the last day of
// the loan. Four in ten are returned, the others expire.
func (v visit) loan(book, day, ms int) (until int) {
	v.loanID++
	id, due := v.loanID, day+loanDays
	known := min(v.feed.Days, int(v.d.gone)) - 1 // the last day of which the feed tells
	back := day + v.c.between(0, loanDays)
	for range pick(v.c, renewals) {
		at := due - v.c.below(3)
		if at > known {
			break
		}
		ms := v.c.moment()
		if !v.feed.horizon.reaches(at, ms) {
			break
		}
		v.renew(id, book, at, ms)
		back = v.c.between(at, at+loanDays)
		due += loanDays
	}
	status, end, endMS := "expired", due, dayMS-1000
	if v.c.in1000(400) && back < due && back <= known {
		if status, end, endMS = "returned", back, v.c.moment(); end == day {
			endMS = max(ms, endMS)
		}
	}
	if !v.feed.horizon.reaches(end, endMS) {
		status = "active"
	}
	t := v.loans
	t.int(id)
	t.int(v.user)
	t.int(book + 1)
	t.time(v.clocks[day], ms, v.c.below(2) == 0)
	v.date(t, due, !v.c.in1000(3))
	if status == "active" {
		t.null()
	} else {
		t.time(v.clocks[end], endMS, v.c.below(2) == 0)
	}
	t.word(status)
	t.end()
	return end
}

// renewals are how often loans are renewed.
var renewals = []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 2}

// renew writes a renewal.
func (v visit) renew(loan, book, day, ms int) {
	v.renewalID++
	t := v.renewals
	t.id('r', v.renewalID)
	t.int(loan)
	t.int(v.user)
	t.int(book + 1)
	t.time(v.clocks[day], ms, v.c.below(2) == 0)
	t.end()
}

// date writes a day, which may be after the feed.
func (v visit) date(t *table, day int, there bool) {
	if !there {
		day = noDay
	}
	v.feed.date(t, day)
}

// reserve writes a reservation as it will stand on the feed's last day, and the loan that it becomes. A copy is released
// within a month and kept three days: of a hundred reservations 55 become loans, 20 are cancelled, 25 are lost. Whoever
// leaves cancels.
func (v visit) reserve() {
	book, ms := v.feed.work(v.c), v.moment()
	released := v.today + v.c.between(1, 30)
	status, end := "lost", released+3
	switch kind := v.c.below(100); {
	case kind < 55:
		status, end = "converted", released+v.c.below(3)
	case kind < 75:
		status, end = "cancelled", v.c.between(v.today+1, released)
	}
	if end >= int(v.d.gone) {
		status, end = "cancelled", int(v.d.gone)
	}
	endMS := v.c.moment()
	if !v.feed.horizon.reaches(end, endMS) {
		status = "waiting"
		if released < v.feed.Days {
			status = "available"
		}
	}
	v.reservation(book, ms, status, end, endMS)
	if status == "converted" {
		v.d.next, v.d.from, v.d.nextDue = int32(book), int32(end), int32(v.loan(book, end, endMS))
	}
}

// reservation writes one row of today. The position is the place among the title's active ones; a few tell none.
func (v visit) reservation(book, ms int, status string, end, endMS int) {
	v.reservationID++
	t := v.reservations
	t.int(v.reservationID)
	t.int(v.user)
	t.int(book + 1)
	t.word(status)
	active := status == "waiting" || status == "available"
	if active {
		v.queue[book]++
	}
	t.optional(int(v.queue[book]), active && !v.c.in1000(20))
	t.time(v.clocks[v.today], ms, v.c.below(2) == 0)
	if active {
		t.null()
	} else {
		t.time(v.clocks[end], endMS, v.c.below(2) == 0)
	}
	t.end()
}

// wish is a title that readers suggest.
type wish struct {
	title
	publisher, term, availability string
}

// newWishes invents the titles that are suggested, one for each four of the catalogue, from 30 to 5,000. One in seven is in
// the catalogue already.
func newWishes(works []work, seed uint64) []wish {
	list := make([]wish, min(max(len(works)/4, 30), 5000))
	for i := range list {
		c := newChance(seed, forWish, i)
		w := wish{title: inventTitle(&c), availability: "none"}
		switch kind := c.below(100); {
		case kind < 15:
			w.title, w.availability = pick(&c, works).title, "catalog"
		case kind < 45:
			w.availability = "marketplace"
		}
		if c.in1000(500) {
			w.publisher = "Editora " + pick(&c, schoolNames)
		}
		if c.in1000(300) {
			w.term = plain(w.title.title)
		}
		list[i] = w
	}
	return list
}

// suggest writes a request. One in four names no title, only what was searched; some are written otherwise than the rest.
func (v visit) suggest() {
	w := v.feed.wishes[v.c.rank(len(v.feed.wishes))]
	switch v.c.below(12) {
	case 0, 1, 2:
		w = wish{term: plain(w.title.title), availability: w.availability}
	case 3:
		w.title.title = " " + w.title.title + "  "
	case 4:
		w.title.title = plain(w.title.title)
	}
	t := v.suggestions
	t.int(int(t.rows) + 1)
	t.int(v.user)
	for _, s := range []string{w.title.title, w.author, w.publisher, w.term} {
		t.text(s)
	}
	t.word(w.availability)
	v.now(t)
	t.end()
}
