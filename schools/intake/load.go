package intake

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/reading/spill"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// Options say how a load goes about it.
type Options struct {
	// Begin is written before all else.
	Begin []state.Change
	// Count counts the events alone, and writes nothing.
	Count bool
	// Progress, if not nil, is told the steps that are done, one after the other, from 0 on.
	Progress func(done, total int)
}

// Load folds a pile of events onto the facts that a load builds on, and writes what changes: records, seen events and ledgers part by
// part, then the days, which all parts share. It returns how many of the events are new, and how
// many were loaded before (F1).
func Load(ctx context.Context, w state.Writer, pile *Pile, o Options) (fresh, repeated int, err error) {
	l := &load{facts: facts.Facts{Blocks: w, Partner: directory.PartnerID(w.Tenant()), At: w.Base()}, pile: pile}
	l.Folding = state.Folding{
		Writer: w, Begin: o.Begin, Pile: &pile.Pile, Fold: l.fold, Merge: l.merge,
		Aside: spill.Pile{Dir: pile.Dir, Limit: pile.Limit}, Batch: pile.Batch(), Count: o.Count, Progress: o.Progress,
	}
	err = l.Run(ctx)
	return l.fresh, l.repeated, err
}

// load is one Load under way.
type load struct {
	state.Folding
	facts facts.Facts
	pile  *Pile

	fresh, repeated int
}

// part is what one part of the pile changes, and the blocks of it, packed.
type part struct {
	records, seen, sums, ledgers state.Puts
	fresh, repeated              int

	had     *facts.Ledgers // as they were of the block whose users are folded
	block   int64
	changed map[directory.UserID]facts.Ledger // of that block
}

// before is what was folded before of some users.
type before struct {
	seen    map[state.BlockKey]*facts.Seen
	ledgers *facts.Ledgers
	records map[facts.RecordKey]*reading.Record
	sums    map[directory.UserID]*facts.Sums
}

// seenPlace is where the seen events of a user in a block of days stand.
func seenPlace(user directory.UserID, block int64) state.BlockKey {
	return state.BlockKey{A: int64(user), B: block}
}

