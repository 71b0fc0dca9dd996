-- The loads that workers do: when a tenant's next one is due, and who has it, until when unless it says that it lives. Instants
-- are microseconds since 1970; 0 is before all others.
CREATE TABLE work (
	tenant_id bigint  NOT NULL PRIMARY KEY,
	due       bigint  NOT NULL,
	token     text    NOT NULL, -- of who has it, or had it last
	expires   bigint  NOT NULL,
	failures  integer NOT NULL, -- in a row
	problem   text    NOT NULL, -- of the last of them
	content   text    NOT NULL  -- a digest of what was loaded last
);
