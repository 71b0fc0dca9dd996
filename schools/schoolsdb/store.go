// Package schoolsdb stores the tables and the aggregated facts of schools in PostgreSQL or SQLite. It stores, orders and
// filters rows; every rule is in package schools. A load is Begin, Intake, Save and Close, in this order.
package schoolsdb

import (
	"context"
	"embed"
	"time"

	"github.com/lectern-dev/lectern/auth"
	"github.com/lectern-dev/lectern/directory"
	"github.com/lectern-dev/lectern/directory/directorydb"
	"github.com/lectern-dev/lectern/paging/handle"
	"github.com/lectern-dev/lectern/paging/snapshot"
	"github.com/lectern-dev/lectern/paging/snapshot/snapshotdb"
	"github.com/lectern-dev/lectern/schools"
	"github.com/lectern-dev/lectern/schools/internal/facts"
	"github.com/lectern-dev/lectern/schools/report"
)

// Migrations creates the tables of this package, in a folder for each engine.
//
//go:embed migrations
var Migrations embed.FS

// Store is a report.Store on a database. It must not be copied after its first use.
type Store struct {
	DB *handle.DB
	// Copy writes many rows at once; a load needs it.
	Copy snapshotdb.CopyFunc
	// Now is the clock of loads and retention; nil is handle.Clock.
	Now func() time.Time

	latest latest
}

var _ report.Store = (*Store)(nil)

// booksTable has the books, which only loads write.
var booksTable = snapshot.NewRecords(snapshot.RecordsOf[schools.Book]{Name: "schools_books", Key: "book_id"})

// The kinds of blocks whose numbers an operator sees.
var (
	RecordKind = facts.RecordKind // one for each user and book
	DayKind    = facts.DayKind    // one for each day
)

// Snapshots returns the store of the partners' snapshots.
func (s *Store) Snapshots() *snapshotdb.Store {
	return &snapshotdb.Store{DB: s.DB, Copy: s.Copy, Now: s.Now, Tables: []*snapshot.Table{booksTable.Table}, Kinds: Kinds}
}

// Scan implements snapshot.Blocks.
func (s *Store) Scan(ctx context.Context, t auth.Tenant, at int64, k snapshot.Kind, r snapshot.Range, visit func(snapshot.Block) error) error {
	return s.Snapshots().Scan(ctx, t, at, k, r, visit)
}

// Replaced implements snapshot.Blocks.
func (s *Store) Replaced(ctx context.Context, t auth.Tenant, k snapshot.Kind, loads snapshot.Span, visit func(snapshot.BlockKey) error) error {
	return s.Snapshots().Replaced(ctx, t, k, loads, visit)
}

// ReplacedBooks implements report.Store.
func (s *Store) ReplacedBooks(ctx context.Context, partner directory.PartnerID, loads snapshot.Span) (books []int64, err error) {
	return books, s.Snapshots().ReplacedRows(ctx, booksTable.Table, auth.Tenant(partner), loads, func(key []int64) error {
		books = append(books, key[0])
		return nil
	})
}

// Books implements report.Store.
func (s *Store) Books(ctx context.Context, partner directory.PartnerID, at snapshot.Versions) (*schools.Books, error) {
	books := schools.NewBooks(0)
	return books, s.EachBook(ctx, partner, at, books.Add)
}

// EachBook calls f with the books of a snapshot, by their number.
func (s *Store) EachBook(ctx context.Context, partner directory.PartnerID, at snapshot.Versions, f func(schools.Book)) error {
	return snapshotdb.Read(ctx, s.DB, booksTable, f, `
		  FROM schools_books
		 WHERE tenant_id = ?0 AND since <= ?1 AND until > ?1
		 ORDER BY book_id`, partner, at.Facts)
}

// BooksOf returns the number of books that a user has read.
func (s *Store) BooksOf(ctx context.Context, partner directory.PartnerID, at snapshot.Versions, user directory.UserID) (n int, err error) {
	one := snapshot.Range{Among: []int64{int64(user)}}
	return n, s.Scan(ctx, auth.Tenant(partner), at.Facts, facts.RecordKind, one, func(snapshot.Block) error { n++; return nil })
}

// People implements report.Store.
func (s *Store) People(ctx context.Context, a report.Access, ids []directory.UserID) (people []report.Person, erased bool, err error) {
	people = make([]report.Person, len(ids))
	erased, err = directorydb.Names(ctx, s.DB, a.Partner, a.At.Registers, ids, a.Erasures, func(place int, name, email string) {
		people[place] = report.Person{Name: name, Email: email}
	})
	return people, erased, err
}

// Kinds are the kinds of blocks of a partner.
var Kinds = []snapshot.Kind{facts.RecordKind, facts.IndexKind, facts.DayKind, facts.EventSetKind, facts.SumsKind}

// NewVerifier returns a verifier of a partner's blocks, of all Kinds.
func NewVerifier() snapshot.Verifier { return new(facts.Verifier) }
