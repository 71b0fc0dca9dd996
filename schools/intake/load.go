package intake

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/reading/extsort"
	"github.com/lectern-dev/lectern/reading/packed"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
)

// LoadOptions are the options of [Load]. The zero value is ready.
type LoadOptions struct {
	// Begin is written before everything else.
	Begin []snapshot.Change
	// Moves says which events belong to other accounts than when they were sorted.
	Moves Moves
	// Count counts the events and writes nothing.
	Count bool
	// Progress, if not nil, is called with the number of finished steps, from 0 on.
	Progress func(done, total int)
}

// Load aggregates sorted events onto the snapshot that the writer builds on, and writes the blocks that
// change: user by user, partition by partition, then day by day. It returns the number of new events, and of
// those that were loaded before (F1). Errors of the store and of corrupt blocks end it. The sorter keeps its
// events and may be used again.
func Load(ctx context.Context, w snapshot.Writer, events *Sorter, o LoadOptions) (fresh, repeated int, err error) {
	l := &schoolLoad{facts: facts.Facts{Blocks: w, Partner: directory.PartnerID(w.Tenant()), At: w.Base()}}
	l.Pipeline = snapshot.Pipeline{
		Writer: w, Begin: o.Begin, Records: &events.Sorter, Aggregate: l.aggregate, Merge: l.merge,
		FirstDay: int64(schools.HistoryStart()), Count: o.Count, Progress: o.Progress,
	}
	if o.Moves.others() {
		l.Records, err = events.moved(o.Moves)
		defer l.Records.Close()
	} else {
		l.dropped = o.Moves
	}
	if err == nil {
		err = l.Run(ctx)
	}
	return l.fresh, l.repeated, err
}

// schoolLoad is the state of one call of Load.
type schoolLoad struct {
	snapshot.Pipeline
	facts   facts.Facts
	dropped Moves // the accounts whose events are dropped

	fresh, repeated int
}

// runChanges has the changes of one run of events, already in their stored form.
type runChanges struct {
	days                         extsort.Records // the rows of days, for the second pass
	records, events, sums, index snapshot.Puts
	fresh, repeated              int

	had     *facts.Index // the stored index of the block in work
	block   int64
	changed map[directory.UserID]facts.UserIndex // the new indexes of users of that block
}

// storedUsers is what is stored of some users.
type storedUsers struct {
	events  map[snapshot.BlockKey]*facts.EventSet
	index   *facts.Index
	records map[facts.RecordKey]*reading.Record
	sums    map[directory.UserID]*facts.Sums
}

// aggregate aggregates a run of events. Runs are aggregated on several goroutines, so only Counted touches l.
func (l *schoolLoad) aggregate(ctx context.Context, run *extsort.Run) (snapshot.Written, error) {
	p := &runChanges{
		records: snapshot.Puts{Kind: facts.RecordKind}, events: snapshot.Puts{Kind: facts.EventSetKind}, index: snapshot.Puts{Kind: facts.IndexKind},
		sums:    snapshot.Puts{Kind: facts.SumsKind},
		changed: map[directory.UserID]facts.UserIndex{},
	}
	for events := range batches(run, l.dropped, eventsAtOnce) {
		if err := l.aggregateUsers(ctx, p, events); err != nil {
			return snapshot.Written{}, err
		}
	}
	p.packIndex()
	w := snapshot.WrittenOf(l.Tenant(), &p.records, &p.events, &p.sums, &p.index)
	w.Days = p.days
	w.Counted = func() {
		l.fresh += p.fresh
		l.repeated += p.repeated
	}
	return w, nil
}

// eventsAtOnce is about how many events of a run are decoded at a time, 80 bytes each, besides what is stored
// of their users.
const eventsAtOnce = 32 << 10

// aggregateUsers aggregates the events of some users.
func (l *schoolLoad) aggregateUsers(ctx context.Context, p *runChanges, batch []schools.Event) error {
	had, err := l.readStored(ctx, batch)
	if err != nil {
		return err
	}
	for user, events := range byUser(batch) {
		if block := facts.IndexBlock(user); block != p.block {
			p.packIndex()
			p.block = block
		}
		p.had = had.index
		stored := facts.Stored{Index: had.index.User(user), Events: had.events, Records: had.records}
		change, err := facts.Aggregate(stored, user, events)
		if err != nil {
			return fmt.Errorf("aggregate user %d: %w", user, err)
		}
		p.pack(&change, had)
	}
	return nil
}

// byUser yields the events of each user. They must be sorted by user.
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

