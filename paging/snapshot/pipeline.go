package snapshot

import (
	"cmp"
	"context"
	"slices"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/reading/extsort"
)

// Pipeline aggregates the sorted records of a load and writes the results, in two passes: first by user or reader, then
// by day, since all users share a day. Only a few partitions are in memory at a time, whatever the size of the feed.
// Some goroutines aggregate a partition each, while another writes earlier results.
type Pipeline struct {
	Writer
	// Begin is written first.
	Begin []Change
	// Records are the records to aggregate. They must be complete.
	Records *extsort.Sorter
	// Aggregate aggregates a run of Records. Merge gets the Days of its result.
	Aggregate func(context.Context, *extsort.Run) (Written, error)
	// Merge merges a run of records of days with the stored days.
	Merge func(context.Context, *extsort.Run) (Written, error)
	// FirstDay is the earliest possible day: days are written in their order.
	FirstDay int64
	// End, if not nil, returns what is written last.
	End func(context.Context) (Written, error)
	// Count runs the first pass for its counts, and writes nothing.
	Count bool
	// Progress, if not nil, is called with the number of partitions done, from 0, and their number in all passes.
	Progress func(done, total int)

	days        extsort.Sorter
	out         batch
	done, total int
}

// Written is the result of a run.
type Written struct {
	Changes []Change
	Bytes   int // approximate size of the changes
	// Days are records of days for the second pass, by day.
	Days extsort.Records
	// Counted, if not nil, is called before the changes are written, for all runs on the same goroutine.
	Counted func()
}

// WrittenOf returns the changes that put the collected blocks in, one for each kind.
func WrittenOf(t auth.Tenant, of ...*Puts) (w Written) {
	for _, p := range of {
		w.Bytes += p.bytes
		if len(p.deleted)+len(p.put) > 0 {
			w.Changes = append(w.Changes, BlockChange(t, p.Kind, p.deleted, slices.Values(p.put)))
		}
	}
	return w
}

// Run runs the load up to its last step, which publishes it.
func (p *Pipeline) Run(ctx context.Context) error {
	// Half of the limit: runs of Records are in memory at the same time. With all of it a load of 100,000 users and a year is nearer to
	// its memory limit, and the collector takes more of it.
	p.days = extsort.Sorter{Dir: p.Records.Dir, Limit: 2 * p.Records.Batch(), Hash: func(day int64) uint64 { return uint64(day - p.FirstDay) }}
	defer p.days.Close()
	p.out = batch{write: p.Write, limit: p.Records.Batch()}
	defer p.out.wait() // also after an error: the caller writes again when it ends the load
	if p.total = extsort.Partitions; !p.Count {
		p.total *= 2
	}
	p.tell()
	if p.Count {
		return extsort.Process(ctx, p.Records, p.Aggregate, p.each(func(w Written) error { return nil }))
	}
	if err := p.Write(ctx, p.Begin...); err != nil {
		return err
	}
	write := func(w Written) error { return p.out.add(ctx, w.Bytes, w.Changes...) }
	err := extsort.Process(ctx, p.Records, p.Aggregate, p.each(func(w Written) error {
		if err := p.days.AddAll(w.Days); err != nil {
			return err
		}
		return write(w)
	}))
	if err == nil {
		err = extsort.Process(ctx, &p.days, p.Merge, p.each(write))
	}
	if err == nil && p.End != nil {
		var last Written
		if last, err = p.End(ctx); err == nil {
			err = write(last)
		}
	}
	if err != nil {
		return err
	}
	return p.out.flush(ctx)
}

// each returns a function that takes the results of a partition.
func (p *Pipeline) each(take func(Written) error) func([]Written) error {
	return func(partition []Written) error {
		p.done++
		p.tell()
		for _, w := range partition {
			if w.Counted != nil {
				w.Counted()
			}
			if err := take(w); err != nil {
				return err
			}
		}
		return nil
	}
}

func (p *Pipeline) tell() {
	if p.Progress != nil {
		p.Progress(p.done, p.total)
	}
}

// batch collects changes to write them together, while earlier ones are written. Each write is a transaction of its
// own, which writes every page again that it shares with the one before.
type batch struct {
	// write is called on a goroutine of the batch, one call at a time.
	write func(context.Context, ...Change) error
	// limit is the number of bytes that are written together. As many more are collected while they are written.
	limit int

	waiting []Change
	bytes   int
	written chan error // result of the write under way; nil if there is none
	err     error      // of a write that has ended
}

// few is the part of the limit that is written while no other write is under way.
const few = 4

// add adds changes of about so many bytes, and begins a write when there are enough. The error may be that of an
// earlier write. After an error nothing more is written.
func (b *batch) add(ctx context.Context, bytes int, changes ...Change) error {
	b.waiting = append(b.waiting, changes...)
	b.bytes += bytes
	if b.bytes >= b.limit || b.bytes >= b.limit/few && b.idle() {
		b.begin(ctx)
	}
	return b.err
}

// flush writes the waiting changes, and returns when all are written.
func (b *batch) flush(ctx context.Context) error {
	b.begin(ctx)
	return b.wait()
}

// wait waits for the write under way. It leaves the waiting changes.
func (b *batch) wait() error {
	if b.written != nil {
		b.ended(<-b.written)
	}
	return b.err
}

// begin begins to write the waiting changes, once the write before has ended.
func (b *batch) begin(ctx context.Context) {
	changes := b.waiting
	b.waiting, b.bytes = nil, 0
	if b.wait() != nil || len(changes) == 0 {
		return
	}
	written := make(chan error, 1)
	b.written = written
	go func() { written <- b.write(ctx, changes...) }()
}

// idle reports whether no write is under way.
func (b *batch) idle() bool {
	select {
	case err := <-b.written:
		b.ended(err)
	default:
	}
	return b.written == nil
}

func (b *batch) ended(err error) { b.written, b.err = nil, cmp.Or(b.err, err) }

// ScanBase reads blocks of the snapshot that the load builds on, which is empty before the first load.
func (p *Pipeline) ScanBase(ctx context.Context, k Kind, r Range, visit func(Block) error) error {
	if p.Base() == 0 {
		return nil
	}
	return p.Writer.Scan(ctx, p.Tenant(), p.Base(), k, r, visit)
}

// Unwritten returns a Writer that builds on the facts of a load's number and discards all changes, to count what a load
// would do.
func Unwritten(b Blocks, t auth.Tenant, base int64) Writer { return unwritten{b, t, base} }

type unwritten struct {
	Blocks
	tenant auth.Tenant
	base   int64
}

func (u unwritten) Tenant() auth.Tenant                    { return u.tenant }
func (u unwritten) Base() int64                            { return u.base }
func (u unwritten) Write(context.Context, ...Change) error { return nil }
