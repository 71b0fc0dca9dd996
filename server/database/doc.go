// Package database opens the two databases that Lectern runs on. It is the only package that knows their drivers; the
// stores (authdb, directorydb, …) use bun.
//
//	sqlite:lectern.db             one file, created if it is missing
//	postgres://user@host/lectern  shared by any number of replicas
//
// Both behave alike. A transaction is for writing: on SQLite it takes the write lock when it begins and waits up to
// 30 seconds for it, so it does not fail half-way because of another writer. A transaction that only reads is begun
// with [sql.TxOptions] ReadOnly and never waits for a writer. A commit that has returned is on the disk: SQLite syncs
// at each commit (synchronous=FULL), PostgreSQL as it is configured.
//
// A SQLite file has two pools: one connection that writes, which is opened first, and eight connections that only
// read. Package paging/handle describes which statement uses which; on PostgreSQL both are one pool. Writers of one
// process wait for the connection. While another process locks the file, a writer tries again each millisecond until
// its context ends. Only one server may serve a SQLite file, which [DB.Claim] enforces.
//
// # Migrations
//
// Each store embeds its migrations in two folders with files of equal names, migrations/postgres and
// migrations/sqlite:
//
//	20261121000100_auth.tx.up.sql
//
// [DB.Migrate] merges the sets in the order of their numbers. Every migration is one transaction together with the
// row that records it, under a lock, so several processes may start at once and a crash leaves nothing half done. The
// record is bun_migrations, the table of bun/migrate. Until 0.1.0 is tagged each store has one migration, which is
// edited in place on both engines. From then on each change of the schema is a new file.
//
// # More than one PostgreSQL
//
// [DB.Distribute] distributes the tables over the nodes of a Citus cluster, by tenant (G4). Which tables are
// distributed is only read from Citus's own tables, so it cannot disagree with the data. The product's tables are
// those that follow CREATE TABLE at the beginning of a line of a migration; an operator's own tables are left as they
// are. Each table is moved in a transaction of its own, under the lock of the migrations.
// create_distributed_table_concurrently would block nobody, but needs a logical slot for each table; it is not used,
// since a table is distributed only once.
//
// # Trouble
//
// [Unavailable] is the one place that tells trouble with the database from a fault of the program. On PostgreSQL a
// connection is closed if a write was refused on it because the server is read-only. A connection that breaks, or
// that does not answer before its caller's deadline, closes the idle ones as well. A connection that was idle for two
// seconds is tried before it is used. If the server has no free connection the caller waits for one. A statement is
// never sent twice.
//
// A URL may name several servers, postgres://u@h1,h2/db?target_session_attrs=read-write. pgx tries them in turn, each
// for connect_timeout (2 s by default). A frozen server does not close its connections: only a statement's deadline
// reveals it, so a server sets a deadline for each of its statements.
//
// # Design
//
// bun/migrate applies a migration in one transaction and records it in another, and its lock is a row that a crash
// leaves behind. So Lectern uses its files, names and table, and a loop of its own. The price: a migration cannot
// hold a statement that refuses transactions, such as CREATE INDEX CONCURRENTLY.
//
// PostgreSQL is used through pgxpool in its default mode, which prepares each statement once for each connection, or
// in the mode of default_query_exec_mode in the URL. A pooler that gives each transaction another connection, such as
// PgBouncer, needs cache_describe. bun writes arguments into the text of a statement, so no two texts are alike; its
// statements are sent unprepared, in pgx's exec mode. The queries of QueryContext and QueryRowContext, which requests
// run, have parameters and are prepared. [DB.Batch] sends several of them together.
//
// A deadline for every statement was considered and rejected: a statement of a load may take minutes.
//
// # What it does not do
//
// It has no table and no rule of the product.
package database
