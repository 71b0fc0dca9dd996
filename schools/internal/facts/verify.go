package facts

import (
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// VerifyBlock returns an error where a stored block of a kind is none: its form, and of a record what its row says that it spans.
func VerifyBlock(k state.Kind, b state.Block) error {
	switch k {
	case RecordKind:
		r, err := ParseRecord(b.Data)
		if err == nil && (int32(r.Days[0].Date) != b.Lo || int32(r.Days[len(r.Days)-1].Date) != b.Hi) {
			err = fmt.Errorf("its row spans %v to %v, and it %v to %v",
				calendar.Date(b.Lo), calendar.Date(b.Hi), r.Days[0].Date, r.Days[len(r.Days)-1].Date)
		}
		return err
	case LedgerKind:
		return (&Ledgers{}).AddBlock(state.BlockKey{B: b.B}, b.Data)
	case PresenceKind:
		_, err := ParsePresence(b.Data)
		return err
	case SeenKind:
		return (&Seen{}).UnmarshalBinary(b.Data)
	case SumsKind:
		_, err := ParseSums(b.Data)
		return err
	}
	return nil // of minutes, that they are those of the day's users
}

// Known says what the registers have, for whom facts are.
type Known struct {
	User func(directory.UserID) bool
	Book func(int64) bool
}

// Verify computes anew what the forms of one state say together, and calls found with each thing that is wrong: each record has the
// days of its ledger; the sums of a user are those of the records; the tenths of a day are shared out as its milliseconds say (S3), and are those of its sheet; who has
// one is present; who is present has events; and all of them are in the registers. It holds the ledgers, the presence and one
// user's records. An error is one of reading, ErrCorrupt too.
func (f Facts) Verify(ctx context.Context, known Known, found func(string)) error {
	c := verifying{facts: f, known: known, found: found, summed: map[directory.UserID]uint32{}, days: map[calendar.Date]*daySum{}}
	for _, step := range []func(context.Context) error{c.presence, c.minutes, c.sums, c.records, c.events} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for _, day := range slices.Sorted(maps.Keys(c.days)) {
		c.day(day, c.days[day])
	}
	return nil
}

// verifying is one Verify.
type verifying struct {
	facts   Facts
	known   Known
	found   func(string)
	ledgers *Ledgers
	summed  map[directory.UserID]uint32 // the checksum of each user's sums
	days    map[calendar.Date]*daySum
}

// daySum is what is counted of a day: in its sheet, and in what the sheet was made of.
type daySum struct {
	present   *Set // nil: there is none
	users     int
	sheet     tenths
	hasSheet  bool
	records   tenths
	strangers int // who read and are not present
	seen      int // of those present
}

// tenths are those of a day's users, and a sum that tells whose they are.
type tenths struct{ sum, mixed uint64 }

func (t *tenths) add(user directory.UserID, n int64) {
	t.sum += uint64(n)
	t.mixed += uint64(n) * (uint64(user)*0x9e3779b97f4a7c15 | 1) // an odd factor: no tenth is lost
}

func (c *verifying) of(day calendar.Date) *daySum {
	d := c.days[day]
	if d == nil {
		d = &daySum{}
		c.days[day] = d
	}
	return d
}

// presence reads who came on each day.
func (c *verifying) presence(ctx context.Context) error {
	all, err := c.facts.Attendance(ctx)
	if err != nil {
		return err
	}
	unknown := map[directory.UserID]bool{}
	for i, day := range all.Days {
		d := c.of(day)
		d.present, d.users = &all.Sets[i], all.Sets[i].Len()
		for user := range all.Sets[i].All() {
			if !c.known.User(user) {
				unknown[user] = true
			}
		}
	}
	for _, user := range slices.Sorted(maps.Keys(unknown)) {
		c.found(fmt.Sprintf("user %d has days, and is no account", user))
	}
	return nil
}

// minutes sums the sheets.
func (c *verifying) minutes(ctx context.Context) error {
	return c.facts.Scan(ctx, MinutesKind, state.Range{}, func(b state.Block) error {
		day := calendar.Date(b.A)
		d := c.of(day)
		d.hasSheet = true
		m := Minutes(b.Data)
		if err := m.Check(d.users); err != nil {
			return fmt.Errorf("day %v: %w", day, err)
		}
		if d.present == nil {
			return nil
		}
		rank := 0
		for user := range d.present.All() {
			d.sheet.add(user, int64(m.At(rank)))
			rank++
		}
		return nil
	})
}

// sums reads the sums.
func (c *verifying) sums(ctx context.Context) error {
	return c.facts.Scan(ctx, SumsKind, state.Range{}, func(b state.Block) error {
		c.summed[directory.UserID(b.A)] = crc32.ChecksumIEEE(b.Data)
		return nil
	})
}

// records goes through what each user read, beside the user's ledger.
func (c *verifying) records(ctx context.Context) (err error) {
	if c.ledgers, err = c.facts.Ledgers(ctx); err != nil {
		return err
	}
	var user directory.UserID
	var books []BookDays
	var records []*reading.Record
	var sums Sums
	next := directory.UserID(0) // the first whose ledger was not looked at
	end := func(until directory.UserID) error {
		for ; next < until; next++ {
			if next == user && len(records) > 0 {
				err = c.user(user, books, records)
				c.compareSums(user, &sums)
				books, records, sums = books[:0], records[:0], Sums{}
			} else {
				err = c.user(next, nil, nil)
				c.compareSums(next, &Sums{})
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err = c.facts.Scan(ctx, RecordKind, state.Range{}, func(b state.Block) error {
		if id := directory.UserID(b.A); id != user {
			if err := end(id); err != nil {
				return err
			}
			user = id
		}
		r, err := ParseRecord(b.Data)
		if err != nil {
			return fmt.Errorf("record of user %d, book %d: %w", b.A, b.B, err)
		}
		if err := sums.Put(b.B, b.Data); err != nil {
			return err
		}
		of := BookDays{Book: b.B}
		for _, d := range r.Days {
			of.Days = append(of.Days, d.Date)
		}
		books, records = append(books, of), append(records, r)
		return nil
	})
	if err != nil {
		return err
	}
	for block := range c.ledgers.blocks {
		var p state.Puts // what would be written of what is there
		if c.ledgers.Put(&p, int64(block), nil); !p.Empty() {
			c.found(fmt.Sprintf("ledgers of users %d to %d are wrong about when a book was last read before", block*ledgerBlock, (block+1)*ledgerBlock-1))
		}
	}
	if err := end(max(user+1, c.ledgers.Users())); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(c.summed)) {
		c.compareSums(id, &Sums{})
	}
	return nil
}

// user compares a user's records with the ledger, and adds them to the days.
func (c *verifying) user(id directory.UserID, books []BookDays, records []*reading.Record) error {
	if len(records) > 0 && !c.known.User(id) {
		c.found(fmt.Sprintf("user %d has records, and is no account", id))
	}
	c.compare(id, books, c.ledgers.Ledger(id).Unpack())
	type part struct {
		book int
		day  *reading.Day
	}
	days := map[calendar.Date][]part{}
	for i, r := range records {
		for j := range r.Days {
			days[r.Days[j].Date] = append(days[r.Days[j].Date], part{i, &r.Days[j]})
		}
	}
	for date, parts := range days { // each by book
		var ms []int64
		for _, p := range parts {
			ms = append(ms, p.day.MS)
		}
		d := c.of(date)
		if d.present == nil || !d.present.Has(id) {
			d.strangers++
		}
		for i, n := range reading.DayMinutes(ms) {
			if got := parts[i].day.Minutes; got != n {
				c.found(fmt.Sprintf("record of user %d, book %d: %v has %v minutes, where %v are due", id, books[parts[i].book].Book, date, got, n))
			}
			d.records.add(id, int64(n))
		}
	}
	return nil
}

// compareSums compares a user's sums with those of the records.
func (c *verifying) compareSums(id directory.UserID, of *Sums) {
	if sum, ok := c.summed[id]; ok != (len(of.books) > 0) || ok && sum != crc32.ChecksumIEEE(of.AppendBinary(nil)) {
		c.found(fmt.Sprintf("sums of user %d: they are not those of the records", id))
	}
	delete(c.summed, id)
}

// compare compares the books and days of a user's records with those of the ledger.
func (c *verifying) compare(id directory.UserID, have, want []BookDays) {
	for len(have) > 0 || len(want) > 0 {
		switch {
		case len(want) == 0 || len(have) > 0 && have[0].Book < want[0].Book:
			c.found(fmt.Sprintf("record of user %d, book %d: the ledger lacks it", id, have[0].Book))
			have = have[1:]
			continue
		case len(have) == 0 || want[0].Book < have[0].Book:
			c.found(fmt.Sprintf("record of user %d, book %d is missing: the ledger has it", id, want[0].Book))
			want = want[1:]
			continue
		case !slices.Equal(have[0].Days, want[0].Days):
			c.found(fmt.Sprintf("record of user %d, book %d: %d days, in the ledger %d, or others", id, have[0].Book, len(have[0].Days), len(want[0].Days)))
		}
		if !c.known.Book(have[0].Book) {
			c.found(fmt.Sprintf("record of user %d, book %d: there is no such book", id, have[0].Book))
		}
		have, want = have[1:], want[1:]
	}
}

// events counts those present of whom events were seen.
func (c *verifying) events(ctx context.Context) error {
	return c.facts.Scan(ctx, SeenKind, state.Range{}, func(b state.Block) error {
		s := &Seen{}
		if err := s.UnmarshalBinary(b.Data); err != nil {
			return fmt.Errorf("seen events of user %d, block %d: %w", b.A, b.B, err)
		}
		for i, ids := range s.days {
			d := c.days[calendar.Date(b.B*seenDays)+calendar.Date(i)]
			if len(ids) > 0 && d != nil && d.present != nil && d.present.Has(directory.UserID(b.A)) {
				d.seen++
			}
		}
		return nil
	})
}

// day says what is wrong with a day.
func (c *verifying) day(day calendar.Date, d *daySum) {
	switch {
	case d.present == nil && d.hasSheet:
		c.found(fmt.Sprintf("day %v has minutes, and its presence is missing", day))
		return
	case d.present != nil && !d.hasSheet:
		c.found(fmt.Sprintf("day %v has users, and its minutes are missing", day))
		return
	case d.sheet.sum != d.records.sum:
		c.found(fmt.Sprintf("day %v has %d tenths of a minute in its sheet, and %d in the records", day, d.sheet.sum, d.records.sum))
	case d.sheet.mixed != d.records.mixed:
		c.found(fmt.Sprintf("day %v has in its sheet the tenths of a minute of other users than in the records", day))
	}
	if d.strangers > 0 {
		c.found(fmt.Sprintf("day %v lacks %d of the users who have records of it", day, d.strangers))
	}
	if d.seen < d.users {
		c.found(fmt.Sprintf("day %v has %d users, of %d of whom no event is known", day, d.users, d.users-d.seen))
	}
}
