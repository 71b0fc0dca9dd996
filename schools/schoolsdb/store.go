// Package schoolsdb keeps the schools' registers and folded facts in PostgreSQL or SQLite. It stores, orders and
// filters rows; every rule is in package schools.
package schoolsdb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/auth/authdb"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/state"
	"github.com/lectern-dev/lectern/reading/calendar"
	"github.com/lectern-dev/lectern/schools"
)

// Migrations creates the tables of this package, in a folder for each engine.
//
//go:embed migrations
var Migrations embed.FS

// Store is a schools.Store on a database. It must not be copied after its first use.
type Store struct {
	DB *bun.DB
	// Copy writes many rows at once; a load needs it.
	Copy CopyFunc
	// Now tells when a load begins; nil = authdb's clock.
	Now func() time.Time

	latest latest
}

var _ schools.Store = (*Store)(nil)

// steady runs a read of a state of the partner's data that same accepts.
func (s *Store) steady(ctx context.Context, partner directory.PartnerID, same func(state.Versions) bool, read func() error) error {
	now := func() (state.Versions, error) {
		v, err := authdb.ReadVersions(ctx, s.DB, auth.Tenant(partner))
		return state.Versions(v), err
	}
	return state.Steady(read, now, same)
}

// registers and facts are the two conditions under which a read is steady.
func registers(at state.Versions) func(state.Versions) bool {
	return func(now state.Versions) bool { return now.Registers == at.Registers }
}

func facts(at state.Versions) func(state.Versions) bool {
	return func(now state.Versions) bool { return now.Facts == at.Facts }
}

// Books implements schools.Store.
func (s *Store) Books(ctx context.Context, partner directory.PartnerID, at state.Versions) (*schools.Books, error) {
	var books *schools.Books
	err := s.steady(ctx, partner, facts(at), func() (err error) {
		books, err = s.books(ctx, partner)
		return err
	})
	return books, err
}

func (s *Store) books(ctx context.Context, partner directory.PartnerID) (*schools.Books, error) {
	books := schools.NewBooks(0)
	rows, err := s.DB.QueryContext(ctx, `SELECT book_id, title, author, isbn, length FROM schools_books WHERE tenant_id = ? ORDER BY book_id`, partner)
	return books, authdb.Visit(rows, err, "books", func(rows *sql.Rows) error {
		var b schools.Book
		if err := rows.Scan(&b.ID, &b.Title, &b.Author, &b.ISBN, &b.Length); err != nil {
			return err
		}
		books.Add(b)
		return nil
	})
}

// Ledgers implements schools.Store.
func (s *Store) Ledgers(ctx context.Context, partner directory.PartnerID, at state.Versions) (*schools.Ledgers, error) {
	var ls *schools.Ledgers
	err := s.steady(ctx, partner, facts(at), func() (err error) {
		ls, err = s.ledgers(ctx, partner)
		return err
	})
	return ls, err
}

func (s *Store) ledgers(ctx context.Context, partner directory.PartnerID) (*schools.Ledgers, error) {
	ls := &schools.Ledgers{}
	rows, err := s.DB.QueryContext(ctx, `SELECT block, data FROM schools_ledgers WHERE tenant_id = ? ORDER BY block`, partner)
	return ls, authdb.Visit(rows, err, "ledgers", func(rows *sql.Rows) error {
		var block int64
		var data []byte
		if err := rows.Scan(&block, &data); err != nil {
			return err
		}
		if err := ls.AddBlock(block, data); err != nil {
			return fmt.Errorf("block %d: %w", block, err)
		}
		return nil
	})
}

