-- References that accounts had before they were given another, each with its last carrier, until a new account takes it:
-- events that come late still name them (F4).
CREATE TABLE former_references (
	tenant_id    INTEGER NOT NULL,
	reference_id TEXT    NOT NULL,
	user_id      INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, reference_id)
) WITHOUT ROWID;
