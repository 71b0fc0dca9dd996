package database

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// pipelines is how many connections send what Together is asked for at one time. What comes meanwhile waits, and is sent at once:
	// else as many processes of the database as there are requests would each need its turn of a processor.
	pipelines = 2
	// slowPipeline is when one is waited for no more: what it waits for, such as a row or a node, others may not need.
	slowPipeline = 10 * time.Millisecond
)

// gathered is what Together was asked for and is not sent yet.
type gathered struct {
	mu      sync.Mutex
	sending int // at most pipelines: the slow do not count. Nothing waits where it is less
	waiting []*asked
}

// asked is what Together was asked for, and what came of it.
type asked struct {
	ctx        context.Context
	queries    []string
	args, dest [][]any
	did        bool
	err        error
	done       chan struct{}
}

// Together sends queries of a row each at once, with their parameters, $1 and on, and reads the rows into dest: one round trip of a
// connection in place of several. They are a transaction each, in their order, and each is made whatever those before it find; one that
// finds no row is sql.ErrNoRows. It reports whether it did: only PostgreSQL can be sent several, and none through a pooler that
// forgets what was prepared.
//
// What many ask for at one time is sent together. After ctx has ended dest may still be written, and the queries made.
func (db *DB) Together(ctx context.Context, queries []string, args, dest [][]any) (did bool, err error) {
	if db.Engine != Postgres || db.gathered == nil { // or the pool is not one of Open
		return false, nil
	}
	a := &asked{ctx: ctx, queries: queries, args: args, dest: dest, done: make(chan struct{})}
	if !db.gathered.waits(a) {
		db.send([]*asked{a})
		return a.did, a.err
	}
	select {
	case <-a.done:
		return a.did, a.err
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// waits reports whether a waits for another to be sent; else it is to be sent now.
func (g *gathered) waits(a *asked) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sending < pipelines {
		g.sending++
		return false
	}
	g.waiting = append(g.waiting, a)
	return true
}

// next is all that waits, which is sent in the place of what was sent before. Where nothing does the place is free.
func (g *gathered) next() []*asked {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := slices.DeleteFunc(g.waiting, func(a *asked) bool { return a.ctx.Err() != nil })
	if g.waiting = nil; len(list) == 0 {
		g.sending--
	}
	return list
}

// send sends what was asked for; then, or when that takes long, what waits is sent.
func (db *DB) send(list []*asked) {
	more := func() {
		if list := db.gathered.next(); len(list) > 0 {
			go db.send(list)
		}
	}
	slow := time.AfterFunc(slowPipeline, more)
	ctx, cancel := whileAny(list)
	defer cancel()
	did, err := db.sendOver(ctx, list)
	for _, a := range list {
		if !did || err != nil {
			a.did, a.err = did, err
		}
		close(a.done)
	}
	if slow.Stop() {
		more()
	}
}

// whileAny is a context that lasts as long as one of theirs does.
func whileAny(list []*asked) (context.Context, context.CancelFunc) {
	if len(list) == 1 {
		return list[0].ctx, func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	left := new(atomic.Int64)
	left.Store(int64(len(list)))
	stops := make([]func() bool, len(list))
	for i, a := range list {
		stops[i] = context.AfterFunc(a.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// sendOver sends what was asked for over a connection. What it returns is so of all: that nothing was sent, or why nothing came of it.
func (db *DB) sendOver(ctx context.Context, list []*asked) (did bool, err error) {
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
		err := c.together(ctx, list)
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

// together sends what was asked for and reads the rows. An error that it returns is that of all.
func (c binaryConn) together(ctx context.Context, list []*asked) error {
	defer func(began time.Time) {
		for range list {
			c.seen.since(began)
		}
	}(time.Now())
	pg := c.Conn.Conn()
	var made []*pgconn.StatementDescription
	var values [][][]byte
	for _, a := range list {
		for i, query := range a.queries {
			m, err := pg.Prepare(ctx, query, query)
			if err != nil {
				return err
			}
			v, err := texts(a.args[i])
			if err != nil {
				return err
			}
			made, values = append(made, m), append(values, v)
		}
	}
	sent := c.wire.sent.Load()
	p := pg.PgConn().StartPipeline(ctx)
	for i := range made {
		p.SendQueryStatement(made[i], values[i], nil, binaryColumns)
		p.SendPipelineSync()
	}
	if err := p.Flush(); err != nil {
		if pgconn.SafeToRetry(err) {
			return c.wire.lost(driver.ErrBadConn, sent)
		}
		return err
	}
	var err error
	for _, a := range list {
		for _, dest := range a.dest {
			if !pg.IsClosed() { // else its end is that of all that comes after
				err = readRow(pg, p, dest)
			}
			a.err = cmp.Or(a.err, err)
		}
	}
	p.Close() // of what it says all is known
	for _, a := range list {
		c.judge(ctx, a)
	}
	return nil
}

// judge sees to what the connection has prepared that is so no more.
func (c binaryConn) judge(ctx context.Context, a *asked) {
	a.did = true
	if notPrepared(a.err) {
		c.unprepared.Store(true)
		a.did, a.err = false, nil
	}
	if refused, ok := errors.AsType[*pgconn.PgError](a.err); ok && refused.Code == "0A000" { // a migration has changed what it returns
		for _, query := range a.queries {
			a.err = errors.Join(a.err, c.Conn.Conn().Deallocate(ctx, query))
		}
	}
}

// binaryColumns are the formats of rows of any number of columns.
var binaryColumns = []int16{pgx.BinaryFormatCode}

// readRow reads the row of the next query of a pipeline, and the end of its transaction, whatever comes before that.
func readRow(pg *pgx.Conn, p *pgconn.Pipeline, dest []any) (err error) {
	for {
		result, wrong := p.GetResults()
		err = cmp.Or(err, wrong)
		switch r := result.(type) {
		case *pgconn.PipelineSync:
			return err
		case *pgconn.ResultReader:
			err = cmp.Or(err, scanRow(pg, r, dest))
		default:
			if wrong == nil {
				return cmp.Or(err, fmt.Errorf("a pipeline gave %T", result))
			}
		}
		if pg.IsClosed() {
			return err
		}
	}
}

// scanRow reads the one row of a query.
func scanRow(pg *pgx.Conn, r *pgconn.ResultReader, dest []any) (err error) {
	rows := pgx.RowsFromResultReader(pg.TypeMap(), r)
	found := rows.Next()
	if found {
		err = rows.Scan(dest...)
	}
	rows.Close()
	if err = cmp.Or(err, rows.Err()); err == nil && !found {
		err = sql.ErrNoRows
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
