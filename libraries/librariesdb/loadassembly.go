package librariesdb

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// makers is the number of goroutines that fold while one writes.
const makers = 2

// assembly makes n things on several goroutines, begun in their order, and uses each on another one as soon as it is made.
// It returns the first error, after all have stopped.
func assembly[T any](ctx context.Context, n int, produce func(ctx context.Context, i int) (T, error), consume func(context.Context, T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	made := make(chan T)
	var making sync.WaitGroup
	for range makers {
		making.Add(1)
		g.Go(func() error {
			defer making.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				v, err := produce(ctx, i)
				if err != nil {
					return err
				}
				select {
				case made <- v:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		making.Wait()
		close(made)
		return nil
	})
	g.Go(func() error {
		for v := range made {
			if err := consume(ctx, v); err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}
