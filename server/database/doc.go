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
// does as it is set. A SQLite file has one server, which [DB.Claim] sees to. Who writes
// to it queues: see Yield, which a load calls between two of its many transactions,
// whose commits alone are not synced one by one.
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
// the program. On PostgreSQL a connection that was read-only when it was written to is
// left, one is tried again after another broke, and where the server has none left
// one is waited for. A statement that was sent is never sent again by itself.
//
// A URL may name several servers, postgres://u@h1,h2/db?target_session_attrs=read-write,
// which are tried in turn, each for connect_timeout (5 s unless it is set), those that
// did not answer last. A frozen server resets nothing, so that time alone tells it
// from a slow statement: where none of its connections says anything for two
// seconds it is asked on a new one, and when it does not answer there in
// connect_timeout either, all its connections are closed.
//
// # Design
//
// bun/migrate applies a migration in one transaction and records it in another,
// and its lock is a row that a crash leaves behind; so the files, names and
// table are its, the loop is ours. The price: a migration cannot hold a statement
// that refuses transactions, such as CREATE INDEX CONCURRENTLY.
//
// bun writes the arguments into the text of a statement, so that no two texts are
// alike and prepared statements only cost; those of few texts that many requests run
// go past it, with parameters, and are prepared (prepared.go); the two that every
// report runs are sent at once, with those of the requests that came meanwhile
// (together.go); and one can be sent with statements that are made before it
// (before.go). PostgreSQL is otherwise spoken to in
// pgx's exec mode, one round trip a statement; but asked for its results in
// binary, which pgx does only in the modes that take two. A page of 1,000 facts of
// 300 bytes, by a range of their keys, takes 0.65 ms so, 1.4 ms in the exec and
// simple modes, where a bytea travels as hex, and 1.0 ms in the others; a single
// row 0.08 ms, 0.08 ms and 0.16 ms. default_query_exec_mode in the URL leaves all
// to pgx in the mode it names, as a pooler may need.
//
// A bound on the time of every statement was weighed against asking the server, and
// left: a load's may take minutes. So was TCP's own (TCP_USER_TIMEOUT, keepalive), which
// the kernel under a stopped process goes on to satisfy.
//
// # What it does not do
//
// It holds no table of the product, and no rule.
package database
