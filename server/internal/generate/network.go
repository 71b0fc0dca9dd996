package generate

import (
	"fmt"
	"strconv"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// school is a school of the network.
type school struct {
	inep, name, state, city string
}

// ref is the school's reference.
func (s school) ref() string { return "escola-" + s.inep }

// class is a class of a school.
type class struct {
	school int
	ref    string
	name   string
	degree string
}

// network is the schools and classes, and who belongs to them. Accounts are numbered from 0: first the readers, by
// class, then teachers, administrator and internal account.
type network struct {
	schools  []school
	classes  []class
	readers  int
	teachers int
	others   int // 0, or 2: an administrator and an internal account
	perClass []int
	firstOf  []int // of each class, its first reader
}

const (
	usersPerSchool  = 500
	readersPerClass = 28
	usersPerTeacher = 25
	usersForOthers  = 10 // from so many on there are teachers and other accounts
)

// newNetwork shares users out to as many of the schools as they fill, at least one.
func newNetwork(schools []school, users int) network {
	n := network{readers: users}
	if users >= usersForOthers {
		n.others, n.teachers = 2, max(1, users/usersPerTeacher)
		n.readers -= n.others + n.teachers
	}
	n.schools = schools[:min(len(schools), max(1, (users+usersPerSchool/2)/usersPerSchool))]
	first := 0
	for s := range n.schools {
		readers := share(n.readers, len(n.schools), s)
		classes := max(1, (readers+readersPerClass-1)/readersPerClass)
		for c := range classes {
			n.classes = append(n.classes, newClass(n.schools[s], s, c))
			n.firstOf = append(n.firstOf, first)
			n.perClass = append(n.perClass, share(readers, classes, c))
			first += share(readers, classes, c)
		}
	}
	return n
}

// share returns the i-th of parts nearly equal parts of a whole.
func share(whole, parts, i int) int { return whole*(i+1)/parts - whole*i/parts }

// degrees are those of a school's classes, in the order in which they are opened.
var degrees = []string{"7", "3", "1", "5", "9", "2", "6", "4", "8", "M1", "I", "M2", "M3"}

// newClass returns the i-th class of a school.
func newClass(s school, place, i int) class {
	degree := degrees[i%len(degrees)]
	letter := letters(i / len(degrees))
	name := degree + "º ano " + letter
	switch {
	case degree == "I":
		name = "Infantil " + letter
	case degree[0] == 'M':
		name = degree[1:] + "ª série " + letter
	}
	return class{place, "turma-" + s.inep + "-" + degree + letter, name, degree}
}

// letters returns A to Z, then AA, AB and so on.
func letters(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return letters(i/26-1) + letters(i%26)
}

// entities writes the network, its schools and their classes.
func (g *schoolsFeed) entities(t *table) {
	first := g.network.schools[0]
	g.entity(t, Network, "network", "Rede "+first.state, "F", "", first.state, "", "")
	for _, s := range g.network.schools {
		g.entity(t, s.ref(), "school", s.name, "F", s.inep, s.state, s.city, Network)
	}
	for _, c := range g.network.classes {
		s := g.network.schools[c.school]
		g.entity(t, c.ref, "class", c.name, c.degree, "", s.state, s.city, s.ref())
	}
}

// entity writes one row, its values in the order of the fields.
func (g *schoolsFeed) entity(t *table, values ...string) {
	for _, v := range values {
		t.text(v)
	}
	t.end()
}

// accounts writes the accounts in the order of their numbers.
func (g *schoolsFeed) accounts(t *table) {
	for i, c := range g.network.classes {
		for k := range g.network.perClass[i] {
			g.account(t, g.network.firstOf[i]+k, "reader", c.ref)
		}
	}
	n := g.network.readers
	for i := range g.network.teachers {
		place := Network // one in ten belongs to no single school
		if i%10 != 9 {
			place = g.network.schools[i%len(g.network.schools)].ref()
		}
		g.account(t, n+i, "teacher", place)
	}
	if g.network.others > 0 {
		g.account(t, n+g.network.teachers, "administrator", Network)
		g.account(t, n+g.network.teachers+1, "internal", "")
	}
}

// account writes one row. Three in a hundred are inactive, two have no name, ten no address.
func (g *schoolsFeed) account(t *table, number int, kind, place string) {
	c := newChance(g.Seed, forAccount, number)
	name, address := person(&c, number)
	if c.in1000(20) {
		name = ""
	}
	if c.in1000(100) {
		address = ""
	}
	phone := ""
	if kind != "reader" && c.in1000(500) {
		phone = "+55 00 0000-" + strconv.Itoa(1000+number%9000) // there is no area 00
	}
	t.open()
	t.buf = g.network.appendRef(t.buf, number)
	t.close()
	for _, v := range []string{kind, name, address, phone, place} {
		t.text(v)
	}
	t.bool(!c.in1000(30))
	t.end()
}

// appendRef appends the reference of an account.
func (n *network) appendRef(b []byte, number int) []byte {
	switch {
	case number < n.readers:
		return appendDigits(append(b, "aluno-"...), number+1, 6)
	case number < n.readers+n.teachers:
		return appendDigits(append(b, "prof-"...), number-n.readers+1, 4)
	case number == n.readers+n.teachers:
		return append(b, "admin-1"...)
	default:
		return append(b, "interno-1"...)
	}
}

// appendDigits appends a number with at least so many digits.
func appendDigits(b []byte, number, width int) []byte {
	for limit := 10; width > 1; width-- {
		if number < limit {
			b = append(b, "00000000"[:width-1]...)
			break
		}
		limit *= 10
	}
	return strconv.AppendInt(b, int64(number), 10)
}

// evaluations writes two for each school, within the days of the feed.
func (g *schoolsFeed) evaluations(t *table) {
	for i := range 2 * len(g.network.schools) {
		c := newChance(g.Seed, forEvaluation, i)
		t.int(i + 1)
		t.text(g.network.schools[i/2].ref())
		t.text(fmt.Sprintf("Avaliação de fluência %d", i%2+1))
		day := c.below(g.Days)
		ms := g.horizon.within(day, c.between(8, 16)*hourMS)
		t.open()
		t.buf = newClock(g.First+calendar.Date(day)).appendTime(t.buf, ms, false)
		t.close()
		t.end()
	}
}