// fold folds one part of the pile, piece by piece where all of it may be too much for memory.
func (l *load) fold(ctx context.Context, i int, aside *spill.Sheaf) (state.Written, error) {
	p := &part{
		records: state.Puts{Kind: facts.RecordKind}, seen: state.Puts{Kind: facts.SeenKind}, ledgers: state.Puts{Kind: facts.LedgerKind},
		sums:    state.Puts{Kind: facts.SumsKind},
		changed: map[directory.UserID]facts.Ledger{},
	}
	err := l.pile.Pieces(i, func(events *Part) error {
		for batch := range events.Batches(eventsAtOnce) {
			if err := l.foldBatch(ctx, p, batch, aside); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return state.Written{}, err
	}
	p.packLedgers()
	w := state.WrittenOf(l.Tenant(), &p.records, &p.seen, &p.sums, &p.ledgers)
	w.Counted = func() {
		l.fresh += p.fresh
		l.repeated += p.repeated
	}
	return w, nil
}

// eventsAtOnce is about how many events of a part are in memory unpacked, 80 bytes each, with what was folded before of their users.
const eventsAtOnce = 32 << 10

// foldBatch folds the events of some users.
func (l *load) foldBatch(ctx context.Context, p *part, batch []schools.Event, aside *spill.Sheaf) error {
	had, err := l.before(ctx, batch)
	if err != nil {
		return err
	}
	for user, events := range byUser(batch) {
		if block := facts.LedgerBlock(user); block != p.block {
			p.packLedgers()
			p.block = block
		}
		p.had = had.ledgers
		a := facts.Account{Ledger: had.ledgers.Ledger(user), Seen: map[int64]*facts.Seen{}, Records: map[int64]*reading.Record{}}
		had.into(&a, user, events)
		change, err := facts.Fold(a, user, events)
		if err != nil {
			return fmt.Errorf("fold user %d: %w", user, err)
		}
		p.pack(&change, had)
		setAside(aside, &change)
	}
	return nil
}

// byUser yields the events of each user, which stand together.
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
	for _, line := range a.Ledger {
		if r := b.records[facts.RecordKey{User: user, Book: line.Book}]; r != nil {
			a.Records[line.Book] = r
		}
	}
}

// before reads what was folded before of the users of events, as far as these touch it.
func (l *load) before(ctx context.Context, events []schools.Event) (before, error) {
	b := before{
		seen: map[state.BlockKey]*facts.Seen{}, ledgers: &facts.Ledgers{}, records: map[facts.RecordKey]*reading.Record{},
		sums: map[directory.UserID]*facts.Sums{},
	}
	if l.Base() == 0 || len(events) == 0 {
		return b, nil
	}
	var err error
	if b.ledgers, err = l.facts.LedgersOf(ctx, blocksOf(events)); err != nil {
		return b, err
	}
	var users, readers []int64
	first, last := facts.SeenBlock(events[0].Day), facts.SeenBlock(events[0].Day)
	for user, events := range byUser(events) {
		if users = append(users, int64(user)); reads(events) {
			readers = append(readers, int64(user))
		}
		for _, e := range events {
			first, last = min(first, facts.SeenBlock(e.Day)), max(last, facts.SeenBlock(e.Day))
		}
	}
	seen := state.Range{Among: users, B: state.Between(first, last)}
	err = l.facts.Scan(ctx, facts.SeenKind, seen, func(block state.Block) error {
		s := &facts.Seen{}
		b.seen[block.BlockKey] = s
		return s.UnmarshalBinary(block.Data)
	})
	if err != nil {
		return b, err
	}
	err = l.facts.Sums(ctx, readers, func(user directory.UserID, sums *facts.Sums) error {
		b.sums[user] = sums
		return nil
	})
	if err != nil {
		return b, err
	}
	for _, id := range readers {
		if b.sums[directory.UserID(id)] == nil && len(b.ledgers.Ledger(directory.UserID(id))) > 0 {
			return b, fmt.Errorf("the sums of user %d are missing: %w", id, packed.ErrCorrupt)
		}
	}
	return b, l.facts.Records(ctx, b.keys(events), state.Span{}, func(k facts.RecordKey, data []byte) (err error) {
		b.records[k], err = facts.ParseRecord(data)
		return err
	})
}

// reads reports whether events read effectively.
func reads(events []schools.Event) bool {
	return slices.ContainsFunc(events, func(e schools.Event) bool { return e.Effect == schools.EffectiveReading })
}

// keys returns the records to read for events: those that they touch.
func (b *before) keys(events []schools.Event) (keys []facts.RecordKey) {
	for user, events := range byUser(events) {
		for _, book := range facts.Needed(b.ledgers.Ledger(user), events) {
			keys = append(keys, facts.RecordKey{User: user, Book: book})
		}
	}
	return keys
}

// blocksOf returns the blocks of the users of events, who ascend.
func blocksOf(events []schools.Event) (blocks []int64) {
	for user := range byUser(events) {
		if b := facts.LedgerBlock(user); len(blocks) == 0 || blocks[len(blocks)-1] != b {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// pack packs what changed of a user, by book and by days.
func (p *part) pack(c *facts.Change, had before) {
	p.fresh += c.New
	p.repeated += c.Repeated
	if len(c.Records) > 0 {
		p.changed[c.User] = c.Ledger
	}
	p.packRecords(c, had)
	for _, block := range slices.Sorted(maps.Keys(c.Seen)) {
		k := seenPlace(c.User, block)
		p.seen.Add(k, had.seen[k] != nil, c.Seen[block].AppendBinary(nil))
	}
}

// packRecords packs the records that changed of a user, and the sums.
func (p *part) packRecords(c *facts.Change, had before) {
	if len(c.Records) == 0 {
		return
	}
	sums := cmp.Or(had.sums[c.User], &facts.Sums{})
	for _, book := range slices.Sorted(maps.Keys(c.Records)) {
		r := c.Records[book]
		data := facts.AppendRecord(nil, *r)
		p.records.AddBlock(state.Block{
			BlockKey: state.BlockKey{A: int64(c.User), B: book},
			Lo:       int32(r.Days[0].Date), Hi: int32(r.Days[len(r.Days)-1].Date), Data: data,
		}, had.records[facts.RecordKey{User: c.User, Book: book}] != nil)
		_ = sums.Put(book, data) // what was just written is a record
	}
	p.sums.Add(state.BlockKey{A: int64(c.User)}, had.sums[c.User] != nil, sums.AppendBinary(nil))
}

// packLedgers packs the ledgers that changed of a block of users, all of whom are folded.
func (p *part) packLedgers() {
	if len(p.changed) > 0 {
		p.had.Put(&p.ledgers, p.block, p.changed)
		clear(p.changed)
	}
}

// setAside sets aside a user's rows of days: the day, the user, and the tenths.
func setAside(s *spill.Sheaf, c *facts.Change) {
	for _, d := range c.Days {
		b := s.Of(state.Slot(d.Date, schools.HistoryStart()))
		*b = binary.AppendVarint(*b, int64(d.Date))
		*b = binary.AppendUvarint(*b, uint64(c.User))
		*b = binary.AppendVarint(*b, d.Tenths)
	}
}

// merge merges what was set aside of a slot's days into their sheets.
func (l *load) merge(ctx context.Context, aside []byte) (state.Written, error) {
	later := map[calendar.Date]facts.Sheet{}
	for d := packed.Bare(aside); d.Len() > 0; {
		day := calendar.Date(d.Varint())
		s := later[day]
		s.Users, s.Tenths = append(s.Users, directory.UserID(d.Uvarint())), append(s.Tenths, d.Varint())
		if later[day] = s; d.Bad() {
			return state.Written{}, errSetAside
		}
	}
	days := slices.Sorted(maps.Keys(later))
	had, err := l.sheets(ctx, days)
	if err != nil {
		return state.Written{}, err
	}
	presence, minutes := state.Puts{Kind: facts.PresenceKind}, state.Puts{Kind: facts.MinutesKind}
	for _, day := range days {
		_, stored := had[day]
		merged := had[day].Merge(later[day].Sorted())
		presence.Add(state.BlockKey{A: int64(day)}, stored, merged.AppendPresence(nil))
		minutes.Add(state.BlockKey{A: int64(day)}, stored, merged.AppendMinutes(nil))
	}
	return state.WrittenOf(l.Tenant(), &presence, &minutes), nil
}

// sheets reads the sheets of some days, which ascend; a day without access has none.
func (l *load) sheets(ctx context.Context, days []calendar.Date) (map[calendar.Date]facts.Sheet, error) {
	had := map[calendar.Date]facts.Sheet{}
	among := state.Range{Among: state.Numbers(days)}
	minutes := map[int64]facts.Minutes{}
	err := l.Past(ctx, facts.MinutesKind, among, func(b state.Block) error {
		minutes[b.A] = slices.Clone(b.Data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return had, l.Past(ctx, facts.PresenceKind, among, func(b state.Block) error {
		sheet, err := facts.ParseSheet(b.Data, minutes[b.A])
		had[calendar.Date(b.A)] = sheet
		return err
	})
}
