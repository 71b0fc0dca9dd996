-- Loads that are under way, or have died: who holds the tenant's facts, until when.
CREATE TABLE leases (
	tenant_id bigint NOT NULL,
	number    bigint NOT NULL,
	token     text   NOT NULL,
	began     bigint NOT NULL,
	expires   bigint NOT NULL,
	PRIMARY KEY (tenant_id, number)
);

-- The packed forms of both domains. A row is of the states from the load since to before the load until.
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
);

-- What removal looks for, and who undoes a load that died.
CREATE INDEX blocks_until ON blocks (tenant_id, until) WHERE until < 140737488355327;

-- The bytes are packed already: to look for more to save costs time and finds little.
ALTER TABLE blocks ALTER COLUMN data SET STORAGE EXTERNAL;

-- Pulls: which state, as of which day, the later pages of a query are answered from (H12).
CREATE TABLE pulls (
	tenant_id bigint NOT NULL,
	budget    bigint NOT NULL, -- of the rate that the requests count against
	query     text NOT NULL, -- a digest
	registers bigint NOT NULL,
	facts     bigint NOT NULL,
	day       bigint NOT NULL,
	began     bigint NOT NULL,
	asked     bigint NOT NULL, -- the last time, to the minute
	PRIMARY KEY (tenant_id, budget, query)
);

CREATE INDEX pulls_asked ON pulls (tenant_id, budget, asked);

-- What all servers of the database keep to, such as how long states are kept. Like the list of tenants it is shared, and written
-- by operators alone.
CREATE TABLE settings (
	name  text NOT NULL PRIMARY KEY,
	value text NOT NULL
);
