package librariesdb

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// read reads the records that a query finds: see snapshotdb.Read.
func read[T any](ctx context.Context, s *Store, of *snapshot.Records[T], from string, args ...any) (list []T, err error) {
	err = snapshotdb.Read(ctx, s.DB, of, func(v T) { list = append(list, v) }, from, args...)
	return list, err
}

// Catalogue implements report.Store.
func (s *Store) Catalogue(ctx context.Context, a report.Access) (*report.Catalogue, error) {
	var st intake.Stored
	if err := s.catalogue(ctx, a, &st); err != nil {
		return nil, err
	}
	return report.NewCatalogue(st.Vocabularies(), st.Books, st.Lines), nil
}

// catalogue reads the vocabularies, by term, the titles and the lines, both by identifier.
func (s *Store) catalogue(ctx context.Context, a report.Access, st *intake.Stored) (err error) {
	if st.Terms, err = read(ctx, s, intake.Terms, `FROM libraries_terms WHERE ? ORDER BY vocabulary, term_id`, rowsOf(a)); err != nil {
		return err
	}
	if st.Books, err = read(ctx, s, intake.Books, `FROM libraries_books WHERE ? ORDER BY book_id`, rowsOf(a)); err != nil {
		return err
	}
	st.Lines, err = read(ctx, s, intake.Lines, `FROM libraries_lines WHERE ? ORDER BY line_id`, rowsOf(a))
	return err
}

// State reads the tables that a load must know, in the snapshot of an access.
func (s *Store) State(ctx context.Context, a report.Access) (st intake.Stored, err error) {
	st.At = a.At
	if err = s.catalogue(ctx, a, &st); err != nil {
		return st, err
	}
	if st.Channels, err = s.Channels(ctx, a, calendar.Period{Start: math.MinInt32, End: math.MaxInt32}); err != nil {
		return st, err
	}
	rows, err := s.DB.QueryContext(ctx, `SELECT user_id FROM libraries_readers WHERE ? ORDER BY user_id`, rowsOf(a))
	var id int64
	err = snapshotdb.Visit(rows, err, "readers", func(rows *sql.Rows) error {
		err := rows.Scan(&id)
		st.Readers = append(st.Readers, id)
		return err
	})
	if err != nil {
		return st, err
	}
	st.Forgotten, err = forgotten(ctx, s.DB, a.Network)
	return st, err
}

// namedReaders are the fields of readers that attributes lack.
var namedReaders = intake.Readers.Only("userId", "name", "email", "updatedAt", "confirmedAt", "lastSignInAt")

// Named implements report.Store. If somebody was erased since, the first statement finds nothing and the page is read again.
func (s *Store) Named(ctx context.Context, a report.Access, ids []int64) (people []libraries.Reader, erased bool, err error) {
	people, err = s.people(ctx, namedReaders, a, ids, true)
	if erased = err == nil && len(people) == 0 && len(ids) > 0; erased {
		people, err = s.people(ctx, namedReaders, a, ids, false)
	}
	return people, erased, err
}

// People returns the readers of the given identifiers, which ascend, in their order; unknown ones are left out.
func (s *Store) People(ctx context.Context, a report.Access, ids []int64) ([]libraries.Reader, error) {
	return s.people(ctx, intake.Readers, a, ids, false)
}

// people returns the readers of ascending identifiers. If unerased is true and somebody was erased since the access, it returns none.
func (s *Store) people(ctx context.Context, of *snapshot.Records[libraries.Reader], a report.Access, ids []int64, unerased bool) ([]libraries.Reader, error) {
	people := make([]libraries.Reader, 0, len(ids))
	if len(ids) == 0 {
		return people, nil
	}
	from, among := handle.AmongOf(s.DB, "libraries_readers", bun.SafeQuery("tenant_id = ?", a.Network), "user_id", ids)
	still := bun.SafeQuery("TRUE")
	if unerased {
		still = bun.SafeQuery("(SELECT erasures FROM versions WHERE tenant_id = ?) = ?", a.Network, a.Erasures)
	}
	err := snapshotdb.Read(ctx, s.DB, of, func(r libraries.Reader) {
		if _, wanted := slices.BinarySearch(ids, r.ID); wanted {
			people = append(people, r)
		}
	}, `FROM ? WHERE ? AND ? AND ? ORDER BY user_id`, from, rowsOf(a), among, still)
	return people, err
}

// Requests implements report.Store. They are ordered by day first, as the key is: a later instant has no earlier day.
func (s *Store) Requests(ctx context.Context, a report.Access, period calendar.Period) ([]libraries.Request, error) {
	return read(ctx, s, intake.Requests, `
		  FROM libraries_requests
		 WHERE ? AND day BETWEEN ? AND ?
		 ORDER BY day, requested, request_id, user_id`, rowsOf(a), int32(period.Start), int32(period.End))
}

// Channels implements report.Store.
func (s *Store) Channels(ctx context.Context, a report.Access, period calendar.Period) ([]libraries.ChannelDay, error) {
	return read(ctx, s, intake.Channels, `
		  FROM libraries_channels
		 WHERE ? AND day BETWEEN ? AND ?
		 ORDER BY day, channel`, rowsOf(a), int32(period.Start), int32(period.End))
}
