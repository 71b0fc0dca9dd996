package generate

import (
	"fmt"

	"github.com/lectern-dev/lectern/reading/calendar"
)

// inventTitle invents a title and an author. Some titles have no author, some are the same.
func inventTitle(c *chance) Title {
	t := Title{Name: pick(c, nouns) + " " + pick(c, owners)}
	switch c.below(10) {
	case 0, 1:
		t.Name += ", volume " + fmt.Sprint(c.between(1, 4))
	case 2:
		t.Name += ": " + pick(c, subjects)
	}
	if !c.in1000(30) {
		t.Author, _ = person(c, 0)
	}
	return t
}

// inventTitles returns the titles of a library network: first those of the public domain.
func inventTitles(f *feed) []Title {
	list := classics()
	for i := len(list); i < f.Titles; i++ {
		list = append(list, inventTitle(f.chance(forTitle, i)))
	}
	for i := range list {
		list[i].ISBN = inventISBN(i)
	}
	return list
}

// inventISBN returns the number of the i-th title: 979-9 is given to no country. One title in nine has none, and one in
// nine shows hyphens.
func inventISBN(i int) string {
	if i%9 == 4 {
		return ""
	}
	digits := fmt.Sprintf("9799%08d", i+1)
	sum := 0
	for k, d := range digits {
		sum += int(d-'0') * (1 + 2*(k%2))
	}
	check := fmt.Sprint((10 - sum%10) % 10)
	if i%9 == 7 {
		return digits[:3] + "-" + digits[3:4] + "-" + digits[4:8] + "-" + digits[8:] + "-" + check
	}
	return digits + check
}

// work is a title of a library network. Its id is its place, from 1.
type work struct {
	Title
	rank                int32 // 0: the one most asked for
	ebook, audio, video bool
	hours               int // that it takes to read
}

// newWorks draws the formats and the demand of the titles.
func newWorks(f *feed, titles []Title) (works []work, popular []int32) {
	for i, t := range titles {
		c := f.chance(forBook, i)
		w := work{Title: t, hours: c.between(2, 10)}
		kind := c.below(1000)
		w.ebook = kind < 860 || kind >= 995
		w.audio = kind >= 720 && kind < 980
		w.video = kind >= 980
		works, popular = append(works, w), append(popular, int32(i))
	}
	shuffle(f.chance(forRank, 0), popular)
	for rank, i := range popular {
		works[i].rank = int32(rank)
	}
	return works, popular
}

// rank draws one of n items with a long tail. The first 512th comes as often as the second, the next two together, the
// next four together, and so on.
func (c *chance) rank(n int) int {
	bands := 1
	for high := max(1, n/512); high < n; high *= 2 {
		bands++
	}
	low, high := 0, max(1, n/512)
	for range c.below(bands) {
		low, high = high, 2*high
	}
	return c.between(low, min(high, n)-1)
}

func (l *lending) work(c *chance) int { return int(l.popular[c.rank(len(l.works))]) }

func (l *lending) catalogue() {
	for i, w := range l.works {
		c := l.chance(forShelf, i)
		l.tables["books"].row(
			i+1, w.Name, w.ISBN, w.Author, optional(1+c.below(len(publishers)), !c.in1000(50)),
			c.some(len(categories), 2), c.some(len(subjects), 4), w.ebook, w.audio, w.video,
			optional(pick(c, []int{1, 5, 10, 20, 26, 30, 52, 100}), c.in1000(600)), optional(c.between(1870, 2026), !c.in1000(40)),
		)
	}
}

// some draws 1 to most different numbers from 1 to n, ascending, and one time in twenty none.
func (c *chance) some(n, most int) (list []int64) {
	if c.in1000(50) {
		return nil
	}
	last := 0
	for range c.between(1, most) {
		last += c.between(1, n/most)
		list = append(list, int64(last))
	}
	return list
}

// line is one line of stock.
type line struct {
	collection, kind, modality string
	number, copies, price      int           // copies -1: not given; price in cents
	bought, expires            calendar.Date // expires 0: never
}

// lines writes the stock. Most titles have a platform line, two in three have own lines.
func (l *lending) lines() {
	for i, w := range l.works {
		c := l.chance(forLine, i)
		if c.in1000(600) {
			l.line(i, line{collection: "platform", kind: "purchase", number: i + 1, copies: -1, bought: l.First - calendar.Date(c.between(1, 600))})
		}
		if c.in1000(330) {
			continue
		}
		for range c.between(1, 3) {
			l.line(i, l.drawLine(c, w))
		}
	}
}

// drawLine draws an own line of a title. One in three is legacy. Titles in demand have more copies.
func (l *lending) drawLine(c *chance, w work) line {
	most := 2 + l.Users/(400+100*int(w.rank))
	one := line{
		collection: pick(c, []string{"additional", "additional", "manual"}), kind: "purchase",
		modality: pick(c, []string{"Licença perpétua", "Licença por 24 meses", "Por empréstimos"}),
		number:   c.between(1, 400), copies: c.between(1, most), price: c.between(990, 18_990), bought: c.dayBetween(l.First-500, l.end()),
	}
	if one.modality == "Licença por 24 meses" {
		one.expires = one.bought + 730
	}
	if c.in1000(330) {
		l.makeLegacy(c, &one)
	}
	return one
}

// makeLegacy makes a line a legacy line. A few have no copies, most are from before the history, and some expire before 2026.
func (l *lending) makeLegacy(c *chance, one *line) {
	one.collection, one.kind, one.modality, one.price = pick(c, []string{"external", "external", "manual"}), "legacy", "", 0
	if one.collection == "external" {
		one.copies *= 20
	}
	if c.in1000(80) {
		one.copies = -1
	}
	one.bought, one.expires = l.First-calendar.Date(c.between(1, 1500)), 0
	if c.in1000(100) {
		one.bought = l.First + calendar.Date(c.below(l.Days))
	}
	switch c.below(4) {
	case 0:
		one.expires = l.First - calendar.Date(c.between(250, 900)) // before 2026, if the feed begins with the history
	case 1:
		one.expires = l.First + calendar.Date(c.between(100, 900))
	}
}

func (l *lending) line(book int, one line) {
	t := l.tables["lines"]
	t.row(t.next(), book+1, one.collection, one.kind, one.number, one.modality,
		optional(one.copies, one.copies >= 0), optional(hundredths(one.price), one.price > 0), optional(hundredths(one.price*one.copies), one.price > 0),
		one.bought, one.expires)
}

// wish is a title that readers suggest.
type wish struct {
	Title
	publisher, term, availability string
}

// newWishes invents the titles that are suggested, one for every four of the catalogue, from 30 to 5,000. One in seven is in the catalogue.
func newWishes(f *feed, works []work) []wish {
	list := make([]wish, min(max(len(works)/4, 30), 5000))
	for i := range list {
		c := f.chance(forWish, i)
		w := wish{Title: inventTitle(c), availability: "none"}
		switch kind := c.below(100); {
		case kind < 15:
			w.Title, w.availability = pick(c, works).Title, "catalog"
		case kind < 45:
			w.availability = "marketplace"
		}
		if c.in1000(500) {
			w.publisher = pick(c, publishers)
		}
		if c.in1000(300) {
			w.term = plain(w.Name)
		}
		list[i] = w
	}
	return list
}
