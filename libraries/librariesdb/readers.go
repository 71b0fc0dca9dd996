package librariesdb

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/state"
)

// Readers implements report.Store.
func (s *Store) Readers(ctx context.Context, a report.Access) (*report.Readers, error) {
	return s.readersIn(ctx, a, state.Range{})
}

// readersIn reads the attributes of the readers of some blocks.
func (s *Store) readersIn(ctx context.Context, a report.Access, in state.Range) (*report.Readers, error) {
	var blocks [][]byte
	err := s.scan(ctx, a, facts.AttributesKind, in, func(b state.Block) error {
		blocks = append(blocks, slices.Clone(b.Data))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return report.ReadReaders(blocks)
}

// People implements report.Store.
func (s *Store) People(ctx context.Context, a report.Access, ids []int64) ([]libraries.Reader, error) {
	people := make([]libraries.Reader, 0, len(ids))
	for part := range slices.Chunk(ids, chunk) {
		wanted := ascending(part)
		err := readersTable.Read(ctx, s.DB, func(r libraries.Reader) {
			if wanted.has(r.ID) {
				people = append(people, r)
			}
		}, `FROM libraries_readers WHERE ? AND ? ORDER BY user_id`, rowsOf(a), ofReaders(part))
		if err != nil {
			return nil, err
		}
	}
	return people, nil
}

// ReaderTitles implements report.Store.
func (s *Store) ReaderTitles(ctx context.Context, a report.Access, ids []int64, f func(reader int64, data []byte) error) error {
	for part := range slices.Chunk(ids, chunk) {
		err := s.scan(ctx, a, facts.ReaderTitlesKind, state.Range{Among: part}, func(b state.Block) error { return f(b.A, b.Data) })
		if err != nil {
			return err
		}
	}
	return nil
}

// ofReaders is the condition for readers of ascending identifiers, of which there is one at least: a range where they stand
// close, which the engines read fastest, and a list where a range would read many others.
func ofReaders(ids []int64) schema.QueryWithArgs {
	first, last := ids[0], ids[len(ids)-1]
	if last-first < 2*int64(len(ids)) {
		return bun.SafeQuery("user_id BETWEEN ? AND ?", first, last)
	}
	return bun.SafeQuery("user_id IN (?)", bun.List(ids))
}

// ascending are identifiers that ascend, of which some are asked for, ascending too.
type ascending []int64

// has reports whether id is one of them, and forgets those below it.
func (a *ascending) has(id int64) bool {
	for len(*a) > 0 && (*a)[0] < id {
		*a = (*a)[1:]
	}
	return len(*a) > 0 && (*a)[0] == id
}
