-- A partner's entities and accounts. Texts that are null are empty; entity_type and kind are the numbers of package
-- directory. Texts compare bytewise here anyway.

-- The partner's own row: what it is called, and the last numbers that were given out (S1).
CREATE TABLE partners (
	tenant_id      INTEGER NOT NULL PRIMARY KEY,
	reference_id   TEXT    NOT NULL,
	name           TEXT    NOT NULL,
	last_entity_id INTEGER NOT NULL,
	last_user_id   INTEGER NOT NULL
);

-- The partner's vocabulary of degrees, where the operator has replaced the usual one (P3).
CREATE TABLE degrees (
	tenant_id INTEGER NOT NULL,
	code      TEXT    NOT NULL,
	stage     TEXT    NOT NULL,
	grade     INTEGER NOT NULL, -- 0 = none
	position  INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, code)
) WITHOUT ROWID;

CREATE TABLE entities (
	tenant_id    INTEGER NOT NULL,
	entity_id    INTEGER NOT NULL,
	reference_id TEXT    NOT NULL,
	entity_type  INTEGER NOT NULL, -- 1 network, 2 school, 3 class
	name         TEXT    NOT NULL,
	degree       TEXT    NOT NULL,
	inep         TEXT    NOT NULL,
	state        TEXT    NOT NULL,
	city         TEXT    NOT NULL,
	parent_id    INTEGER NOT NULL, -- 0 = the partner
	deleted      BOOLEAN NOT NULL,
	version      INTEGER NOT NULL, -- of the registers, when the row was last written
	PRIMARY KEY (tenant_id, entity_id)
) WITHOUT ROWID;

CREATE UNIQUE INDEX entities_live_reference ON entities (tenant_id, reference_id) WHERE NOT deleted;

CREATE INDEX entities_version ON entities (tenant_id, version);

CREATE TABLE accounts (
	tenant_id    INTEGER NOT NULL,
	user_id      INTEGER NOT NULL,
	reference_id TEXT    NOT NULL,
	kind         INTEGER NOT NULL, -- 1 reader, 2 teacher, 3 administrator, 4 internal
	name         TEXT    NOT NULL,
	email        TEXT    NOT NULL,
	phone        TEXT    NOT NULL,
	access_token TEXT    NOT NULL CHECK (access_token <> ''),
	entity_id    INTEGER NOT NULL, -- 0 = none
	active       BOOLEAN NOT NULL,
	deleted      BOOLEAN NOT NULL,
	version      INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
) WITHOUT ROWID;

CREATE UNIQUE INDEX accounts_live_reference ON accounts (tenant_id, reference_id) WHERE NOT deleted;

CREATE UNIQUE INDEX accounts_token ON accounts (tenant_id, access_token);

CREATE INDEX accounts_version ON accounts (tenant_id, version);

CREATE TABLE evaluations (
	tenant_id     INTEGER NOT NULL,
	evaluation_id INTEGER NOT NULL,
	entity_id     INTEGER NOT NULL,
	title         TEXT    NOT NULL,
	applied_at    INTEGER, -- microseconds since 1970; null = not known
	PRIMARY KEY (tenant_id, evaluation_id)
) WITHOUT ROWID;
