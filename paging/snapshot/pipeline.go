package snapshot

import (
	"cmp"
	"context"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/reading/extsort"
)

// Pipeline aggregates the sorted records of a load and writes what comes of them, in two rounds: first user by user, or reader by
// reader, then day by day, since all users share a day. A few partitions are in memory at a time, whatever the size of the feed: some
// are aggregated, each on one goroutine, while another writes what came of those before.
type Pipeline struct {
	Writer
	// Begin is written before all else.
	Begin []Change
	// Records are aggregated. Nothing more is added to them.
	Records *extsort.Sorter
	// Aggregate aggregates a run of them. What it says of days is aggregated by Merge.
	Aggregate func(context.Context, *extsort.Run) (Written, error)
	// Merge merges records of days into what is stored of the days.
	Merge func(context.Context, *extsort.Run) (Written, error)
	// FirstDay is the first day that there may be: days are written in their order.
	FirstDay int64
	// End, if not nil, is what is written last.
	End func(context.Context) (Written, error)
	// Count aggregates the first round for what it counts, and writes nothing.
	Count bool
	// Progress, if not nil, is told the partitions that are done, of both rounds, from 0 on.
	Progress func(done, total int)

	days        extsort.Sorter
	out         batch
	done, total int
}

// Written is what comes of a run.
type Written struct {
	Changes []Change
	Bytes   int // about so many are in the changes
	// Days are records of days for the second round, by day.
	Days extsort.Records
	// Counted, if not nil, is called when the changes are to be written, on one goroutine for all runs.
	Counted func()
}

// WrittenOf are gathered blocks of a tenant.
func WrittenOf(t auth.Tenant, of ...*Puts) (w Written) {
	w.Changes, w.Bytes = Changes(t, of...)
	return w
}

// Run runs the load up to its last step, which publishes it.
func (p *Pipeline) Run(ctx context.Context) error {
	p.days = extsort.Sorter{Dir: p.Records.Dir, Limit: p.Records.Limit, Hash: func(day int64) uint64 { return uint64(day - p.FirstDay) }}
	defer p.days.Close()
	p.out = batch{write: p.Write, limit: p.Records.Batch()}
	defer p.out.wait() // also where the load fails: who ends it writes after all else
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

// each takes what comes of a partition.
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

// A batch gathers changes that are written together, while those gathered before are written: every call to a database is one more
// transaction, which writes every page again that it shares with the one before.
type batch struct {
	// write is called by a goroutine of the batch's own, once at a time.
	write func(context.Context, ...Change) error
	// limit is the number of bytes that are written together. As many more are gathered meanwhile.
	limit int

	waiting []Change
	bytes   int
	written chan error // the result of the write under way; nil where there is none
	err     error      // of a write that has ended
}

// few is the part of the limit that is written where nothing else is.
const few = 4

// add adds changes that hold about so many bytes, and has all written when they are enough. The error may be that of an earlier
// write; nothing more is written then.
func (b *batch) add(ctx context.Context, bytes int, changes ...Change) error {
	b.waiting = append(b.waiting, changes...)
	b.bytes += bytes
	if b.bytes >= b.limit || b.bytes >= b.limit/few && b.idle() {
		b.begin(ctx)
	}
	return b.err
}

// flush writes what waits, and returns when all is written.
func (b *batch) flush(ctx context.Context) error {
	b.begin(ctx)
	return b.wait()
}

// wait returns when nothing is being written any more. What waits to be written is left.
func (b *batch) wait() error {
	if b.written != nil {
		b.ended(<-b.written)
	}
	return b.err
}

// begin begins to write what waits, when the write before has ended.
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

// idle reports whether nothing is being written.
func (b *batch) idle() bool {
	select {
	case err := <-b.written:
		b.ended(err)
	default:
	}
	return b.written == nil
}

func (b *batch) ended(err error) { b.written, b.err = nil, cmp.Or(b.err, err) }

// Past reads blocks of the snapshot that the load builds on: before the first load there are none.
func (p *Pipeline) Past(ctx context.Context, k Kind, r Range, visit func(Block) error) error {
	if p.Base() == 0 {
		return nil
	}
	return p.Writer.Scan(ctx, p.Tenant(), p.Base(), k, r, visit)
}

// Unwritten returns a Writer that builds on the snapshot of a load's number and discards all changes, to count what a load would
// do.
func Unwritten(b Blocks, t auth.Tenant, base int64) Writer { return unwritten{b, t, base} }

type unwritten struct {
	Blocks
	tenant auth.Tenant
	base   int64
}

func (u unwritten) Tenant() auth.Tenant                    { return u.tenant }
func (u unwritten) Base() int64                            { return u.base }
func (u unwritten) Write(context.Context, ...Change) error { return nil }
