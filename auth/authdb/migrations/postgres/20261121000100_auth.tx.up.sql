-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
-- All tenants. It is shared: a reference table where the database is distributed. Operator commands give out the numbers, under a
-- lock.
CREATE TABLE tenants (
	tenant_id bigint      NOT NULL PRIMARY KEY,
	kind      text        NOT NULL,
	reference text        NOT NULL,
	name      text        NOT NULL,
	created   timestamptz NOT NULL,
	UNIQUE (kind, reference)
);
--bun:split
-- Settings of all servers of the database, such as how long snapshots are kept, and the last number that a tenant was given. It is
-- shared, and only operators write to it.
CREATE TABLE settings (
	name  text NOT NULL PRIMARY KEY,
	value text NOT NULL
);
--bun:split
-- One row a tenant: which snapshot is current. Readers compare it, and writers lock it. next_facts hold from next_from, where a load
-- waits for its hour. oldest_* is the oldest snapshot that is kept, and since when, where older ones wait to be deleted. secret
-- tells an X-Snapshot of the tenant's from another text. Instants are microseconds since 1970, and 0 is none. Numbers of loads begin
-- at 2^32 (package paging/state).
CREATE TABLE versions (
	tenant_id        bigint NOT NULL PRIMARY KEY,
	registers        bigint NOT NULL,
	facts            bigint NOT NULL,
	held_from        bigint NOT NULL DEFAULT 0,
	next_facts       bigint NOT NULL DEFAULT 0,
	next_from        bigint NOT NULL DEFAULT 0,
	oldest_registers bigint NOT NULL DEFAULT 0,
	oldest_facts     bigint NOT NULL DEFAULT 0,
	oldest_since     bigint NOT NULL DEFAULT 0,
	secret           bytea,
	erasures         bigint NOT NULL DEFAULT 0 -- raised by each erasure (G8): answers change by it, and snapshots do not
);
--bun:split
-- The snapshots that there were, each with when it began.
CREATE TABLE states (
	tenant_id bigint NOT NULL,
	registers bigint NOT NULL,
	facts     bigint NOT NULL,
	held_from bigint NOT NULL,
	began     bigint NOT NULL,
	PRIMARY KEY (tenant_id, registers, facts)
);
--bun:split
CREATE TABLE keys (
	tenant_id bigint      NOT NULL,
	number    integer     NOT NULL,
	api       text        NOT NULL,
	network   bigint      NOT NULL, -- 0 = none
	budget    integer     NOT NULL,
	hash      bytea       NOT NULL, -- empty for a key of the directory, whose HMAC needs the secret itself (P11)
	secret    bytea, -- sealed; only of a key of the directory
	created   timestamptz NOT NULL,
	expires   timestamptz,
	revoked   timestamptz,
	last_used timestamptz,
	PRIMARY KEY (tenant_id, number)
);
--bun:split
-- Counts of the current minute. They are logged: an unlogged table is not copied to where a shard moves. No request waits for the
-- disk (Limiter.Take); the price is some 180 bytes of the log a request.
-- Half of a page is left free, to update rows in place.
CREATE TABLE rates (
	tenant_id bigint NOT NULL,
	budget    text   NOT NULL,
	taken     bigint NOT NULL, -- milliseconds since 1970: when count was last raised
	count     bigint NOT NULL, -- in the minute of taken
	PRIMARY KEY (tenant_id, budget)
) WITH (fillfactor = 50);
--bun:split
-- The last load of each of a tenant's APIs, for the operator: no report reads it. It is written after the load, on its own.
CREATE TABLE loads (
	tenant_id    bigint      NOT NULL,
	api          text        NOT NULL,
	ended        timestamptz NOT NULL,
	milliseconds bigint      NOT NULL,
	row_count    bigint      NOT NULL,
	PRIMARY KEY (tenant_id, api)
);
--bun:split
-- People whose name, e-mail and phone were erased for ever (P7): no later row brings them back. user_id is the number of an account
-- or of a reader; since is when the first erasure was asked for, in microseconds since 1970.
CREATE TABLE forgotten (
	tenant_id bigint NOT NULL,
	user_id   bigint NOT NULL,
	since     bigint NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
);
