package database

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
)

// binaryConn is a connection in pgx's exec mode whose queries return every column
// in binary. Pgx itself asks for text in this mode, since it does not know the
// types beforehand, and its other modes pay for knowing them with a second round
// trip for each new text. The types come along with the rows, which is soon enough.
type binaryConn struct {
	watched
	*preparing
}

// watched is a connection of the pgx driver, with that to the server under it.
type watched struct {
	*stdlib.Conn
	wire *watchedConn
	seen *seen
}

// ExecContext runs a statement. The error is driver.ErrBadConn, on which it is run again, only where nothing of it was sent.
func (c watched) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	defer c.seen.since(time.Now())
	sent := c.wire.sent.Load()
	r, err := c.Conn.ExecContext(ctx, query, args)
	return r, c.wire.lost(err, sent)
}

// QueryContext runs a query; its errors are those of ExecContext.
func (c watched) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	first, args, _ := firstOf(args)
	if len(first) > 0 {
		if _, err := c.ExecContext(ctx, strings.Join(first, "; "), nil); err != nil {
			return nil, err
		}
	}
	defer c.seen.since(time.Now())
	sent := c.wire.sent.Load()
	r, err := c.Conn.QueryContext(ctx, query, args)
	return r, c.wire.lost(err, sent)
}

// QueryContext runs a query. One with parameters, which bun never sends, is left to pgx and prepared.
func (c binaryConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) > 0 {
		if first, rest, ok := firstOf(args); ok && !c.unprepared.Load() {
			return c.queryAfter(ctx, first, query, rest)
		}
		return c.queryPrepared(ctx, query, args)
	}
	defer c.seen.since(time.Now())
	sent := c.wire.sent.Load()
	pg := c.Conn.Conn()
	result := pg.PgConn().ExecParams(ctx, query, nil, nil, nil, []int16{pgx.BinaryFormatCode})
	r, err := c.rows(result, nil)
	if err != nil && pgconn.SafeToRetry(err) {
		err = c.wire.lost(driver.ErrBadConn, sent)
	}
	return r, err
}

// rows returns the rows of a query, which may be the last of a pipeline. The first row tells whether the query ran at all; only then
// is it safe for database/sql to try another connection.
func (c binaryConn) rows(result *pgconn.ResultReader, p *pgconn.Pipeline) (driver.Rows, error) {
	r := &binaryRows{result: result, pipeline: p, fields: result.FieldDescriptions()}
	if r.more = result.NextRow(); !r.more {
		if err := r.Close(); err != nil {
			return nil, err
		}
	}
	r.decode = make([]decoder, len(r.fields))
	for i, f := range r.fields {
		r.decode[i] = decoderOf(c.Conn.Conn().TypeMap(), f.DataTypeOID)
	}
	return r, nil
}

// binaryRows are the rows of a query, of which the first is read already.
type binaryRows struct {
	result   *pgconn.ResultReader
	pipeline *pgconn.Pipeline // that ends with them, or nil
	fields   []pgconn.FieldDescription
	decode   []decoder
	more     bool // the reader stands on a row that Next has not returned
}

// Columns returns the names of the columns.
func (r *binaryRows) Columns() []string {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = f.Name
	}
	return names
}

// Next decodes a row into dest. Byte slices are good until the next call, as
// database/sql expects, which copies them where the caller keeps them.
func (r *binaryRows) Next(dest []driver.Value) error {
	if !r.more && !r.result.NextRow() {
		if err := r.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	r.more = false
	for i, src := range r.result.Values() {
		if src == nil {
			dest[i] = nil
			continue
		}
		v, err := r.decode[i](src)
		if err != nil {
			return fmt.Errorf("column %s: %w", r.fields[i].Name, err)
		}
		dest[i] = v
	}
	return nil
}

// Close reads what is left. It returns the error that ended the rows, if any.
func (r *binaryRows) Close() error {
	_, err := r.result.Close()
	if r.pipeline != nil {
		err = cmp.Or(err, r.pipeline.Close())
	}
	return err
}

// decoder reads one value in binary.
type decoder func(src []byte) (driver.Value, error)

// decoderOf is the decoder for a type of PostgreSQL. The frequent ones are
// written out, times go through pgx, and all else becomes text.
func decoderOf(types *pgtype.Map, oid uint32) decoder {
	switch oid {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID:
		return decodeInt
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID:
		return func(src []byte) (driver.Value, error) { return string(src), nil }
	case pgtype.ByteaOID:
		return func(src []byte) (driver.Value, error) { return src, nil }
	case pgtype.BoolOID:
		return func(src []byte) (driver.Value, error) { return len(src) == 1 && src[0] != 0, nil }
	case pgtype.Float8OID:
		return decodeFloat
	case pgtype.TimestamptzOID, pgtype.TimestampOID, pgtype.DateOID:
		return func(src []byte) (driver.Value, error) {
			var t time.Time
			err := types.Scan(oid, pgx.BinaryFormatCode, src, &t)
			return t, err
		}
	}
	return func(src []byte) (driver.Value, error) {
		var s string
		err := types.Scan(oid, pgx.BinaryFormatCode, src, &s)
		return s, err
	}
}

func decodeInt(src []byte) (driver.Value, error) {
	switch len(src) {
	case 8:
		return int64(binary.BigEndian.Uint64(src)), nil
	case 4:
		return int64(int32(binary.BigEndian.Uint32(src))), nil
	case 2:
		return int64(int16(binary.BigEndian.Uint16(src))), nil
	}
	return nil, fmt.Errorf("integer of %d bytes", len(src))
}

func decodeFloat(src []byte) (driver.Value, error) {
	if len(src) != 8 {
		return nil, fmt.Errorf("float of %d bytes", len(src))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(src)), nil
}
