-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
-- Loads that are under way, or have died: who may write the tenant's facts, until when. turns counts the transactions that a load
-- has committed: a standby that was promoted may have its lease, and lack what it wrote last.
CREATE TABLE leases (
	tenant_id INTEGER NOT NULL,
	number    INTEGER NOT NULL,
	token     TEXT    NOT NULL,
	began     INTEGER NOT NULL,
	expires   INTEGER NOT NULL,
	turns     INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (tenant_id, number)
);
--bun:split
-- The packed facts of both domains. A row is visible in the snapshots [since, until).
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
	PRIMARY KEY (tenant_id, kind, a, b, since)
);
--bun:split
-- Removal finds superseded rows by it, and what undoes a load that died finds the rows that the load closed.
CREATE INDEX blocks_until ON blocks (tenant_id, until) WHERE until < 140737488355327;
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
	asked     INTEGER NOT NULL, -- the last time, to the minute
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
