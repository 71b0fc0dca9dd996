-- The only table that tenants share (G4): a reference table where the database
-- is distributed. Its numbers are given out under a lock, by operator commands.
CREATE TABLE tenants (
	tenant_id bigint      NOT NULL PRIMARY KEY,
	kind      text        NOT NULL,
	reference text        NOT NULL,
	name      text        NOT NULL,
	created   timestamptz NOT NULL,
	UNIQUE (kind, reference)
);

-- One row a tenant: what readers compare, and what writers lock.
CREATE TABLE versions (
	tenant_id bigint NOT NULL PRIMARY KEY,
	registers bigint NOT NULL,
	facts     bigint NOT NULL
);

CREATE TABLE keys (
	tenant_id bigint  NOT NULL,
	number    integer NOT NULL,
	api       text    NOT NULL,
	network   bigint  NOT NULL, -- 0 = none
	budget    integer NOT NULL,
	hash      bytea   NOT NULL,
	created   timestamptz NOT NULL,
	expires   timestamptz,
	revoked   timestamptz,
	last_used timestamptz,
	PRIMARY KEY (tenant_id, number)
);

-- Counts of the current minute. Unlogged: a request must not wait for the disk,
-- and after a crash the minute is over.
CREATE UNLOGGED TABLE rates (
	tenant_id bigint NOT NULL,
	budget    text   NOT NULL,
	taken     bigint NOT NULL, -- milliseconds since 1970: when count was last raised
	count     bigint NOT NULL, -- in the minute of taken
	PRIMARY KEY (tenant_id, budget)
) WITH (fillfactor = 50); -- room to update in place
