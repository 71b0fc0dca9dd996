package state

import (
	"context"

	"github.com/lectern-dev/lectern/reading/spill"
)

// Folding is a load of what a feed says, in two rounds: the parts of a pile, parted by whom it is about, and then what these say
// of days, which all parts share. So much is in memory as some parts take, whatever the feed's size. The parts of a round are
// folded at once, each by one goroutine, while another writes what was folded before.
type Folding struct {
	Writer
	// Begin is written before all else.
	Begin []Change
	// Pile is what is folded, to which nothing more is added.
	Pile *spill.Pile
	// Fold folds a part. What it says of a day it sets aside, in the day's slot.
	Fold func(ctx context.Context, part int, aside *spill.Sheaf) (Written, error)
	// Merge merges what was set aside in a slot into the days of the slot.
	Merge func(ctx context.Context, aside []byte) (Written, error)
	// End, if not nil, is what is written last.
	End func(ctx context.Context) (Written, error)
	// Aside is where what is set aside waits; its Dir and Limit may be set. Batch is how many bytes are written together.
	Aside spill.Pile
	Batch int
	// Count folds the parts for what they count alone, and writes nothing.
	Count bool
	// Progress, if not nil, is told the parts that are done, of both rounds, from 0 on.
	Progress func(done, total int)

	out         spill.Batch[Change]
	done, total int
}

// Written is what is written of a part, and about the bytes that it holds. Counted, if not nil, is called when it is there, on one
// goroutine for all parts.
type Written struct {
	Changes []Change
	Bytes   int
	Counted func()
}

// WrittenOf are gathered blocks of a tenant.
func WrittenOf(t Tenant, of ...*Puts) (s Written) {
	s.Changes, s.Bytes = Changes(t, of...)
	return s
}

// Run runs the load, but for what makes it hold.
func (f *Folding) Run(ctx context.Context) error {
	defer f.Aside.Close()
	f.out.Write, f.out.Limit = f.Write, f.Batch
	defer f.out.Wait() // also where the load fails: who ends it writes after all else
	if f.total = spill.Parts; !f.Count {
		f.total *= 2
	}
	f.tell()
	if err := f.Pile.Done(); err != nil {
		return err
	}
	if f.Count {
		return f.parts(ctx)
	}
	if err := f.Write(ctx, f.Begin...); err != nil {
		return err
	}
	if err := f.parts(ctx); err != nil {
		return err
	}
	if err := f.days(ctx); err != nil {
		return err
	}
	if f.End != nil {
		last, err := f.End(ctx)
		if err == nil {
			err = f.write(ctx, last)
		}
		if err != nil {
			return err
		}
	}
	return f.out.Flush(ctx)
}

// parts is the first round.
func (f *Folding) parts(ctx context.Context) error {
	type folded struct {
		Written
		aside *spill.Sheaf
	}
	return spill.InOrder(ctx, spill.Parts, func(ctx context.Context, part int) (r folded, err error) {
		r.aside = &spill.Sheaf{}
		r.Written, err = f.Fold(ctx, part, r.aside)
		return r, err
	}, func(r folded) error {
		f.next()
		if f.Count {
			r.Counted()
			return nil
		}
		if err := f.Aside.AddSheaf(r.aside); err != nil {
			return err
		}
		return f.write(ctx, r.Written)
	})
}

// days is the second round.
func (f *Folding) days(ctx context.Context) error {
	if err := f.Aside.Done(); err != nil {
		return err
	}
	return spill.InOrder(ctx, spill.Parts, func(ctx context.Context, slot int) (Written, error) {
		aside, err := f.Aside.Part(slot)
		if err != nil {
			return Written{}, err
		}
		return f.Merge(ctx, aside)
	}, func(s Written) error {
		f.next()
		return f.write(ctx, s)
	})
}

// write writes a step, together with others.
func (f *Folding) write(ctx context.Context, s Written) error {
	if s.Counted != nil {
		s.Counted()
	}
	return f.out.Add(ctx, s.Bytes, s.Changes...)
}

func (f *Folding) next() {
	f.done++
	f.tell()
}

func (f *Folding) tell() {
	if f.Progress != nil {
		f.Progress(f.done, f.total)
	}
}

// Past reads blocks of the state that the load builds on: before the first load there are none.
func (f *Folding) Past(ctx context.Context, k Kind, r Range, visit func(Block) error) error {
	if f.Base() == 0 {
		return nil
	}
	return f.Writer.Scan(ctx, f.Tenant(), f.Base(), k, r, visit)
}

// Slot returns the slot that what is said of a day waits in. The first slots are those of the first days, so that rows are mostly
// written in the order of their tables.
func Slot[D ~int32](day, first D) int { return int(uint32(day-first) % spill.Parts) }

// Unwritten is a Writer that builds on the state of a load's number and forgets what it is given: for who only wants to know
// what a load would do.
func Unwritten(b Blocks, t Tenant, base int64) Writer { return unwritten{b, t, base} }

type unwritten struct {
	Blocks
	tenant Tenant
	base   int64
}

func (u unwritten) Tenant() Tenant                         { return u.tenant }
func (u unwritten) Base() int64                            { return u.base }
func (u unwritten) Write(context.Context, ...Change) error { return nil }
