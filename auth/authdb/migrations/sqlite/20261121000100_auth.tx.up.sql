-- The only table that tenants share (G4).
CREATE TABLE tenants (
	tenant_id INTEGER   NOT NULL PRIMARY KEY,
	kind      TEXT      NOT NULL,
	reference TEXT      NOT NULL,
	name      TEXT      NOT NULL,
	created   TIMESTAMP NOT NULL,
	UNIQUE (kind, reference)
);

-- One row a tenant: what readers compare.
CREATE TABLE versions (
	tenant_id INTEGER NOT NULL PRIMARY KEY,
	registers INTEGER NOT NULL,
	facts     INTEGER NOT NULL
);

CREATE TABLE keys (
	tenant_id INTEGER NOT NULL,
	number    INTEGER NOT NULL,
	api       TEXT    NOT NULL,
	network   INTEGER NOT NULL, -- 0 = none
	budget    INTEGER NOT NULL,
	hash      BLOB    NOT NULL,
	created   TIMESTAMP NOT NULL,
	expires   TIMESTAMP,
	revoked   TIMESTAMP,
	last_used TIMESTAMP,
	PRIMARY KEY (tenant_id, number)
) WITHOUT ROWID;

-- There are no rates: here they are counted in the process (H6).
