-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
-- A partner's entities and accounts. Texts that are null are empty; entity_type and kind are the numbers of package
-- directory. References and tokens compare bytewise (P2), as all texts do here.

-- The partner's own row: its name, and the last numbers that were given out (S1).
CREATE TABLE partners (
	tenant_id      INTEGER NOT NULL PRIMARY KEY,
	reference_id   TEXT    NOT NULL,
	name           TEXT    NOT NULL,
	last_entity_id INTEGER NOT NULL,
	last_user_id   INTEGER NOT NULL
);
--bun:split
-- The partner's vocabulary of degrees, where the operator has replaced the usual one (P3).
CREATE TABLE degrees (
	tenant_id INTEGER NOT NULL,
	code      TEXT    NOT NULL,
	stage     TEXT    NOT NULL,
	grade     INTEGER NOT NULL, -- 0 = none
	position  INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, code)
) WITHOUT ROWID;
--bun:split
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
	network_id   INTEGER NOT NULL DEFAULT 0, -- above a school or a class, so that the entities below a network are one range of an index
	PRIMARY KEY (tenant_id, entity_id)
) WITHOUT ROWID;
--bun:split
CREATE UNIQUE INDEX entities_live_reference ON entities (tenant_id, reference_id) WHERE NOT deleted;
--bun:split
CREATE INDEX entities_version ON entities (tenant_id, version);
--bun:split
-- For the lists of the directory (P8, P9): each index ends in the number that the list is ordered by, so that any page
-- costs the same.
CREATE INDEX entities_network ON entities (tenant_id, network_id, entity_id) WHERE NOT deleted;
--bun:split
CREATE INDEX entities_parent ON entities (tenant_id, parent_id, entity_id) WHERE NOT deleted;
--bun:split
CREATE INDEX entities_type ON entities (tenant_id, entity_type, entity_id) WHERE NOT deleted;
--bun:split
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
--bun:split
CREATE UNIQUE INDEX accounts_live_reference ON accounts (tenant_id, reference_id) WHERE NOT deleted;
--bun:split
CREATE UNIQUE INDEX accounts_token ON accounts (tenant_id, access_token);
--bun:split
CREATE INDEX accounts_version ON accounts (tenant_id, version);
--bun:split
CREATE INDEX accounts_entity ON accounts (tenant_id, entity_id, kind, user_id) WHERE NOT deleted;
--bun:split
-- To find the deleted account that had a reference. Without the column deleted in the index SQLite would read all accounts
-- of the partner.
CREATE INDEX accounts_deleted_reference ON accounts (tenant_id, reference_id, deleted) WHERE deleted;
--bun:split
-- The owners of each reference, in the order of time: an event belongs to the account that owned its reference at the
-- event's time (F4). A reference that only one account ever had, and still has, is left out.
CREATE TABLE reference_owners (
	tenant_id    INTEGER NOT NULL,
	reference_id TEXT    NOT NULL,
	since        INTEGER NOT NULL, -- microseconds since 1970; 0 = from the beginning
	user_id      INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, reference_id, since)
) WITHOUT ROWID;
--bun:split
CREATE TABLE evaluations (
	tenant_id     INTEGER NOT NULL,
	evaluation_id INTEGER NOT NULL,
	entity_id     INTEGER NOT NULL,
	title         TEXT    NOT NULL,
	applied_at    INTEGER, -- microseconds since 1970; null = not known
	PRIMARY KEY (tenant_id, evaluation_id)
) WITHOUT ROWID;
--bun:split
-- Evaluations are deleted with their entity (P6).
CREATE INDEX evaluations_entity ON evaluations (tenant_id, entity_id);
--bun:split
-- Superseded rows, as they were until a version of the tables. An earlier snapshot is read from here and from the rows
-- that are older than it (G8).
CREATE TABLE superseded_entities (
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
--bun:split
CREATE TABLE superseded_accounts (
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
--bun:split
-- An erasure updates all snapshots of a person.
CREATE INDEX superseded_accounts_user ON superseded_accounts (tenant_id, user_id);
--bun:split
CREATE TABLE superseded_degrees (
	tenant_id INTEGER NOT NULL,
	until     INTEGER NOT NULL,
	position  INTEGER NOT NULL, -- 0 marks a superseded vocabulary, which may have no other row
	code      TEXT    NOT NULL,
	stage     TEXT    NOT NULL,
	grade     INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, until, position)
);
