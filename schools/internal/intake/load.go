package intake

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Load folds a pile of events onto the facts that a load builds on, and writes what changes: records and seen events part by
// part, ledgers and days, which all parts share, at the end. It returns how many of the events are new, and how many were
// loaded before (F1). progress, if not nil, is told the parts that are done.
func Load(ctx context.Context, w state.Writer, pile *Pile, progress func(done, total int)) (fresh, repeated int, err error) {
	l := &load{w: w, facts: facts.Facts{Blocks: w, Partner: directory.PartnerID(w.Tenant()), At: w.Base()}, days: map[calendar.Date]*facts.Sheet{}}
	l.out.Write, l.out.Limit = w.Write, pile.Batch()
	if l.ledgers, err = l.facts.Ledgers(ctx); err != nil {
		return 0, 0, err
	}
	done := 0
	err = spill.Each(ctx, pile.Parts(), func(ctx context.Context, part int) (*folded, error) { return l.fold(ctx, pile, part) },
		func(f *folded) error {
			if err := l.write(ctx, f); err != nil {
				return err
			}
			if done++; progress != nil {
				progress(done, pile.Parts())
			}
			return nil
		})
	if err == nil {
		err = l.writeLedgers(ctx)
	}
	if err == nil {
		err = l.writeDays(ctx)
	}
	if err == nil {
		err = l.out.Flush(ctx)
	}
	return l.fresh, l.repeated, err
}

// load is one Load under way.
type load struct {
	w     state.Writer
	facts facts.Facts
	out   spill.Batch[state.Change]

	fresh, repeated int

	ledgers *facts.Ledgers // as they were before
	changed []userLedger
	days    map[calendar.Date]*facts.Sheet
}

// put writes blocks, together with others.
func (l *load) put(ctx context.Context, of ...*state.Puts) error {
	changes, bytes := state.Changes(of...)
	return l.out.Add(ctx, bytes, changes...)
}

// userLedger is a ledger that the load changed.
type userLedger struct {
	user   directory.UserID
	ledger facts.Ledger
}

// folded is what one part of the pile changes, and the blocks of it, packed.
type folded struct {
	changes       []facts.Change
	had           before
	records, seen state.Puts
}

// before is what was folded before of the users of a part.
type before struct {
	seen    map[state.BlockKey]*facts.Seen
	records map[facts.RecordKey]*reading.Record
}

// seenPlace is where the seen events of a user in a block of days stand.
func seenPlace(user directory.UserID, block int64) state.BlockKey {
	return state.BlockKey{A: int64(user), B: block}
}

// fold folds one part of the pile.
func (l *load) fold(ctx context.Context, pile *Pile, part int) (*folded, error) {
	events, err := pile.Part(part)
	if err != nil {
		return nil, err
	}
	events = ByUser(events)
	f := &folded{records: state.Puts{Kind: facts.RecordKind}, seen: state.Puts{Kind: facts.SeenKind}}
	if f.had, err = l.before(ctx, events); err != nil {
		return nil, err
	}
	for user, events := range byUser(events) {
		a := facts.Account{Ledger: l.ledgers.Ledger(user), Seen: map[int64]*facts.Seen{}, Records: map[int64]*reading.Record{}}
		f.had.into(&a, user, events)
		change, err := facts.Fold(a, user, events)
		if err != nil {
			return nil, fmt.Errorf("fold user %d: %w", user, err)
		}
		f.pack(&change)
		f.changes = append(f.changes, change)
	}
	return f, nil
}

// byUser yields the events of each user, run by run where they are not sorted by user.
func byUser(events []schools.Event) func(func(directory.UserID, []schools.Event) bool) {
	return func(yield func(directory.UserID, []schools.Event) bool) {
		for len(events) > 0 {
			n := 1
			for n < len(events) && events[n].User == events[0].User {
				n++
			}
			if !yield(events[0].User, events[:n]) {
				return
			}
			events = events[n:]
		}
	}
}

// into gives an account what there was of it.
func (b before) into(a *facts.Account, user directory.UserID, events []schools.Event) {
	for _, e := range events {
		block := facts.SeenBlock(e.Day)
		if s := b.seen[seenPlace(user, block)]; s != nil {
			a.Seen[block] = s
		}
	}
	books, _ := a.Ledger.Unpack()
	for _, e := range books {
		if r := b.records[facts.RecordKey{User: user, Book: e.Book}]; r != nil {
			a.Records[e.Book] = r
		}
	}
}

// before reads what was folded before of a part's users, as far as its events touch it.
func (l *load) before(ctx context.Context, events []schools.Event) (before, error) {
	b := before{map[state.BlockKey]*facts.Seen{}, map[facts.RecordKey]*reading.Record{}}
	if l.w.Base() == 0 || len(events) == 0 {
		return b, nil
	}
	var users []int64
	var keys []facts.RecordKey
	first, last := facts.SeenBlock(events[0].Day), facts.SeenBlock(events[0].Day)
	for user, events := range byUser(events) {
		users = append(users, int64(user))
		books, err := facts.Needed(l.ledgers.Ledger(user), events)
		if err != nil {
			return b, err
		}
		for _, book := range books {
			keys = append(keys, facts.RecordKey{User: user, Book: book})
		}
		for _, e := range events {
			first, last = min(first, facts.SeenBlock(e.Day)), max(last, facts.SeenBlock(e.Day))
		}
	}
	seen := state.Range{Among: users, B: state.Between(first, last)}
	err := l.facts.Scan(ctx, facts.SeenKind, seen, func(block state.Block) error {
		s := &facts.Seen{}
		b.seen[block.BlockKey] = s
		return s.UnmarshalBinary(block.Data)
	})
	if err != nil {
		return b, err
	}
	return b, l.facts.Records(ctx, keys, state.Span{}, func(k facts.RecordKey, data []byte) error {
		r, err := facts.ParseRecord(data)
		b.records[k] = r
		return err
	})
}

