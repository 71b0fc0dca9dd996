-- What was replaced, as it was until a version of the registers: an earlier state is read from here and from the rows that
-- are older than it (G8).
CREATE TABLE entities_past (
	tenant_id    INTEGER NOT NULL,
	until        INTEGER NOT NULL,
	entity_id    INTEGER NOT NULL,
	version      INTEGER NOT NULL,
	reference_id TEXT    NOT NULL,
	entity_type  INTEGER NOT NULL,
	name         TEXT    NOT NULL,
	degree       TEXT    NOT NULL,
	inep         TEXT    NOT NULL,
	state        TEXT    NOT NULL,
	city         TEXT    NOT NULL,
	parent_id    INTEGER NOT NULL,
	deleted      BOOLEAN NOT NULL,
	PRIMARY KEY (tenant_id, until, entity_id)
);

CREATE TABLE accounts_past (
	tenant_id INTEGER NOT NULL,
	until     INTEGER NOT NULL,
	user_id   INTEGER NOT NULL,
	version   INTEGER NOT NULL,
	kind      INTEGER NOT NULL,
	name      TEXT    NOT NULL,
	email     TEXT    NOT NULL,
	entity_id INTEGER NOT NULL,
	active    BOOLEAN NOT NULL,
	deleted   BOOLEAN NOT NULL,
	PRIMARY KEY (tenant_id, until, user_id)
);

-- Erasure goes through all states of a person.
CREATE INDEX accounts_past_user ON accounts_past (tenant_id, user_id);

CREATE TABLE degrees_past (
	tenant_id INTEGER NOT NULL,
	until     INTEGER NOT NULL,
	position  INTEGER NOT NULL, -- 0 stands for the vocabulary itself, which may have no other row
	code      TEXT    NOT NULL,
	stage     TEXT    NOT NULL,
	grade     INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, until, position)
);
