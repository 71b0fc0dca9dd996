-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
-- Loads that are under way, or have died: who may write the tenant's facts, until when. turns counts the transactions that a load
-- has committed: a standby that was promoted may have its lease, and lack what it wrote last.
CREATE TABLE leases (
	tenant_id bigint NOT NULL,
	number    bigint NOT NULL,
	token     text   NOT NULL,
	began     bigint NOT NULL,
	expires   bigint NOT NULL,
	turns     bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (tenant_id, number)
);
--bun:split
-- The packed facts of both domains. A row is visible in the snapshots [since, until). Nearly all bytes are here: a fifth
-- of the table in dead rows, which autovacuum waits for by default, would be terabytes.
CREATE TABLE blocks (
	tenant_id bigint   NOT NULL,
	kind      smallint NOT NULL,
	a         bigint   NOT NULL,
	b         bigint   NOT NULL,
	since     bigint   NOT NULL,
	until     bigint   NOT NULL,
	lo        integer  NOT NULL,
	hi        integer  NOT NULL,
	data      bytea    NOT NULL, -- ends in a CRC-32C
	PRIMARY KEY (tenant_id, kind, a, b, since)
) WITH (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);
--bun:split
-- Removal finds superseded rows by it, and what undoes a load that died finds the rows that the load closed.
CREATE INDEX blocks_until ON blocks (tenant_id, until) WHERE until < 140737488355327;
--bun:split
-- The bytes are packed already: looking for more to save costs time and finds little.
ALTER TABLE blocks ALTER COLUMN data SET STORAGE EXTERNAL;
--bun:split
-- Pulls: the snapshot, and the day, that the later pages of a query are answered from (H12).
CREATE TABLE pulls (
	tenant_id bigint NOT NULL,
	budget    bigint NOT NULL, -- of the rate that the requests count against
	query     text   NOT NULL, -- a digest
	registers bigint NOT NULL,
	facts     bigint NOT NULL,
	day       bigint NOT NULL,
	began     bigint NOT NULL,
	asked     bigint NOT NULL, -- the last time, to the minute
	PRIMARY KEY (tenant_id, budget, query)
);
--bun:split
CREATE INDEX pulls_asked ON pulls (tenant_id, budget, asked);
--bun:split
-- The feed that was loaded last: a digest of the names, sizes and times of its files.
CREATE TABLE feeds (
	tenant_id bigint NOT NULL PRIMARY KEY,
	files     text NOT NULL
);
