package generate

import "github.com/lectern-dev/lectern/reading/calendar"

// work is a title of a library network. Its id is its place, from 1.
type work struct {
	title
	rank                int32 // 0: the one most asked for
	ebook, audio, video bool
	hours               int // that it takes to read
}

// readable reports whether there can be a session of the title.
func (w work) readable() bool { return w.ebook || w.audio }

// newWorks draws the formats of the titles, and which of them are asked for most.
func newWorks(titles []title, seed uint64) (works []work, popular []int32) {
	works, popular = make([]work, len(titles)), make([]int32, len(titles))
	for i, t := range titles {
		c := newChance(seed, forBook, i)
		w := work{title: t, hours: c.between(2, 10)}
		switch kind := c.below(1000); {
		case kind < 720:
			w.ebook = true
		case kind < 860:
			w.ebook, w.audio = true, true
		case kind < 980:
			w.audio = true
		case kind < 995:
			w.video = true
		default:
			w.ebook, w.video = true, true
		}
		works[i], popular[i] = w, int32(i)
	}
	c := newChance(seed, forRank, 0)
	shuffle(&c, popular)
	for rank, i := range popular {
		works[i].rank = int32(rank)
	}
	return works, popular
}

// rank draws one of n things with a long tail: the first of them, a 512th part, come as often as the next as many, as the
// two parts after these, as the next four, and so on.
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

// work draws a title, by its place.
func (g *librariesFeed) work(c *chance) int { return int(g.popular[c.rank(len(g.works))]) }

var bookFields = []string{
	"bookId", "title", "isbn", "author", "publisherId", "categoryIds", "subjectIds", "hasEbook", "hasAudiobook", "hasVideo", "maxUses", "publicationYear",
}

// catalogue writes the books.
func (g *librariesFeed) catalogue(t *table) {
	for i, w := range g.works {
		c := newChance(g.Seed, forShelf, i)
		t.int(i + 1)
		t.text(w.title.title)
		t.text(w.isbn)
		t.text(w.author)
		t.optional(1+c.below(len(g.names.publishers)), !c.in1000(50))
		t.ints(c.some(len(categories), 2))
		t.ints(c.some(len(subjects), 4))
		t.bool(w.ebook)
		t.bool(w.audio)
		t.bool(w.video)
		t.optional(pick(&c, []int{1, 5, 10, 20, 26, 30, 52, 100}), c.in1000(600))
		t.optional(c.between(1870, 2026), !c.in1000(40))
		t.end()
	}
}

// optional writes an integer, or null where there is none.
func (t *table) optional(n int, there bool) {
	if there {
		t.int(n)
	} else {
		t.null()
	}
}

// some draws from 1 to most different numbers from 1 to n, ascending; one time in twenty none.
func (c *chance) some(n, most int) []int {
	if c.in1000(50) {
		return nil
	}
	var list []int
	at := 0
	for range c.between(1, most) {
		at += c.between(1, n/most)
		list = append(list, at)
	}
	return list
}

var lineFields = []string{
	"lineId", "bookId", "collection", "kind", "number", "modality", "copies", "unitPrice", "totalPrice", "purchasedAt", "expiresAt",
}

// line is one line of stock. Days are counted from the feed's first, none is noDay.
type line struct {
	collection, kind, modality string
	number, copies, price      int // copies -1: not given; price in cents
	bought, expires            int
}

// noDay is later than every day.
const noDay = 1 << 30

// lines writes the stock: most titles have a line of the platform's, two in three have lines of their own.
func (g *librariesFeed) lines(t *table) {
	id := 0
	for i, w := range g.works {
		c := newChance(g.Seed, forLine, i)
		if c.in1000(600) {
			id++
			g.line(t, id, i, line{collection: "platform", kind: "purchase", number: i + 1, copies: -1, bought: -c.between(1, 600), expires: noDay})
		}
		if c.in1000(330) {
			continue
		}
		for range c.between(1, 3) {
			id++
			g.line(t, id, i, g.drawLine(&c, w))
		}
	}
}

// drawLine draws an own line of a title: one in three is legacy, of which a few have no copies, most are from before the
// history and some were to expire before 2026. Titles that are asked for much have more copies.
func (g *librariesFeed) drawLine(c *chance, w work) line {
	most := 2 + g.Users/(400+100*int(w.rank))
	l := line{
		collection: pick(c, []string{"additional", "additional", "manual"}), kind: "purchase", expires: noDay,
		modality: pick(c, []string{"Licença perpétua", "Licença por 24 meses", "Por empréstimos"}),
		number:   c.between(1, 400), copies: c.between(1, most), price: c.between(990, 18_990), bought: c.between(-500, g.Days-1),
	}
	if l.modality == "Licença por 24 meses" {
		l.expires = l.bought + 730
	}
	if !c.in1000(330) {
		return l
	}
	l.collection, l.kind, l.modality, l.price = pick(c, []string{"external", "external", "manual"}), "legacy", "", 0
	if l.collection == "external" {
		l.copies *= 20
	}
	if c.in1000(80) {
		l.copies = -1
	}
	l.bought, l.expires = -c.between(1, 1500), noDay
	if c.in1000(100) {
		l.bought = c.below(g.Days)
	}
	switch c.below(4) {
	case 0:
		l.expires = -c.between(250, 900) // before 2026, if the feed begins with the history
	case 1:
		l.expires = c.between(100, 900)
	}
	return l
}

// line writes one row.
func (g *librariesFeed) line(t *table, id, book int, l line) {
	t.int(id)
	t.int(book + 1)
	t.word(l.collection)
	t.word(l.kind)
	t.int(l.number)
	t.text(l.modality)
	t.optional(l.copies, l.copies >= 0)
	if l.price > 0 {
		t.hundredths(l.price)
		t.hundredths(l.price * l.copies)
	} else {
		t.null()
		t.null()
	}
	g.date(t, l.bought)
	g.date(t, l.expires)
	t.end()
}

// date writes a day of the feed, noDay as null.
func (g *librariesFeed) date(t *table, day int) {
	if day == noDay {
		t.null()
		return
	}
	t.open()
	t.buf, _ = (g.First + calendar.Date(day)).AppendText(t.buf) // the years of a feed have a text
	t.close()
}
