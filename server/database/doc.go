// Package database opens the two databases that Lectern runs on. It is the only
// package that knows a driver: the stores (authdb, directorydb, …) see bun alone.
//
//	sqlite:lectern.db             one file, created when missing
//	postgres://user@host/lectern  shared by any number of replicas
//
// Both are opened to behave alike. A transaction is begun to write: on SQLite it
// takes the write lock at once and waits up to 30 seconds for it, instead of
// failing half-way when another writer came first. A transaction that only reads
// says so ([sql.TxOptions] ReadOnly) and then never waits for a writer. A commit
// that returned is on the disk: SQLite syncs at each (synchronous=FULL), PostgreSQL
// does as it is set.
//
// A SQLite file is opened twice: by a handle of one connection that writes, which is
// opened first, and by one of eight connections that only read. Package paging/handle
// says which statement goes where; on PostgreSQL both are one. The writers of a process
// wait for the connection; another process that has the file is asked again each
// millisecond, until the caller's time is over. A SQLite file has one server, which
// [DB.Claim] sees to.
//
// SQLite's statements are not kept compiled: to compile that of a key check takes 25 µs.
//
// # Migrations
//
// Each store embeds its migrations in two folders of equal names,
// migrations/postgres and migrations/sqlite:
//
//	20261121000100_auth.tx.up.sql
//
// [DB.Migrate] merges the sets in order of their numbers. Every migration is one
// transaction together with the row that records it, taken under a lock, so that
// several processes may start at once and a crash leaves nothing half done. The
// record is the table of bun/migrate, bun_migrations. Until 0.1.0 is tagged each store
// has one migration, which is edited in place on both engines; from then on a change of
// the schema is a file of its own.
//
// # More than one PostgreSQL
//
// [DB.Distribute] spreads the tables over the nodes of a Citus cluster, by tenant (G4). What is distributed Citus's own tables
// say, and nothing else: they cannot disagree with the data. Which tables are the product's the migrations say, by the name
// behind CREATE TABLE at the beginning of a line; an operator's own beside them are left alone. A table is moved in a transaction
// of its own, under the lock of the migrations; create_distributed_table_concurrently, which would keep nobody waiting, needs a
// logical slot for each and was left, since this is done once.
//
// # Trouble
//
// [Unavailable] is the one place that tells trouble with the database from a fault of
// the program. On PostgreSQL a connection on which a write was refused, since the server
// is read-only, is closed; a connection that breaks, or that does not answer in the
// caller's time, takes the idle ones with it; one that was idle for two seconds is tried
// before it is used. Where the server has no connection left one is waited for. A
// statement that was sent is not sent again.
//
// A URL may name several servers, postgres://u@h1,h2/db?target_session_attrs=read-write,
// which pgx tries in turn, each for connect_timeout (2 s unless it is set). A frozen
// server resets nothing: only the deadline of a statement tells it from a slow one, so
// that a server gives each of its statements one.
//
// # Design
//
// bun/migrate applies a migration in one transaction and records it in another,
// and its lock is a row that a crash leaves behind; so the files, names and
// table are its, the loop is ours. The price: a migration cannot hold a statement
// that refuses transactions, such as CREATE INDEX CONCURRENTLY.
//
// PostgreSQL is pgxpool in its default mode, which prepares a statement once a connection,
// or in the mode that default_query_exec_mode in the URL names. A pooler that gives each
// transaction another connection, as PgBouncer may, needs cache_describe. bun writes the
// arguments into the text of a statement, so that no two texts are alike: its statements
// are sent unprepared, in pgx's exec mode. The queries of QueryContext and QueryRowContext,
// which requests run, have parameters instead and are prepared. [DB.Batch] sends several of
// them at once.
//
// A bound on the time of every statement was left: a load's may take minutes.
//
// # What it does not do
//
// It holds no table of the product, and no rule.
package database