// readStored reads what is stored of the users of events: the index blocks, then the event ids of the days from
// the first to the last, then the sums and records that the events change. A user with an index but without
// sums is corrupt.
func (l *schoolLoad) readStored(ctx context.Context, events []schools.Event) (storedUsers, error) {
	b := storedUsers{
		events: map[snapshot.BlockKey]*facts.EventSet{}, index: &facts.Index{}, records: map[facts.RecordKey]*reading.Record{},
		sums: map[directory.UserID]*facts.Sums{},
	}
	if l.Base() == 0 || len(events) == 0 {
		return b, nil
	}
	var err error
	if b.index, err = l.facts.Index(ctx, blocksOf(events)); err != nil {
		return b, err
	}
	var users, readers []directory.UserID
	var records []facts.RecordKey // that the events change, in order
	first, last := facts.EventBlock(events[0].Day), facts.EventBlock(events[0].Day)
	for user, events := range byUser(events) {
		if users = append(users, user); reads(events) {
			readers = append(readers, user)
		}
		for _, book := range facts.Needed(b.index.User(user), events) {
			records = append(records, facts.RecordKey{User: user, Book: book})
		}
		for _, e := range events {
			first, last = min(first, facts.EventBlock(e.Day)), max(last, facts.EventBlock(e.Day))
		}
	}
	ids := snapshot.Range{Among: snapshot.Numbers(users), B: snapshot.Between(first, last)}
	err = l.facts.Scan(ctx, facts.EventSetKind, ids, func(block snapshot.Block) error {
		s := &facts.EventSet{}
		b.events[block.BlockKey] = s
		return packed.Open(block.Data, s)
	})
	if err != nil {
		return b, err
	}
	err = l.facts.Sums(ctx, readers, func(user directory.UserID, sums *facts.Sums) error {
		b.sums[user] = sums.With(nil)
		return nil
	})
	if err != nil {
		return b, err
	}
	for _, user := range readers {
		if b.sums[user] == nil && len(b.index.User(user)) > 0 {
			return b, fmt.Errorf("the sums of user %d are missing: %w", user, packed.ErrCorrupt)
		}
	}
	return b, l.facts.Records(ctx, records, snapshot.Span{}, func(k facts.RecordKey, data []byte) (err error) {
		b.records[k], err = facts.ParseRecord(data)
		return err
	})
}

// reads reports whether any of the events is effective reading.
func reads(events []schools.Event) bool {
	return slices.ContainsFunc(events, func(e schools.Event) bool { return e.Effect == schools.EffectiveReading })
}

// blocksOf returns the index blocks of the users of events, who ascend.
func blocksOf(events []schools.Event) (blocks []int64) {
	for user := range byUser(events) {
		if b := facts.IndexBlock(user); len(blocks) == 0 || blocks[len(blocks)-1] != b {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// pack adds what has changed of a user: event ids, days, records, sums and the index.
func (p *runChanges) pack(c *facts.Change, had storedUsers) {
	p.fresh += c.New
	p.repeated += c.Repeated
	for _, block := range slices.Sorted(maps.Keys(c.Events)) {
		k := facts.EventSetKey(c.User, block)
		p.events.Add(k, had.events[k] != nil, packed.Append(nil, c.Events[block]))
	}
	var room [2 * binary.MaxVarintLen64]byte // for the user and the tenths of a day
	for _, d := range c.Days {
		p.days.Add(int64(d.Date), binary.AppendVarint(binary.AppendUvarint(room[:0], uint64(c.User)), d.Tenths))
	}
	if len(c.Records) == 0 {
		return
	}
	p.changed[c.User] = c.Index
	sums := cmp.Or(had.sums[c.User], &facts.Sums{})
	for _, book := range slices.Sorted(maps.Keys(c.Records)) {
		r := c.Records[book]
		p.records.AddBlock(snapshot.Block{
			BlockKey: snapshot.BlockKey{A: int64(c.User), B: book},
			Lo:       int32(r.Days[0].Date), Hi: int32(r.Days[len(r.Days)-1].Date), Data: r.AppendBinary(nil),
		}, had.records[facts.RecordKey{User: c.User, Book: book}] != nil)
	}
	p.sums.Add(snapshot.BlockKey{A: int64(c.User)}, had.sums[c.User] != nil, packed.Append(nil, sums.With(c.Records)))
}

// packIndex adds the changed pages of a block of users, after the last of its users was aggregated.
func (p *runChanges) packIndex() {
	if len(p.changed) > 0 {
		p.had.Put(&p.index, p.block, p.changed)
		clear(p.changed)
	}
}

// merge writes the rows of users into the blocks of their days. A run has all rows of its days.
func (l *schoolLoad) merge(ctx context.Context, run *extsort.Run) (snapshot.Written, error) {
	var dates []calendar.Date
	var rows [][]facts.DayRow
	for day, record := range run.All() {
		if n := len(dates); n == 0 || dates[n-1] != calendar.Date(day) {
			dates, rows = append(dates, calendar.Date(day)), append(rows, nil)
		}
		d, of := packed.Bare(record), &rows[len(rows)-1]
		*of = append(*of, facts.DayRow{User: directory.UserID(d.Uvarint()), Tenths: d.Varint()})
		if d.Bad() {
			return snapshot.Written{}, fmt.Errorf("spilled row of a day: %w", packed.ErrCorrupt)
		}
	}
	had := map[calendar.Date]*facts.Day{}
	err := l.ScanBase(ctx, facts.DayKind, snapshot.Range{Among: snapshot.Numbers(dates)}, func(b snapshot.Block) error {
		day := &facts.Day{}
		had[calendar.Date(b.A)] = day
		return packed.Open(slices.Clone(b.Data), day)
	})
	if err != nil {
		return snapshot.Written{}, err
	}
	days := snapshot.Puts{Kind: facts.DayKind}
	for i, date := range dates {
		day := cmp.Or(had[date], &facts.Day{})
		days.Add(snapshot.BlockKey{A: int64(date)}, had[date] != nil, packed.Append(nil, day.With(rows[i])))
	}
	return snapshot.WrittenOf(l.Tenant(), &days), nil
}
