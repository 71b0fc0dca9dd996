package librariesdb

import (
	"context"
	"database/sql"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/libraries"
)

// Readers implements libraries.Store.
func (s *Store) Readers(ctx context.Context, a libraries.Access) (rs *libraries.Readers, err error) {
	err = s.steady(ctx, a, func() error {
		blocks, err := s.attributes(ctx, a.Network)
		if err != nil {
			return err
		}
		rs, err = libraries.ReadReaders(blocks)
		return err
	})
	return rs, err
}

// attributes reads all blocks of attributes, in their order.
func (s *Store) attributes(ctx context.Context, n libraries.NetworkID) (blocks [][]byte, err error) {
	rows, err := s.DB.QueryContext(ctx, `SELECT data FROM libraries_attributes WHERE tenant_id = ? ORDER BY block`, n)
	return blocks, authdb.Visit(rows, err, "attributes", func(rows *sql.Rows) error {
		var data []byte
		err := rows.Scan(&data)
		blocks = append(blocks, data)
		return err
	})
}

// People implements libraries.Store.
func (s *Store) People(ctx context.Context, a libraries.Access, ids []int64) (people []libraries.Reader, err error) {
	err = s.steady(ctx, a, func() error {
		people, err = s.people(ctx, a.Network, ids)
		return err
	})
	return people, err
}

func (s *Store) people(ctx context.Context, n libraries.NetworkID, ids []int64) ([]libraries.Reader, error) {
	people := make([]libraries.Reader, 0, len(ids))
	for part := range slices.Chunk(ids, chunk) {
		wanted := ascending(part)
		rows, err := s.DB.QueryContext(ctx, `SELECT `+readerFields+` FROM libraries_readers WHERE tenant_id = ? AND ? ORDER BY user_id`, n, ofReaders(part))
		err = each(rows, err, "readers", scanReader, func(r libraries.Reader) {
			if wanted.has(r.ID) {
				people = append(people, r)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return people, nil
}

// Shelves implements libraries.Store.
func (s *Store) Shelves(ctx context.Context, a libraries.Access, ids []int64, f func(reader int64, data []byte) error) error {
	return s.steady(ctx, a, func() error { return s.shelves(ctx, a.Network, ids, f) })
}

func (s *Store) shelves(ctx context.Context, n libraries.NetworkID, ids []int64, f func(reader int64, data []byte) error) error {
	for part := range slices.Chunk(ids, chunk) {
		wanted := ascending(part)
		rows, err := s.DB.QueryContext(ctx, `SELECT user_id, data FROM libraries_shelves WHERE tenant_id = ? AND ? ORDER BY user_id`, n, ofReaders(part))
		err = authdb.Visit(rows, err, "shelves", func(rows *sql.Rows) error {
			var reader int64
			var data sql.RawBytes
			if err := rows.Scan(&reader, &data); err != nil || !wanted.has(reader) {
				return err
			}
			return f(reader, data)
		})
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