// Attendance implements schools.Store.
func (s *Store) Attendance(ctx context.Context, partner directory.PartnerID, at state.Versions) (*schools.Attendance, error) {
	a := &schools.Attendance{}
	err := s.steady(ctx, partner, facts(at), func() error {
		rows, err := s.DB.QueryContext(ctx, `SELECT day, presence FROM schools_days WHERE tenant_id = ? ORDER BY day`, partner)
		return authdb.Visit(rows, err, "days", func(rows *sql.Rows) error {
			var day calendar.Date
			var data sql.RawBytes
			if err := rows.Scan((*int32)(&day), &data); err != nil {
				return err
			}
			set, err := schools.ParsePresence(data)
			if err != nil {
				return fmt.Errorf("day %s: %w", day, err)
			}
			a.Days, a.Sets = append(a.Days, day), append(a.Sets, set)
			return nil
		})
	})
	return a, err
}

// Minutes implements schools.Store.
func (s *Store) Minutes(ctx context.Context, partner directory.PartnerID, at state.Versions, period calendar.Period) (schools.MinutesByDay, error) {
	m := schools.MinutesByDay{}
	err := s.steady(ctx, partner, facts(at), func() error {
		rows, err := s.DB.QueryContext(ctx, `SELECT day, minutes FROM schools_days WHERE tenant_id = ? AND day BETWEEN ? AND ? ORDER BY day`,
			partner, int32(period.Start), int32(period.End))
		return authdb.Visit(rows, err, "minutes", func(rows *sql.Rows) error {
			var day calendar.Date
			var data []byte
			err := rows.Scan((*int32)(&day), &data)
			m[day] = data
			return err
		})
	})
	return m, err
}

// Records implements schools.Store.
func (s *Store) Records(ctx context.Context, partner directory.PartnerID, at state.Versions, keys []schools.RecordKey, period calendar.Period,
	f func(k schools.RecordKey, data []byte) error) error {
	return s.steady(ctx, partner, facts(at), func() error { return s.records(ctx, partner, keys, period, f) })
}

// records reads by user: a user's records of one period are mostly those of the keys, or few more.
func (s *Store) records(ctx context.Context, partner directory.PartnerID, keys []schools.RecordKey, period calendar.Period,
	f func(k schools.RecordKey, data []byte) error) error {
	if len(keys) == 0 {
		return nil
	}
	rows, err := s.DB.QueryContext(ctx, `
		SELECT user_id, book_id, data
		FROM schools_records
		WHERE tenant_id = ? AND ? AND last_day >= ? AND first_day <= ?
		ORDER BY user_id, book_id`,
		partner, ofUsers(keys), int32(period.Start), int32(period.End))
	return authdb.Visit(rows, err, "records", func(rows *sql.Rows) error {
		var k schools.RecordKey
		var data sql.RawBytes
		if err := rows.Scan((*int64)(&k.User), &k.Book, &data); err != nil {
			return err
		}
		for len(keys) > 0 && keys[0].Compare(k) < 0 {
			keys = keys[1:]
		}
		if len(keys) == 0 || keys[0] != k {
			return nil
		}
		return f(k, data)
	})
}

// ofUsers is the condition for the users of ascending keys: a range where they stand close, which the engines read
// fastest, and a list where a range would read many others.
func ofUsers(keys []schools.RecordKey) schema.QueryWithArgs {
	var users []int64
	for _, k := range keys {
		if n := len(users); n == 0 || users[n-1] != int64(k.User) {
			users = append(users, int64(k.User))
		}
	}
	first, last := users[0], users[len(users)-1]
	if last-first < 2*int64(len(users)) {
		return bun.SafeQuery("user_id BETWEEN ? AND ?", first, last)
	}
	return bun.SafeQuery("user_id IN (?)", bun.List(users))
}

// People implements schools.Store.
func (s *Store) People(ctx context.Context, partner directory.PartnerID, at state.Versions, ids []directory.UserID) (map[directory.UserID]schools.Person, error) {
	people := make(map[directory.UserID]schools.Person, len(ids))
	err := s.steady(ctx, partner, registers(at), func() error {
		return directorydb.Names(ctx, s.DB, partner, ids, func(id directory.UserID, name, email string) {
			people[id] = schools.Person{Name: name, Email: email}
		})
	})
	return people, err
}
