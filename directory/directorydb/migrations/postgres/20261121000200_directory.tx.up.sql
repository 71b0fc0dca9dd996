-- A partner's entities and accounts. Texts that are null are empty; entity_type and kind are the numbers of package
-- directory. References and tokens compare bytewise (P2), whatever the database's collation.

-- The partner's own row: what it is called, and the last numbers that were given out (S1).
CREATE TABLE partners (
	tenant_id      bigint NOT NULL PRIMARY KEY,
	reference_id   text   COLLATE "C" NOT NULL,
	name           text   NOT NULL,
	last_entity_id bigint NOT NULL,
	last_user_id   bigint NOT NULL
);

-- The partner's vocabulary of degrees, where the operator has replaced the usual one (P3).
CREATE TABLE degrees (
	tenant_id bigint   NOT NULL,
	code      text     COLLATE "C" NOT NULL,
	stage     text     NOT NULL,
	grade     smallint NOT NULL, -- 0 = none
	position  integer  NOT NULL,
	PRIMARY KEY (tenant_id, code)
);

CREATE TABLE entities (
	tenant_id    bigint   NOT NULL,
	entity_id    bigint   NOT NULL,
	reference_id text     COLLATE "C" NOT NULL,
	entity_type  smallint NOT NULL, -- 1 network, 2 school, 3 class
	name         text     NOT NULL,
	degree       text     NOT NULL,
	inep         text     NOT NULL,
	state        text     NOT NULL,
	city         text     NOT NULL,
	parent_id    bigint   NOT NULL, -- 0 = the partner
	deleted      boolean  NOT NULL,
	version      bigint   NOT NULL, -- of the registers, when the row was last written
	PRIMARY KEY (tenant_id, entity_id)
);

CREATE UNIQUE INDEX entities_live_reference ON entities (tenant_id, reference_id) WHERE NOT deleted;

CREATE INDEX entities_version ON entities (tenant_id, version);

CREATE TABLE accounts (
	tenant_id    bigint   NOT NULL,
	user_id      bigint   NOT NULL,
	reference_id text     COLLATE "C" NOT NULL,
	kind         smallint NOT NULL, -- 1 reader, 2 teacher, 3 administrator, 4 internal
	name         text     NOT NULL,
	email        text     NOT NULL,
	phone        text     NOT NULL,
	access_token text     COLLATE "C" NOT NULL CHECK (access_token <> ''),
	entity_id    bigint   NOT NULL, -- 0 = none
	active       boolean  NOT NULL,
	deleted      boolean  NOT NULL,
	version      bigint   NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
);

CREATE UNIQUE INDEX accounts_live_reference ON accounts (tenant_id, reference_id) WHERE NOT deleted;

CREATE UNIQUE INDEX accounts_token ON accounts (tenant_id, access_token);

CREATE INDEX accounts_version ON accounts (tenant_id, version);

CREATE TABLE evaluations (
	tenant_id     bigint NOT NULL,
	evaluation_id bigint NOT NULL,
	entity_id     bigint NOT NULL,
	title         text   NOT NULL,
	applied_at    bigint, -- microseconds since 1970; null = not known
	PRIMARY KEY (tenant_id, evaluation_id)
);
