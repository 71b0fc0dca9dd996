-- The loads that workers do: when a tenant's next one is due, and who has it, until when unless it says that it lives. Instants
-- are microseconds since 1970; 0 is before all others.
CREATE TABLE work (
	tenant_id INTEGER NOT NULL PRIMARY KEY,
	due       INTEGER NOT NULL,
	token     TEXT    NOT NULL, -- of who has it, or had it last
	expires   INTEGER NOT NULL,
	failures  INTEGER NOT NULL, -- in a row
	problem   TEXT    NOT NULL, -- of the last of them
	content   TEXT    NOT NULL  -- a digest of what was loaded last
);
