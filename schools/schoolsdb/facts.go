package schoolsdb

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/uptrace/bun"
	"golang.org/x/sync/errgroup"

	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/reading"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// load writes the facts of one load. What was folded before is read on connections of its own, since the load's
// transaction changes none of it before it is read: each user is folded once.
type load struct {
	*Store
	partner  directory.PartnerID
	conn     bun.Conn
	tx       bun.Tx
	progress func(done, total int)
	saved    Saved

	ledgers *schools.Ledgers // as they were before
	empty   bool             // nothing was folded before
	changed []userLedger
	days    map[calendar.Date]*schools.Sheet
}

// userLedger is a ledger that the load changed.
type userLedger struct {
	user   directory.UserID
	ledger schools.Ledger
}

// folders is the number of goroutines that fold while one writes.
const folders = 2

// facts folds the pile part by part and writes what changed: records and seen events part by part, ledgers and days,
// which all parts share, at the end.
func (l *load) facts(ctx context.Context, pile *schools.Pile) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	if err := l.parts(ctx, pile, l.write); err != nil {
		return err
	}
	if err := l.writeLedgers(ctx); err != nil {
		return err
	}
	return l.writeDays(ctx)
}

// begin reads what all parts are folded against.
func (l *load) begin(ctx context.Context) (err error) {
	if l.ledgers, err = l.Store.ledgers(ctx, l.partner); err != nil {
		return err
	}
	l.days = map[calendar.Date]*schools.Sheet{}
	l.empty, err = l.nothingSeen(ctx)
	return err
}

func (l *load) nothingSeen(ctx context.Context) (bool, error) {
	var any bool
	err := l.DB.NewRaw(`SELECT EXISTS (SELECT 1 FROM schools_seen WHERE tenant_id = ?)`, l.partner).Scan(ctx, &any)
	return !any, err
}

// parts folds on several goroutines and gives use each part on another one, part after part as they come.
func (l *load) parts(ctx context.Context, pile *schools.Pile, use func(context.Context, *folded) error) error {
	todo, done := make(chan int), make(chan *folded)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(todo)
		for i := range pile.Parts() {
			select {
			case todo <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	workers, wctx := errgroup.WithContext(ctx)
	for range folders {
		workers.Go(func() error {
			for i := range todo {
				f, err := l.fold(wctx, pile, i)
				if err != nil {
					return err
				}
				select {
				case done <- f:
				case <-wctx.Done():
					return wctx.Err()
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(done)
		return workers.Wait()
	})
	g.Go(func() error {
		n := 0
		for f := range done {
			if err := use(ctx, f); err != nil {
				return err
			}
			if n++; l.progress != nil {
				l.progress(n, pile.Parts())
			}
		}
		return nil
	})
	return g.Wait()
}

// folded is what one part of the pile changes.
type folded struct {
	changes []schools.Change
	had     before
}

// before is what was folded before of the users of a part.
type before struct {
	seen    map[seenKey]*schools.Seen
	records map[schools.RecordKey]*reading.Record
}

// seenKey names a row of schools_seen.
type seenKey struct {
	user  directory.UserID
	block int64
}

// fold folds one part of the pile.
func (l *load) fold(ctx context.Context, pile *schools.Pile, part int) (*folded, error) {
	events, err := pile.Part(part)
	if err != nil {
		return nil, err
	}
	events = schools.ByUser(events)
	f := &folded{}
	if f.had, err = l.before(ctx, events); err != nil {
		return nil, err
	}
	for user, events := range byUser(events) {
		a := schools.Account{Ledger: l.ledgers.Ledger(user), Seen: map[int64]*schools.Seen{}, Records: map[int64]*reading.Record{}}
		if !l.empty {
			f.had.into(&a, user, events)
		}
		change, err := schools.Fold(a, user, events)
		if err != nil {
			return nil, fmt.Errorf("fold user %d: %w", user, err)
		}
		f.changes = append(f.changes, change)
	}
	return f, nil
}

// byUser yields the events of each user; they must be sorted by user.
func byUser(events []schools.Event) func(func(directory.UserID, []schools.Event) bool) {
	return func(yield func(directory.UserID, []schools.Event) bool) {
		for len(events) > 0 {
			n := 1
			for n < len(events) && events[n].User == events[0].User {
				n++
			}
			if !yield(events[0].User, events[:n]) {
				return
			}
			events = events[n:]
		}
	}
}

// into gives an account what the store had of it.
func (b before) into(a *schools.Account, user directory.UserID, events []schools.Event) {
	for _, e := range events {
		block := schools.SeenBlock(e.Day)
		if s := b.seen[seenKey{user, block}]; s != nil {
			a.Seen[block] = s
		}
	}
	books, _ := a.Ledger.Unpack()
	for _, e := range books {
		if r := b.records[schools.RecordKey{User: user, Book: e.Book}]; r != nil {
			a.Records[e.Book] = r
		}
	}
}

// before reads what was folded before of a part's users, as far as its events touch it.
func (l *load) before(ctx context.Context, events []schools.Event) (before, error) {
	b := before{map[seenKey]*schools.Seen{}, map[schools.RecordKey]*reading.Record{}}
	if l.empty || len(events) == 0 {
		return b, nil
	}
	var users []int64
	var keys []schools.RecordKey
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for user, events := range byUser(events) {
		users = append(users, int64(user))
		books, err := schools.Needed(l.ledgers.Ledger(user), events)
		if err != nil {
			return b, err
		}
		for _, book := range books {
			keys = append(keys, schools.RecordKey{User: user, Book: book})
		}
		for _, e := range events {
			first, last = min(first, schools.SeenBlock(e.Day)), max(last, schools.SeenBlock(e.Day))
		}
	}
	if err := l.seen(ctx, b, users, first, last); err != nil {
		return b, err
	}
	all := calendar.Period{Start: math.MinInt32, End: math.MaxInt32}
	return b, l.records(ctx, l.partner, keys, all, func(k schools.RecordKey, data []byte) error {
		r, err := schools.ParseRecord(data)
		b.records[k] = r
		return err
	})
}

// seen reads the seen events of users in a range of blocks.
func (l *load) seen(ctx context.Context, b before, users []int64, first, last int64) error {
	rows, err := l.DB.QueryContext(ctx, `
		SELECT user_id, block, data
		FROM schools_seen
		WHERE tenant_id = ? AND user_id IN (?) AND block BETWEEN ? AND ?`, l.partner, bun.List(users), first, last)
	return authdb.Visit(rows, err, "seen events", func(rows *sql.Rows) error {
		var k seenKey
		var data sql.RawBytes
		if err := rows.Scan((*int64)(&k.user), &k.block, &data); err != nil {
			return err
		}
		s := &schools.Seen{}
		b.seen[k] = s
		return s.UnmarshalBinary(data)
	})
}
