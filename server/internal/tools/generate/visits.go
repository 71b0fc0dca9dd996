package generate

import (
	"context"
	"strconv"
	"time"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// loanDays is how long a loan or its renewal lasts.
const loanDays = 14

// events writes the events by day, and on each day by reader. It returns the readers as they are on the last day.
func (l *lending) events(ctx context.Context) ([]reader, error) {
	readers := make([]reader, l.Users)
	for i := range readers {
		readers[i] = l.newReader(i)
	}
	return readers, l.days(ctx, func(today calendar.Date) {
		open := week{850, 850}.open(today)
		for i := range readers {
			r := &readers[i]
			if r.presence > 0 && r.joined <= today && (r.gone == 0 || r.gone > today) && r.comes(int(r.presence), open) {
				visit{l, r, at(today, r.moment())}.write()
			}
		}
	})
}

// visit is a day on which a reader comes.
type visit struct {
	*lending
	*reader
	start instant
}

func (v visit) today() calendar.Date { return v.start.day() }

func (v visit) time(t instant) any {
	if t == 0 {
		return nil
	}
	return t.written(v.below(2) == 0)
}

func (v visit) later() instant { return at(v.today(), v.moment()) }

// write writes the day. A reader who does nothing else has a record of activity.
func (v visit) write() {
	v.seen = v.today()
	done := v.borrow()
	if v.in1000(585) {
		done = v.read() || done
	}
	if v.in1000(150) {
		t := v.tables["previews"]
		t.row("p"+strconv.Itoa(t.next()), v.id, v.work(&v.chance)+1, v.time(v.later()))
		done = true
	}
	if v.in1000(45) {
		v.reserve()
		done = true
	}
	if v.in1000(31) {
		v.suggest()
	}
	if !done || v.in1000(480) {
		t := v.tables["activity"]
		t.row("a"+strconv.Itoa(t.next()), v.id, v.time(v.later()))
	}
}

// borrow begins a reserved loan that is due. It may also make a loan, more often if there is none, and reports whether it did.
func (v visit) borrow() bool {
	r := v.reader
	if r.next.to != 0 && r.next.from <= v.today() {
		r.loan, r.next, r.progress = r.next, loan{}, 0
	}
	often := 210
	if r.loan.to < v.today() {
		r.loan, often = loan{}, 950
	}
	if !v.in1000(often) {
		return false
	}
	r.loan, r.progress = v.lend(v.work(&v.chance), v.start), 0
	return true
}

// renewed has how often each of ten loans is renewed.
var renewed = []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 2}

// lend writes a loan with its renewals, as they are on the last day. Four in ten are returned, the others expire.
func (v visit) lend(work int, from instant) loan {
	loans, renewals := v.tables["loans"], v.tables["renewals"]
	lent, day, known := loans.next(), from.day(), v.known(v.reader.membership)
	due, back := day+loanDays, v.dayBetween(day, day+loanDays)
	for range pick(&v.chance, renewed) {
		on := due - calendar.Date(v.below(3))
		if on > known {
			break
		}
		when := at(on, v.moment())
		renewals.row("r"+strconv.Itoa(renewals.next()), lent, v.id, work+1, v.time(when))
		back = v.dayBetween(on, on+loanDays)
		due += loanDays
	}
	status, end := "expired", at(due, dayMS-1000)
	if v.in1000(400) && back < due && back <= known {
		status, end = "returned", max(from, at(back, v.moment()))
	}
	last := end.day()
	if last > v.end() {
		status, end = "active", 0
	}
	borrowed, told := v.time(from), due
	if v.in1000(3) {
		told = 0
	}
	loans.row(lent, v.id, work+1, borrowed, told, v.time(end), status)
	return loan{int32(work), day, last}
}

// reserve writes a reservation as it is on the last day, and the loan that it becomes. A copy is released within a month and kept for
// three days. Of a hundred reservations 55 become loans, 20 are cancelled and 25 are lost.
func (v visit) reserve() {
	work, reserved := v.work(&v.chance), v.later()
	released := v.today() + calendar.Date(v.between(1, 30))
	status, on := "lost", released+3
	switch kind := v.below(100); {
	case kind < 55:
		status, on = "converted", released+calendar.Date(v.below(3))
	case kind < 75:
		status, on = "cancelled", v.dayBetween(v.today()+1, released)
	}
	if v.gone != 0 && on >= v.gone {
		status, on = "cancelled", v.gone
	}
	end, position := at(on, v.moment()), any(nil)
	if on > v.end() {
		end, status = 0, "waiting"
		if released <= v.end() {
			status = "available"
		}
		v.queue[work]++
		position = optional(int(v.queue[work]), !v.in1000(20))
	}
	t := v.tables["reservations"]
	t.row(t.next(), v.id, work+1, status, position, v.time(reserved), v.time(end))
	if status == "converted" {
		v.next = v.lend(work, end)
	}
}

// suggest writes a request. One in four has only a search term; some are spelled differently.
func (v visit) suggest() {
	w := v.wishes[v.rank(len(v.wishes))]
	switch v.below(12) {
	case 0, 1, 2:
		w = wish{term: plain(w.Name), availability: w.availability}
	case 3:
		w.Name = " " + w.Name + "  "
	case 4:
		w.Name = plain(w.Name)
	}
	t := v.tables["suggestions"]
	t.row(t.next(), v.id, w.Name, w.Author, w.publisher, w.term, w.availability, v.time(v.later()))
}

// read writes the sittings of a day, mostly of the loan. On one day in fifty they are of an earlier day, as if they
// arrived late. It reports whether there are sittings today.
func (v visit) read() bool {
	work := int(v.loan.work)
	if v.loan.to == 0 {
		if !v.in1000(100) {
			return false
		}
		work = v.work(&v.chance)
	}
	if w := v.works[work]; !w.ebook && !w.audio {
		return false
	}
	when, today := v.start, true
	if v.in1000(20) {
		day := max(v.today()-calendar.Date(v.between(1, 9)), v.joined, v.First)
		today = day == v.today()
		when -= instant(v.today()-day) * dayMS
	}
	day, utc := when.day(), v.below(2) == 0
	for range 1 + v.below(2*int(v.sittings)) {
		if when.day() > day {
			break
		}
		seconds := v.of(sittings)
		v.sit(work, when.written(utc), seconds)
		when += instant(seconds+v.between(5, 1200)) * 1000
	}
	return today
}

// sittings are the seconds of sittings: three in ten are short, two are long.
var sittings = []band{{3, 5, 120}, {5, 120, 1800}, {2, 1800, 5400}}

// sit writes a sitting. One in twenty goes back in the book. One in three of a title with both formats is listened to.
func (v visit) sit(place int, when time.Time, seconds int) {
	w := &v.works[place]
	reached := min(seconds*10_000/(w.hours*3600), 10_000)
	if v.loan.to != 0 {
		v.progress = min(v.progress+int32(reached), 10_000)
		reached = int(v.progress)
	}
	if v.in1000(50) {
		reached = reached * v.below(1000) / 1000
	}
	mode, format := "online", "ebook"
	if v.in1000(int(v.offline)) {
		mode = "offline"
	}
	if !w.ebook || w.audio && v.below(3) == 0 {
		format = "audiobook"
	}
	t := v.tables["sessions"]
	t.row("s"+strconv.Itoa(t.next()), v.id, place+1, when, seconds, mode, format, hundredths(reached))
}
