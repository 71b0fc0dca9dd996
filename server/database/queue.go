package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// queue lets those who write to one SQLite file take turns. SQLite gives the file to whoever happens to ask at the right
// moment, so that one who writes transaction after transaction keeps out the others for seconds. Here the writers of a pool
// queue in the order in which they come; and who waits says so beside the database, by a shared lock on a file of its name
// and `.writers`, for a load of another process to see, which yields to it.
type queue struct {
	database string
	turn     chan struct{} // full while one writes

	mu      sync.Mutex
	waiting int
	sign    *os.File // open while somebody waits; nil where there can be none
}

func newQueue(database string) *queue {
	if real, err := filepath.EvalSymlinks(database); err == nil {
		database = real // by whatever name it is opened
	}
	return &queue{database: database, turn: make(chan struct{}, 1)}
}

func (q *queue) file() string { return q.database + ".writers" }

// wait says that a writer waits, until it is given its turn or gives up. On a disk without locks nobody is told.
func (q *queue) wait() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting++; q.sign != nil {
		return
	}
	f, err := shareFile(q.file())
	if err != nil {
		return
	}
	_ = ownLike(f.Name(), q.database)
	q.sign = f
}

// waited takes back what wait said.
func (q *queue) waited() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting--; q.waiting == 0 && q.sign != nil {
		q.sign.Close()
		q.sign = nil
	}
}

const (
	yieldStep = time.Millisecond
	yieldMost = 250 * time.Millisecond // then a load goes on, lest it never ends
)

// yield waits while writers of any process wait, for a quarter of a second at most.
func (q *queue) yield(ctx context.Context) error {
	for end := time.Now().Add(yieldMost); time.Now().Before(end); {
		f, err := lockFile(q.file())
		if err == nil {
			return f.Close()
		}
		if !errors.Is(err, errHeld) {
			return nil // nobody can say that it waits
		}
		select {
		case <-time.After(yieldStep):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// awaited reports whether a writer of any process waits, or may: on a disk without locks nobody can say.
func (q *queue) awaited() bool {
	f, err := lockFile(q.file())
	if err != nil {
		return true
	}
	f.Close()
	return false
}

// queuedConnector makes connections whose transactions queue.
type queuedConnector struct {
	driver.Connector
	queue *queue
	seen  *seen
}

// Connect implements driver.Connector.
func (c queuedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	dc, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &queuedConn{sqliteConn: dc.(sqliteConn), queue: c.queue, seen: c.seen, compiled: make(map[string]*compiled)}, nil
}

// sqliteConn is what database/sql uses of the driver's connection.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// queuedConn is a connection whose transactions queue.
type queuedConn struct {
	sqliteConn
	queue    *queue
	seen     *seen
	turn     *turn                // of the transaction that is under way
	compiled map[string]*compiled // by their texts
}

// BeginTx begins a transaction; one that is to write waits for its turn first.
func (c *queuedConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if opts.ReadOnly {
		return c.sqliteConn.BeginTx(ctx, opts)
	}
	c.queue.wait()
	defer c.queue.waited()
	select {
	case c.queue.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var tx driver.Tx
	err := patiently(ctx, func() (err error) { tx, err = c.sqliteConn.BeginTx(ctx, opts); return err })
	if err != nil {
		<-c.queue.turn
		return nil, err
	}
	c.turn = &turn{Tx: tx, conn: c}
	return c.turn, nil
}

// ExecContext executes a statement. One that is a transaction by itself does not queue, but says as others do that it waits: else
// it would have to hit upon the moment between two transactions of a load.
func (c *queuedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	defer c.seen.since(time.Now())
	if c.turn == nil {
		c.queue.wait()
		defer c.queue.waited()
	}
	err = patiently(ctx, func() (err error) { r, err = c.sqliteConn.ExecContext(ctx, query, args); return err })
	return r, err
}

// Yield lets all who wait to write go first. It is for who writes transaction after transaction, between two of them.
func (c *queuedConn) Yield(ctx context.Context) error { return c.queue.yield(ctx) }

// Awaited reports whether somebody may wait to write: a long transaction need not end before. It may be called at any time.
func (c *queuedConn) Awaited() bool { return c.queue.awaited() }

// turn is a transaction that has its turn until it ends.
type turn struct {
	driver.Tx
	conn *queuedConn
	once sync.Once
}

// Commit commits the transaction.
func (t *turn) Commit() error {
	defer t.end()
	return t.Tx.Commit()
}

// Rollback undoes the transaction.
func (t *turn) Rollback() error {
	defer t.end()
	return t.Tx.Rollback()
}

func (t *turn) end() {
	t.once.Do(func() {
		t.conn.turn = nil
		<-t.conn.queue.turn
	})
}
