package database

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Together sends two queries of a row each at once, with their parameters, $1 and on, and reads the rows into dest: one round trip of
// a connection in place of two. They are a transaction each, in their order, and the second is made whatever the first finds; one that
// finds no row is sql.ErrNoRows. It reports whether it did: only PostgreSQL can be sent two, and none through a pooler that forgets
// what was prepared.
func (db *DB) Together(ctx context.Context, queries [2]string, args, dest [2][]any) (did bool, err error) {
	if db.Engine != Postgres {
		return false, nil
	}
	conn, err := db.DB.DB.Conn(ctx)
	if err != nil {
		return true, err
	}
	defer conn.Close()
	err = conn.Raw(func(dc any) error {
		c, ok := dc.(binaryConn)
		if did = ok && !c.unprepared.Load(); !did {
			return nil
		}
		err := c.together(ctx, queries, args, dest)
		if notPrepared(err) {
			c.unprepared.Store(true)
			did, err = false, nil
		}
		return err
	})
	if errors.Is(err, driver.ErrBadConn) { // nothing was sent: another connection is better
		return false, nil
	}
	return did, err
}

// together sends both queries and reads both rows.
func (c binaryConn) together(ctx context.Context, queries [2]string, args, dest [2][]any) error {
	defer c.seen.since(time.Now())
	pg := c.Conn.Conn()
	var made [2]*pgconn.StatementDescription
	var values [2][][]byte
	for i, query := range queries {
		var err error
		if made[i], err = pg.Prepare(ctx, query, query); err == nil {
			values[i], err = texts(args[i])
		}
		if err != nil {
			return err
		}
	}
	sent := c.wire.sent.Load()
	p := pg.PgConn().StartPipeline(ctx)
	for i := range made {
		p.SendQueryStatement(made[i], values[i], nil, binaryColumns)
		p.SendPipelineSync()
	}
	err := p.Flush()
	for i := 0; i < len(made) && (err == nil || err == sql.ErrNoRows); i++ {
		err = cmp.Or(err, readRow(pg, p, dest[i]))
	}
	if closed := p.Close(); err == nil {
		err = closed
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "0A000" { // a migration has changed what it returns
		return errors.Join(err, pg.Deallocate(ctx, queries[0]), pg.Deallocate(ctx, queries[1]))
	}
	if pg.IsClosed() && pgconn.SafeToRetry(err) {
		return c.wire.lost(driver.ErrBadConn, sent)
	}
	return err
}

// binaryColumns are the formats of rows of any number of columns.
var binaryColumns = []int16{pgx.BinaryFormatCode}

// readRow reads the row of the next query of a pipeline, and the end of its transaction.
func readRow(pg *pgx.Conn, p *pgconn.Pipeline, dest []any) error {
	result, err := p.GetResults()
	if err != nil {
		return err
	}
	reader, ok := result.(*pgconn.ResultReader)
	if !ok {
		return fmt.Errorf("a pipeline gave %T", result)
	}
	rows := pgx.RowsFromResultReader(pg.TypeMap(), reader)
	found := rows.Next()
	if found {
		err = rows.Scan(dest...)
	}
	rows.Close()
	if err == nil {
		err = rows.Err()
	}
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	if _, end := p.GetResults(); err == nil {
		err = end
	}
	return err
}

// texts are parameters as the protocol has them in text.
func texts(args []any) ([][]byte, error) {
	list := make([][]byte, len(args))
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, err
		}
		list[i] = fmt.Append(nil, v)
	}
	return list, nil
}
