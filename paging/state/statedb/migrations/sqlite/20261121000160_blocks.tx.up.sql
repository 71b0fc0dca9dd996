-- Loads that are under way, or have died: who holds the tenant's facts, until when.
CREATE TABLE leases (
	tenant_id INTEGER NOT NULL,
	number    INTEGER NOT NULL,
	token     TEXT    NOT NULL,
	began     INTEGER NOT NULL,
	expires   INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, number)
);

-- The packed forms of both domains. A row is of the states from the load since to before the load until.
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

-- What removal looks for, and who undoes a load that died.
CREATE INDEX blocks_until ON blocks (tenant_id, until) WHERE until < 140737488355327;

-- Pulls: which state, as of which day, the later pages of a query are answered from (H12).
CREATE TABLE pulls (
	tenant_id INTEGER NOT NULL,
	budget    INTEGER NOT NULL, -- of the rate that the requests count against
	query     TEXT NOT NULL, -- a digest
	registers INTEGER NOT NULL,
	facts     INTEGER NOT NULL,
	day       INTEGER NOT NULL,
	began     INTEGER NOT NULL,
	asked     INTEGER NOT NULL, -- the last time, to the minute
	PRIMARY KEY (tenant_id, budget, query)
);

CREATE INDEX pulls_asked ON pulls (tenant_id, budget, asked);

-- What all servers of the database keep to, such as how long states are kept. Like the list of tenants it is shared, and written
-- by operators alone.
CREATE TABLE settings (
	name  TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
);
