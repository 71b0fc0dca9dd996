package spill

import (
	"context"
	"errors"
	"sync"
)

// folders is the number of goroutines that fold while one writes.
const folders = 2

// Each folds the parts from 0 to n-1 on several goroutines. What a fold gives, at once or piece by piece, comes to write, on the
// caller's goroutine, in the order in which it was given. Each returns the first error; none of its goroutines goes on then.
func Each[T any](ctx context.Context, n int, fold func(ctx context.Context, part int, give func(T) error) error, write func(T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo, done := make(chan int), make(chan T)
	give := func(v T) error {
		select {
		case done <- v:
			return nil
		case <-ctx.Done():
			return cause(ctx)
		}
	}
	var wg sync.WaitGroup
	for range folders {
		wg.Go(func() {
			for i := range todo {
				if err := fold(ctx, i, give); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	go func() {
		defer close(done)
		send(ctx, todo, n)
		wg.Wait()
	}()
	for v := range done {
		if ctx.Err() != nil {
			continue
		}
		if err := write(v); err != nil {
			cancel(err)
		}
	}
	if ctx.Err() != nil {
		return cause(ctx)
	}
	return nil
}

// send sends the numbers of the parts until all are taken or ctx ends.
func send(ctx context.Context, todo chan<- int, n int) {
	defer close(todo)
	for i := range n {
		select {
		case todo <- i:
		case <-ctx.Done():
			return
		}
	}
}

// cause is why a context ended, without the error that only says that it did where a better one is known.
func cause(ctx context.Context) error {
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}

// InOrder folds the parts from 0 to n-1 on several goroutines and gives what comes of each to take, on the caller's goroutine, in
// their order. It returns the first error of a part or of take; none of its goroutines goes on then.
func InOrder[T any](ctx context.Context, n int, fold func(ctx context.Context, part int) (T, error), take func(T) error) error {
	type folded struct {
		v   T
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	ahead := make(chan chan folded, folders-1) // beside the one that is taken
	wg.Go(func() {
		defer close(ahead)
		for i := range n {
			one := make(chan folded, 1)
			select {
			case ahead <- one:
			case <-ctx.Done():
				return
			}
			wg.Go(func() {
				v, err := fold(ctx, i)
				one <- folded{v, err}
			})
		}
	})
	for one := range ahead {
		f := <-one
		if f.err != nil {
			return f.err
		}
		if err := take(f.v); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A Sheaf is what one goroutine gathers for the parts of a pile, which is not for several at once.
type Sheaf [Parts][]byte

// Of returns the records for a part, to be appended to.
func (s *Sheaf) Of(part int) *[]byte { return &s[part] }

// Sheaves makes sheaves, and uses their room again. The zero Sheaves are ready, for several goroutines.
type Sheaves struct{ pool sync.Pool }

// New returns an empty sheaf.
func (s *Sheaves) New() *Sheaf {
	if sheaf, ok := s.pool.Get().(*Sheaf); ok {
		return sheaf
	}
	return &Sheaf{}
}

// Take puts what is in a sheaf on a pile. The sheaf is not to be used afterwards.
func (s *Sheaves) Take(p *Pile, sheaf *Sheaf) error {
	for part, records := range sheaf {
		if len(records) == 0 {
			continue
		}
		if err := p.Add(part, records); err != nil {
			return err
		}
		sheaf[part] = records[:0]
	}
	s.pool.Put(sheaf)
	return nil
}
