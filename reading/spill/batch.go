package spill

import "context"

// A Batch gathers changes that are written together: every call to a database is one more transaction, which writes anew what
// it shares with the one before.
type Batch[T any] struct {
	Write func(ctx context.Context, changes ...T) error
	// Limit is the number of bytes that are written together. That of a load is what its pile says (Pile.Batch).
	Limit int

	waiting []T
	bytes   int
}

// Add adds changes that hold about so many bytes, and writes all when they are enough.
func (b *Batch[T]) Add(ctx context.Context, bytes int, changes ...T) error {
	b.waiting = append(b.waiting, changes...)
	if b.bytes += bytes; b.bytes < b.Limit {
		return nil
	}
	return b.Flush(ctx)
}

// Flush writes what waits.
func (b *Batch[T]) Flush(ctx context.Context) error {
	changes := b.waiting
	b.waiting, b.bytes = nil, 0
	if len(changes) == 0 {
		return nil
	}
	return b.Write(ctx, changes...)
}
