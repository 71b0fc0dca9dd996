-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
-- All tenants. It is shared. Operator commands give out the numbers, under a
-- lock.
CREATE TABLE tenants (
	tenant_id INTEGER   NOT NULL PRIMARY KEY,
	kind      TEXT      NOT NULL,
	reference TEXT      NOT NULL,
	name      TEXT      NOT NULL,
	created   TIMESTAMP NOT NULL,
	UNIQUE (kind, reference)
);
--bun:split
-- Settings of all servers of the database, such as how long snapshots are kept, and the last number that a tenant was given. It is
-- shared, and only operators write to it.
CREATE TABLE settings (
	name  TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
);
--bun:split
-- One row for each tenant: its current snapshot. Requests read it, and writers lock it. next_facts become current at
-- next_from, if a load waits for its hour. oldest_* is the oldest retained snapshot, and since when rows below it wait
-- to be removed. secret signs the X-Snapshot of the tenant. Instants are microseconds since 1970, and 0 is none.
-- Numbers of loads begin at 2^32 (package paging/snapshot).
CREATE TABLE versions (
	tenant_id        INTEGER NOT NULL PRIMARY KEY,
	registers        INTEGER NOT NULL,
	facts            INTEGER NOT NULL,
	facts_from       INTEGER NOT NULL DEFAULT 0,
	next_facts       INTEGER NOT NULL DEFAULT 0,
	next_from        INTEGER NOT NULL DEFAULT 0,
	oldest_registers INTEGER NOT NULL DEFAULT 0,
	oldest_facts     INTEGER NOT NULL DEFAULT 0,
	oldest_since     INTEGER NOT NULL DEFAULT 0,
	secret           BLOB,
	erasures         INTEGER NOT NULL DEFAULT 0 -- raised by each erasure (G8), which changes answers and no snapshot
);
--bun:split
-- All retained snapshots, each with its beginning.
CREATE TABLE snapshots (
	tenant_id INTEGER NOT NULL,
	registers INTEGER NOT NULL,
	facts     INTEGER NOT NULL,
	facts_from INTEGER NOT NULL,
	began     INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, registers, facts)
);
--bun:split
-- Loads under way, and dead ones: which load may write the tenant's facts, and until when. transactions counts the
-- transactions that it has committed: a standby that was promoted may have the lease, and lack the last of them.
CREATE TABLE leases (
	tenant_id INTEGER NOT NULL,
	number    INTEGER NOT NULL,
	token     TEXT    NOT NULL,
	began     INTEGER NOT NULL,
	expires   INTEGER NOT NULL,
	transactions INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (tenant_id, number)
);
--bun:split
-- The blocks of both domains. A row is visible in the snapshots [since, until). The key ends in until, so that a
-- scan does not read superseded rows. The check keeps it unique without until: no load closes a row of its own.
CREATE TABLE blocks (
	tenant_id INTEGER NOT NULL,
	kind      INTEGER NOT NULL,
	a         INTEGER NOT NULL,
	b         INTEGER NOT NULL,
	since     INTEGER NOT NULL,
	until     INTEGER NOT NULL,
	lo        INTEGER NOT NULL,
	hi        INTEGER NOT NULL,
	data      BLOB    NOT NULL, -- ends in a CRC-32C
	PRIMARY KEY (tenant_id, kind, a, b, since, until),
	CHECK (since < until)
);
--bun:split
-- To find the superseded rows of a kind. All rows that a load replaces have the same until: without the kind, each batch that is
-- removed of one kind would read those of all others again.
CREATE INDEX blocks_until ON blocks (tenant_id, kind, until) WHERE until < 140737488355327;
--bun:split
-- Pulls: the snapshot, and the day, that the later pages of a query are answered from (H12).
CREATE TABLE pulls (
	tenant_id INTEGER NOT NULL,
	budget    INTEGER NOT NULL, -- of the rate that the requests count against
	query     TEXT    NOT NULL, -- a digest
	registers INTEGER NOT NULL,
	facts     INTEGER NOT NULL,
	day       INTEGER NOT NULL,
	began     INTEGER NOT NULL,
	asked     INTEGER NOT NULL, -- last request, to the minute
	PRIMARY KEY (tenant_id, budget, query)
);
--bun:split
CREATE INDEX pulls_asked ON pulls (tenant_id, budget, asked);
--bun:split
-- The feed that was loaded last: a digest of the names, sizes and times of its files.
CREATE TABLE feeds (
	tenant_id INTEGER NOT NULL PRIMARY KEY,
	files     TEXT NOT NULL
);
--bun:split
-- The last load of a tenant, for the operator: no report reads it. It is written after the load, on its own.
CREATE TABLE loads (
	tenant_id    INTEGER   NOT NULL,
	ended        TIMESTAMP NOT NULL,
	milliseconds INTEGER   NOT NULL,
	row_count    INTEGER   NOT NULL,
	PRIMARY KEY (tenant_id)
) WITHOUT ROWID;
--bun:split
-- People whose name, e-mail and phone are erased for good (P7). user_id is the number of an account or a reader, and
-- since the time of the first request, in microseconds since 1970.
CREATE TABLE forgotten (
	tenant_id INTEGER NOT NULL,
	user_id   INTEGER NOT NULL,
	since     INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
);
