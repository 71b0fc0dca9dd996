package generate

import (
	"context"
	"fmt"
	"strconv"

	"github.com/lectern-dev/lectern/paging/row"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/intake"
)

// Network is the reference of the network that a schools feed describes.
const Network = "rede-1"

// schoolsFiles are the files of a schools feed, each with the record that declares its fields.
var schoolsFiles = map[string]row.Row{
	"entities": &intake.EntityRow{}, "accounts": &intake.AccountRow{}, "books": &schools.Book{},
	"evaluations": &intake.EvaluationRow{}, "segments": &intake.SegmentRow{}, "accesses": &intake.AccessRow{},
}

// Schools writes the feed of one network into dir, which is created if it is missing. The network's reference is
// [Network]. Its schools have about 500 users each, its classes 28 readers. One in 25 users is a teacher. From ten
// users on, one is an administrator and one is internal. The same parameters give the same bytes.
//
// On an error, or when ctx is done, it removes the files that it has written.
func Schools(ctx context.Context, dir string, p Params) (Summary, error) {
	if p.First == 0 {
		p.First = schools.HistoryStart()
	}
	var n *network
	sum, err := writeFeed(dir, p, schoolsFiles, func(f *feed) error {
		n = newNetwork(f)
		n.records()
		return n.events(ctx)
	})
	if err == nil {
		sum["schools"], sum["classes"] = int64(len(n.schools)), int64(len(n.classes))
	}
	return sum, err
}

// network is a schools feed that is being written. Accounts are numbered from 0: readers by class, teachers, administrator, internal.
type network struct {
	*feed
	schools           []school
	classes           []class
	books             []book
	readers, teachers int
	segments          *table
}

type school struct{ inep, name, state, city string }

// ref returns the school's reference.
func (s school) ref() string { return "escola-" + s.inep }

// class is a class of a school.
type class struct {
	school            school
	ref, name, degree string
	readers           int
}

// book is a title of the catalogue.
type book struct {
	Title
	length int // in words
}

const (
	usersPerSchool  = 500
	readersPerClass = 28
	usersPerTeacher = 25
	usersForOthers  = 10 // the least number of users with teachers, an administrator and an internal account
)

// newNetwork invents schools and distributes the users over them.
func newNetwork(f *feed) *network {
	n := &network{feed: f, segments: f.tables["segments"], readers: f.Users}
	list := invented(f.chance(forSchool, 0))
	titles := f.Books
	if titles == nil {
		titles = classics()
	}
	for i, t := range titles {
		c := f.chance(forBook, i)
		low := 1500 << pick(c, []int{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6}) // more of them short
		n.books = append(n.books, book{t, min(c.between(low, 2*low), 120_000)})
	}
	if f.Users >= usersForOthers {
		n.teachers = max(1, f.Users/usersPerTeacher)
		n.readers -= n.teachers + 2
	}
	n.schools = list[:min(len(list), max(1, (f.Users+usersPerSchool/2)/usersPerSchool))]
	for i, s := range n.schools {
		readers := share(n.readers, len(n.schools), i)
		classes := max(1, (readers+readersPerClass-1)/readersPerClass)
		for k := range classes {
			n.classes = append(n.classes, newClass(s, k, share(readers, classes, k)))
		}
	}
	return n
}

// share returns the i-th of parts nearly equal parts of a whole.
func share(whole, parts, i int) int { return whole*(i+1)/parts - whole*i/parts }

// degrees are those of a school's classes, in the order in which it opens them.
var degrees = []string{"7", "3", "1", "5", "9", "2", "6", "4", "8", "M1", "I", "M2", "M3"}

// newClass returns the i-th class of a school.
func newClass(s school, i, readers int) class {
	degree, letter := degrees[i%len(degrees)], letters(i/len(degrees))
	name := degree + "º ano " + letter
	switch {
	case degree == "I":
		name = "Infantil " + letter
	case degree[0] == 'M':
		name = degree[1:] + "ª série " + letter
	}
	return class{s, "turma-" + s.inep + "-" + degree + letter, name, degree, readers}
}

// letters returns A to Z, then AA, AB and so on.
func letters(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return letters(i/26-1) + letters(i%26)
}

// records writes entities, accounts, books and evaluations.
func (n *network) records() {
	entities, state := n.tables["entities"], n.schools[0].state
	entities.row(Network, "network", "Rede "+state, "F", nil, state, nil, nil)
	for _, s := range n.schools {
		entities.row(s.ref(), "school", s.name, "F", s.inep, s.state, s.city, Network)
	}
	account := 0
	for _, c := range n.classes {
		entities.row(c.ref, "class", c.name, c.degree, nil, c.school.state, c.school.city, c.school.ref())
		for range c.readers {
			n.account(account, "reader", c.ref)
			account++
		}
	}
	n.others()
	for i, b := range n.books {
		n.tables["books"].row(i+1, b.Name, b.Author, b.ISBN, b.length)
	}
	for i := range 2 * len(n.schools) {
		c := n.chance(forEvaluation, i)
		day := n.First + calendar.Date(c.below(n.Days))
		n.tables["evaluations"].row(i+1, n.schools[i/2].ref(), fmt.Sprintf("Avaliação de fluência %d", i%2+1),
			at(day, c.between(8, 16)*hourMS).written(false))
	}
}

// others writes the accounts other than readers. One teacher in ten belongs to the network.
func (n *network) others() {
	for i := range n.teachers {
		place := Network
		if i%10 != 9 {
			place = n.schools[i%len(n.schools)].ref()
		}
		n.account(n.readers+i, "teacher", place)
	}
	if n.teachers > 0 {
		n.account(n.Users-2, "administrator", Network)
		n.account(n.Users-1, "internal", "")
	}
}

// account writes one row. Three in a hundred are inactive, two have no name, ten no address.
func (n *network) account(i int, kind, place string) {
	c := n.chance(forAccount, i)
	name, address := person(c, i)
	if c.in1000(20) {
		name = ""
	}
	if c.in1000(100) {
		address = ""
	}
	phone := ""
	if kind != "reader" && c.in1000(500) {
		phone = "+55 00 0000-" + strconv.Itoa(1000+i%9000) // there is no area 00
	}
	n.tables["accounts"].row(n.ref(i), kind, name, address, phone, place, !c.in1000(30))
}

// ref returns the reference of an account.
func (n *network) ref(i int) string {
	switch {
	case i < n.readers:
		return fmt.Sprintf("aluno-%06d", i+1)
	case i < n.readers+n.teachers:
		return fmt.Sprintf("prof-%04d", i-n.readers+1)
	case i == n.readers+n.teachers:
		return "admin-1"
	}
	return "interno-1"
}
