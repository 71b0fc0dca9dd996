package librariesdb

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/libraries/report"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/reading/calendar"
)

// register is a table that is listed by day, and the column of its identifiers.
type register struct{ table, id bun.Ident }

var registers = [...]register{report.LoanList: loans.register, report.ReservationList: reservations.register}

// PositionsOf implements report.Store. A reader has few loans and a title may have many, so the + keeps the engines from using
// the index of titles if both are given.
func (s *Store) PositionsOf(ctx context.Context, a report.Access, of report.ListKind, reader, book *int64) (positions report.ListPositions, err error) {
	var where schema.QueryWithArgs
	switch {
	case reader != nil && book != nil:
		where = bun.SafeQuery("user_id = ? AND +book_id = ?", *reader, *book)
	case reader != nil:
		where = bun.SafeQuery("user_id = ?", *reader)
	case book != nil:
		where = bun.SafeQuery("book_id = ?", *book)
	default:
		return nil, errors.New("positions of neither a reader nor a title")
	}
	r := registers[of]
	rows, err := s.DB.QueryContext(ctx, `SELECT day, ?0, status FROM ?1 WHERE ?2 AND ?3 ORDER BY day, ?0`, r.id, r.table, rowsOf(a), where)
	var day, id, status int64 // the types of the drivers, which are twice as fast
	return positions, snapshotdb.Visit(rows, err, "positions", func(rows *sql.Rows) error {
		err := rows.Scan(&day, &id, &status)
		positions = append(positions, report.ListPosition{Day: calendar.Date(day), ID: id, Status: uint8(status)})
		return err
	})
}