// pack packs what changed of a user, by book and by days.
func (f *folded) pack(c *facts.Change) {
	for _, book := range slices.Sorted(maps.Keys(c.Records)) {
		r := c.Records[book]
		f.records.AddBlock(state.Block{
			BlockKey: state.BlockKey{A: int64(c.User), B: book},
			Lo:       int32(r.Days[0].Date), Hi: int32(r.Days[len(r.Days)-1].Date), Data: facts.AppendRecord(nil, *r),
		}, f.had.records[facts.RecordKey{User: c.User, Book: book}] != nil)
	}
	for _, block := range slices.Sorted(maps.Keys(c.Seen)) {
		k := seenPlace(c.User, block)
		f.seen.Add(k, f.had.seen[k] != nil, c.Seen[block].AppendBinary(nil))
	}
}

// write writes one part and keeps what the parts share.
func (l *load) write(ctx context.Context, f *folded) error {
	for i := range f.changes {
		l.keep(&f.changes[i])
	}
	return l.put(ctx, &f.records, &f.seen)
}

// keep takes over a user's part of the ledgers and days.
func (l *load) keep(c *facts.Change) {
	l.fresh += c.New
	l.repeated += c.Repeated
	if len(c.Records) > 0 {
		l.changed = append(l.changed, userLedger{c.User, c.Ledger})
	}
	for _, d := range c.Days {
		sheet := l.days[d.Date]
		if sheet == nil {
			sheet = &facts.Sheet{}
			l.days[d.Date] = sheet
		}
		sheet.Users = append(sheet.Users, c.User)
		sheet.Tenths = append(sheet.Tenths, d.Tenths)
	}
}

// writeLedgers writes the blocks of ledgers that changed.
func (l *load) writeLedgers(ctx context.Context) error {
	stored := map[int64]bool{} // of the blocks
	for _, c := range l.changed {
		block := facts.LedgerBlock(c.user)
		if _, known := stored[block]; !known {
			stored[block] = len(l.ledgers.AppendBlock(nil, block)) > 0
		}
	}
	for _, c := range l.changed {
		l.ledgers.Set(c.user, c.ledger)
	}
	p := state.Puts{Kind: facts.LedgerKind}
	for _, block := range slices.Sorted(maps.Keys(stored)) {
		p.Add(state.BlockKey{A: block}, stored[block], l.ledgers.AppendBlock(nil, block))
	}
	return l.put(ctx, &p)
}

// daysAtOnce bounds the sheets that are in memory unpacked at one time.
const daysAtOnce = 16

// writeDays merges the users of the load into the days that it touched.
func (l *load) writeDays(ctx context.Context) error {
	for days := range slices.Chunk(slices.Sorted(maps.Keys(l.days)), daysAtOnce) {
		had, err := l.sheets(ctx, days)
		if err != nil {
			return err
		}
		presence, minutes := state.Puts{Kind: facts.PresenceKind}, state.Puts{Kind: facts.MinutesKind}
		for _, day := range days {
			_, stored := had[day]
			merged := had[day].Merge(l.days[day].Sorted())
			delete(l.days, day)
			presence.Add(state.BlockKey{A: int64(day)}, stored, merged.AppendPresence(nil))
			minutes.Add(state.BlockKey{A: int64(day)}, stored, merged.AppendMinutes(nil))
		}
		if err := l.put(ctx, &presence, &minutes); err != nil {
			return err
		}
	}
	return nil
}

// sheets reads the sheets of some days, which ascend; a day without access has none.
func (l *load) sheets(ctx context.Context, days []calendar.Date) (map[calendar.Date]facts.Sheet, error) {
	had := map[calendar.Date]facts.Sheet{}
	if l.w.Base() == 0 {
		return had, nil
	}
	among := make([]int64, len(days))
	for i, d := range days {
		among[i] = int64(d)
	}
	minutes := map[int64]facts.Minutes{}
	err := l.facts.Scan(ctx, facts.MinutesKind, state.Range{Among: among}, func(b state.Block) error {
		minutes[b.A] = append(facts.Minutes(nil), b.Data...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return had, l.facts.Scan(ctx, facts.PresenceKind, state.Range{Among: among}, func(b state.Block) error {
		sheet, err := facts.ParseSheet(b.Data, minutes[b.A])
		had[calendar.Date(b.A)] = sheet
		return err
	})
}

// ByUser returns the events grouped by user, users ascending, each user's in the order in which they stand.
func ByUser(events []schools.Event) []schools.Event {
	next := map[directory.UserID]int{} // first the count, then the place of a user's next event
	for user, run := range byUser(events) {
		next[user] += len(run)
	}
	place := 0
	for _, user := range slices.Sorted(maps.Keys(next)) {
		n := next[user]
		next[user] = place
		place += n
	}
	grouped := make([]schools.Event, len(events))
	for user, run := range byUser(events) {
		next[user] += copy(grouped[next[user]:], run)
	}
	return grouped
}
