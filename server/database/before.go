package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// before is what a query with parameters may have in front of them: statements without any that are sent with it and made before it,
// in the same round trip where the connection prepares. Where one fails, none after it is made, and the query's error is its error.
type before interface{ Before() []string }

// firstOf returns the statements before a query, if there are any, and its parameters.
func firstOf(args []driver.NamedValue) (first []string, rest []driver.NamedValue, ok bool) {
	if len(args) > 0 {
		if b, ok := args[0].Value.(before); ok {
			return b.Before(), args[1:], true
		}
	}
	return nil, args, false
}

// sender is a driver whose connections take before.
type sender struct{ driver.Driver }

// SendsBefore says so, to who has no other way to know.
func (sender) SendsBefore() {}

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return sender{c.Connector.Driver()} }

// queryAfter runs statements, and then a query.
func (c binaryConn) queryAfter(ctx context.Context, first []string, query string, args []driver.NamedValue) (driver.Rows, error) {
	defer c.seen.since(time.Now())
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg.Value
	}
	sent := c.wire.sent.Load()
	r, err := c.pipe(ctx, first, query, values)
	if notPrepared(err) {
		c.unprepared.Store(true)
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "0A000" { // a migration has changed what it returns
		err = errors.Join(err, c.Conn.Conn().Deallocate(ctx, query))
	}
	return r, c.wire.lost(err, sent)
}

// pipe sends statements and a query, and returns the rows of the query.
func (c binaryConn) pipe(ctx context.Context, first []string, query string, args []any) (driver.Rows, error) {
	pg := c.Conn.Conn()
	made, err := pg.Prepare(ctx, query, query)
	if err != nil {
		return nil, err
	}
	values, err := texts(args)
	if err != nil {
		return nil, err
	}
	p := pg.PgConn().StartPipeline(ctx)
	for _, text := range first {
		p.SendQueryParams(text, nil, nil, nil, nil)
	}
	p.SendQueryStatement(made, values, nil, binaryColumns)
	err = p.Sync()
	var r *pgconn.ResultReader
	for i := 0; i <= len(first) && err == nil; i++ {
		if r != nil {
			_, err = r.Close()
		}
		if err == nil {
			r, err = reader(p)
		}
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return c.rows(r, p)
}

// reader is that of the next statement of a pipeline.
func reader(p *pgconn.Pipeline) (*pgconn.ResultReader, error) {
	result, err := p.GetResults()
	r, ok := result.(*pgconn.ResultReader)
	if err == nil && !ok {
		err = fmt.Errorf("a pipeline gave %T", result)
	}
	return r, err
}
