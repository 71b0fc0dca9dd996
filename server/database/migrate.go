package database

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

const (
	migrationsTable = "bun_migrations" // of bun/migrate, by default

	// lockKey is the number of the advisory lock on PostgreSQL: "Lectern" in ASCII.
	lockKey = 0x4c65637465726e
)

// Migrate applies the missing migrations of the sets and returns their names in order. A set is the file system that
// a store embeds: files migrations/<engine>/<number>_<name>.tx.up.sql, with numbers that are unique over all sets and
// a line "--bun:split" between two statements.
//
// Each migration is one transaction under a lock. Its statements are sent one at a time, because Citus refuses
// several together. If several processes migrate at once, one of them applies each migration, and all return when the
// schema is up to date. A process that waits longer than 30 seconds fails and can be run again. After an error the
// migrations before the faulty one stay applied, and are returned. In a distributed database (see [DB.Distribute])
// new tables are distributed at the end.
func (db *DB) Migrate(ctx context.Context, sets ...fs.FS) (applied []string, err error) {
	want, err := db.discover(sets)
	if err != nil {
		return nil, err
	}
	// Without this check every start of a replica would wait for the lock.
	current, err := db.current(ctx, want)
	if err != nil {
		return nil, err
	}
	if !current {
		applied, err = db.eachLocked(ctx, func(tx bun.Tx) (string, error) { return applyNext(ctx, tx, want) })
	}
	if err == nil {
		err = db.distributeNew(ctx, want)
	}
	if err != nil {
		err = fmt.Errorf("database %s: migrate: %w", Redact(db.URL), err)
	}
	return applied, err
}

// eachLocked calls step in one transaction after another, each under the lock of the migrations, until step has
// nothing left to do and returns no name. It returns the names of the committed steps.
func (db *DB) eachLocked(ctx context.Context, step func(tx bun.Tx) (name string, err error)) (done []string, err error) {
	for {
		var name string
		err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) (err error) {
			if err = db.lock(ctx, tx); err == nil {
				name, err = step(tx)
			}
			return err
		})
		if err != nil || name == "" {
			return done, err
		}
		done = append(done, name)
	}
}

// SchemaCurrent reports whether every migration of the sets is applied. It changes nothing, and returns false for an
// empty database.
func (db *DB) SchemaCurrent(ctx context.Context, sets ...fs.FS) (bool, error) {
	want, err := db.discover(sets)
	if err != nil {
		return false, err
	}
	return db.current(ctx, want)
}

// migration is one file.
type migration struct {
	number string // as it is recorded
	name   string // number and name, without the suffix
	sql    string
}

// discover reads the migrations of this engine from all sets, by number.
func (db *DB) discover(sets []fs.FS) ([]migration, error) {
	var all []migration
	for _, set := range sets {
		ms, err := readSet(set, path.Join("migrations", string(db.Engine)))
		if err != nil {
			return nil, fmt.Errorf("migrations: %w", err)
		}
		all = append(all, ms...)
	}
	slices.SortFunc(all, func(a, b migration) int { return cmp.Compare(a.number, b.number) })
	for i := 1; i < len(all); i++ {
		if all[i].number == all[i-1].number {
			return nil, fmt.Errorf("migrations: %s and %s have one number", all[i-1].name, all[i].name)
		}
	}
	return all, nil
}

// migrationFile matches the name of a migration that is one transaction, in the form of bun/migrate.
var migrationFile = regexp.MustCompile(`^((\d{14})_.*)\.tx\.up\.sql$`)

// readSet reads one folder of one set.
func readSet(set fs.FS, folder string) ([]migration, error) {
	entries, err := fs.ReadDir(set, folder)
	if err != nil {
		return nil, err
	}
	var ms []migration
	for _, e := range entries {
		m := migrationFile.FindStringSubmatch(e.Name())
		if m == nil {
			return nil, fmt.Errorf("%s: not named <14 digits>_<name>.tx.up.sql", path.Join(folder, e.Name()))
		}
		text, err := fs.ReadFile(set, path.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		ms = append(ms, migration{number: m[2], name: m[1], sql: string(text)})
	}
	return ms, nil
}

// current reports whether all of want is recorded, in a table that may not exist yet.
func (db *DB) current(ctx context.Context, want []migration) (bool, error) {
	var exists bool
	q := `SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?)`
	if db.Engine == Postgres {
		q = `SELECT to_regclass(?) IS NOT NULL`
	}
	if err := db.NewRaw(q, migrationsTable).Scan(ctx, &exists); err != nil || !exists {
		return false, err
	}
	left, err := missing(ctx, db.DB, want)
	return err == nil && len(left) == 0, err
}

// missing returns the migrations that are not applied. It returns an error if a later version has applied a migration
// that this one does not know. This version would misread the data.
func missing(ctx context.Context, idb bun.IDB, want []migration) ([]migration, error) {
	var done []string // numbers
	err := idb.NewSelect().TableExpr(migrationsTable).Column("name").Scan(ctx, &done)
	if err != nil || len(want) == 0 {
		return nil, err
	}
	if last := slices.Max(append(done, "")); last > want[len(want)-1].number {
		return nil, fmt.Errorf("the database was migrated by a newer version (migration %s); run that version", last)
	}
	return slices.DeleteFunc(slices.Clone(want), func(m migration) bool { return slices.Contains(done, m.number) }), nil
}

// applyNext applies the first missing migration and returns its name, or an empty string if none is missing.
func applyNext(ctx context.Context, tx bun.Tx, want []migration) (name string, err error) {
	_, err = tx.NewCreateTable().Model((*migrate.Migration)(nil)).ModelTableExpr(migrationsTable).IfNotExists().Exec(ctx)
	if err != nil {
		return "", err
	}
	left, err := missing(ctx, tx, want)
	if err != nil || len(left) == 0 {
		return "", err
	}
	if err := apply(ctx, tx, left[0]); err != nil {
		return "", fmt.Errorf("%s: %w", left[0].name, err)
	}
	return left[0].name, nil
}

// lock waits until no other process migrates. On SQLite the transaction has locked the file already. On PostgreSQL
// the lock ends with the transaction, which a pooler needs. The time limit also applies to locks on tables, so a
// migration never makes readers queue behind it for long.
func (db *DB) lock(ctx context.Context, tx bun.Tx) error {
	if db.Engine == SQLite {
		return nil
	}
	_, err := tx.ExecContext(ctx, `SELECT set_config('lock_timeout', '30s', true), set_config('idle_in_transaction_session_timeout', '0', true)`)
	if err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(?)`, int64(lockKey)); err != nil {
		return fmt.Errorf("wait for another process that migrates: %w", err)
	}
	return nil
}

// apply runs a migration and records it, both in tx.
func apply(ctx context.Context, tx bun.Tx, m migration) error {
	for statement := range strings.SplitSeq(m.sql, "\n--bun:split\n") {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	_, err := tx.NewInsert().Model(&migrate.Migration{Name: m.number, GroupID: 1}).
		ModelTableExpr(migrationsTable).Returning("NULL").Exec(ctx)
	return err
}
