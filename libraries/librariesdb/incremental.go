package librariesdb

import (
	"context"
	"database/sql"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/libraries"
	"github.com/lectern-dev/lectern/libraries/intake"
	"github.com/lectern-dev/lectern/libraries/internal/facts"
	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// Changed implements report.Store.
func (s *Store) Changed(ctx context.Context, a report.Access, loads snapshot.Span, k snapshot.Kind) (numbers []int64, err error) {
	return numbers, s.Snapshots().Changed(ctx, auth.Tenant(a.Network), k, loads, func(key snapshot.BlockKey) error {
		numbers = append(numbers, key.A)
		return nil
	})
}

// ReplacedRows implements report.Store.
func (s *Store) ReplacedRows(ctx context.Context, a report.Access, loads snapshot.Span, of report.ReplacedKind) (ids []int64, err error) {
	tenant, snapshots := auth.Tenant(a.Network), s.Snapshots()
	last := func(key []int64) error {
		ids = append(ids, key[len(key)-1])
		return nil
	}
	switch of {
	case report.ReaderRows:
		err = snapshots.ReplacedRows(ctx, intake.Readers.Table, tenant, loads, last)
	case report.ErasedReaders:
		return s.erased(ctx, a.Network, loads)
	case report.BookRows:
		err = snapshots.ReplacedRows(ctx, intake.Books.Table, tenant, loads, last)
	case report.NamedTerms:
		err = snapshots.ChangedRows(ctx, intake.Terms.Table, tenant, loads, func(key []int64) error {
			if v := libraries.Vocabulary(key[0]); v != libraries.LibraryTerms && v != libraries.AgeGroupTerms {
				return nil
			}
			return last(key)
		})
		slices.Sort(ids)
	case report.TitleRecords:
		err = snapshots.Replaced(ctx, tenant, facts.ReaderTitlesKind, loads, func(key snapshot.BlockKey) error { return last([]int64{key.A}) })
	}
	return ids, err
}

// erased returns the readers who were erased by versions of the tables, ascending.
func (s *Store) erased(ctx context.Context, n libraries.NetworkID, versions snapshot.Span) (ids []int64, err error) {
	rows, err := s.DB.QueryContext(ctx, `
		SELECT DISTINCT user_id
		  FROM libraries_readers
		 WHERE tenant_id = ? AND erased >= ? AND erased < ? AND erased > 0
		 ORDER BY user_id`, n, versions.From, versions.End)
	var id int64
	err = snapshotdb.Visit(rows, err, "who was erased", func(rows *sql.Rows) error {
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// Listed implements report.Store. The + keeps the engines from using the index of days if readers or titles are given.
func (s *Store) Listed(ctx context.Context, a report.Access, of report.ListKind, which report.RecordFilter, visit func(report.ListedRecord) error) error {
	within := bun.SafeQuery("+day BETWEEN ? AND ?", int32(which.Period.Start), int32(which.Period.End))
	var where schema.QueryWithArgs
	switch {
	case which.Deleted != snapshot.Span{}:
		where = snapshotdb.TakenOut(which.Deleted)
	case which.Inserted != snapshot.Span{}:
		days := handle.In(s.DB, "day", which.Days)
		where = bun.SafeQuery("since >= ? AND since < ? AND ?", which.Inserted.From, which.Inserted.End, days)
	case which.Readers != nil:
		where = handle.In(s.DB, "user_id", which.Readers)
	default:
		where = handle.In(s.DB, "book_id", which.Books)
	}
	r := registers[of]
	rows, err := s.DB.QueryContext(ctx, `SELECT day, ?0, status, user_id, book_id FROM ?1 WHERE ?2 AND ?3 AND ?4`,
		r.id, r.table, rowsOf(a), where, within)
	var day, status int64
	var v report.ListedRecord
	return snapshotdb.Visit(rows, err, "listed", func(rows *sql.Rows) error {
		if err := rows.Scan(&day, &v.ID, &status, &v.Reader, &v.Book); err != nil {
			return err
		}
		v.Day, v.Status = calendar.Date(day), uint8(status)
		return visit(v)
	})
}
