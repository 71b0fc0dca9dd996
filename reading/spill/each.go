package spill

import (
	"context"
	"sync"
)

// folders is the number of goroutines that fold while one writes.
const folders = 2

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

// AddSheaf puts what is in a sheaf on the pile.
func (p *Pile) AddSheaf(s *Sheaf) error {
	for part, records := range s {
		if err := p.Add(part, records); err != nil {
			return err
		}
	}
	return nil
}
