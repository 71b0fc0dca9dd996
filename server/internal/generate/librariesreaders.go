package generate

import "github.com/lectern-dev/lectern/reading/calendar"

// membership is when a reader belongs to the network, in days of the feed.
type membership struct {
	joined int32 // may be before the feed
	gone   int32 // noDay: the account is active
	status string
}

// userID returns the identifier of a reader: every fourth one belongs to another network.
func userID(i int) int { return 10_000 + i + i/3 }

// membership draws when a reader came and went: seven in ten were there before the feed, three come in its course; one in
// twenty is blocked, one in sixty leaves, some of both before the feed.
func (c *chance) membership(days int) membership {
	m := membership{joined: -int32(c.between(1, 2000)), gone: noDay, status: "active"}
	if c.in1000(300) {
		m.joined = int32(c.below(days))
	}
	kind, early := c.below(1000), c.in1000(300)
	switch {
	case kind < 50:
		m.status = "deactivated"
	case kind < 66:
		m.status = "deleted"
	default:
		return m
	}
	if early && m.joined < 0 {
		m.gone = int32(c.between(int(m.joined), -1))
	} else {
		m.gone = int32(c.between(max(0, int(m.joined)), days-1))
	}
	return m
}

var readerFields = []string{
	"userId", "name", "email", "libraryId", "ageGroupId", "city", "state", "ra", "gender", "registeredAt", "status", "deletedAt", "updatedAt",
	"confirmedAt", "lastSignInAt",
}

// readers writes the readers as their diaries have them.
func (g *librariesFeed) readers(t *table, diaries []visits) {
	for i := range diaries {
		d := &diaries[i]
		c := newChance(g.Seed, forReader, i)
		m := c.membership(g.Days) // as it was drawn for the diary
		name, address := person(&c, i)
		if m.status == "deleted" {
			address = ""
		}
		t.int(userID(i))
		t.text(name)
		t.text(address)
		t.optional(1+c.below(len(g.names.libraries)), !c.in1000(60))
		t.optional(1+c.below(len(ageGroups)), !c.in1000(50))
		g.home(t, &c)
		g.gender(t, &c)
		g.date(t, int(m.joined))
		t.word(m.status)
		g.date(t, int(m.gone))
		g.changed(t, &c, m, int(d.last))
		t.end()
	}
}

// home writes where a reader lives: four in five in the network's own state, some nobody knows where.
func (g *librariesFeed) home(t *table, c *chance) {
	place := states[g.region]
	switch {
	case c.in1000(40):
		t.null()
		t.null()
		t.null()
		return
	case c.in1000(200):
		place = pick(c, states)
	}
	city := min(c.below(len(place.cities)), c.below(len(place.cities)))
	if c.in1000(20) {
		t.null()
	} else {
		t.text(place.cities[city])
	}
	t.word(place.code)
	t.text(administrativeRegion(city, c))
}

// gender writes a canonical gender, one in fifty as other systems write it, or none.
func (g *librariesFeed) gender(t *table, c *chance) {
	shouted := c.in1000(20)
	switch kind := c.below(100); {
	case kind < 8:
		t.null()
	case kind < 60 && shouted:
		t.word("FEMININO")
	case kind < 60:
		t.word("Feminino")
	case kind < 96 && shouted:
		t.word("MASCULINO")
	case kind < 96:
		t.word("Masculino")
	case kind < 98 && shouted:
		t.word("nao-binario")
	case kind < 98:
		t.word("Não-binário")
	default:
		t.word("Outro")
	}
}

// changed writes when a reader was changed, confirmed and last seen. Who was not seen in the days of the feed may have been
// before it; one in twenty never confirmed the address.
func (g *librariesFeed) changed(t *table, c *chance, m membership, last int) {
	joined := int(m.joined)
	changed := joined
	switch {
	case m.gone != noDay:
		changed = int(m.gone)
	case c.in1000(250):
		changed = c.between(joined, g.Days-1)
	}
	g.time(t, c, changed)
	if c.in1000(50) {
		t.null()
	} else {
		g.time(t, c, joined)
	}
	switch end := min(int(m.gone), 0) - 1; {
	case last >= 0:
		g.time(t, c, last)
	case end >= joined && c.in1000(600):
		g.time(t, c, c.between(joined, end))
	default:
		t.null()
	}
}

// time writes a time on a day of the feed or before it.
func (g *librariesFeed) time(t *table, c *chance, day int) {
	t.time(newClock(g.First+calendar.Date(day)), g.horizon.within(day, c.moment()), c.below(2) == 0)
}
