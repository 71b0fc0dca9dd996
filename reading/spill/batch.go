package spill

import (
	"cmp"
	"context"
)

// A Batch gathers changes that are written together, while what was gathered before is written: every call to a database is one more
// transaction, which writes anew what it shares with the one before.
type Batch[T any] struct {
	// Write is called by a goroutine of the batch's own, once at a time.
	Write func(ctx context.Context, changes ...T) error
	// Limit is the number of bytes that are written together; so many more wait meanwhile. Where nothing is being written, a part of
	// them is enough. That of a load is what its pile says (Pile.Batch).
	Limit int

	waiting []T
	bytes   int
	written chan error // what comes of the write under way; nil where there is none
	err     error      // of a write that has ended
}

// few is the part of the limit that is written where nothing else is.
const few = 4

// Add adds changes that hold about so many bytes, and has all written when they are enough. The error may be that of an earlier
// write; nothing more is written then.
func (b *Batch[T]) Add(ctx context.Context, bytes int, changes ...T) error {
	b.waiting = append(b.waiting, changes...)
	b.bytes += bytes
	if b.bytes >= b.Limit || b.bytes >= b.Limit/few && b.idle() {
		b.begin(ctx)
	}
	return b.err
}

// Flush writes what waits, and returns when all is written.
func (b *Batch[T]) Flush(ctx context.Context) error {
	b.begin(ctx)
	return b.Wait()
}

// Wait returns when nothing is being written any more. What waits to be written is left.
func (b *Batch[T]) Wait() error {
	if b.written != nil {
		b.ended(<-b.written)
	}
	return b.err
}

// begin begins to write what waits, when the write before has ended.
func (b *Batch[T]) begin(ctx context.Context) {
	changes := b.waiting
	b.waiting, b.bytes = nil, 0
	if b.Wait() != nil || len(changes) == 0 {
		return
	}
	written := make(chan error, 1)
	b.written = written
	go func() { written <- b.Write(ctx, changes...) }()
}

// idle reports whether nothing is being written.
func (b *Batch[T]) idle() bool {
	select {
	case err := <-b.written:
		b.ended(err)
	default:
	}
	return b.written == nil
}

func (b *Batch[T]) ended(err error) { b.written, b.err = nil, cmp.Or(b.err, err) }
