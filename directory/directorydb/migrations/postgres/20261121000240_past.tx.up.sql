-- What was replaced, as it was until a version of the registers: an earlier state is read from here and from the rows that
-- are older than it (G8).
CREATE TABLE entities_past (
	tenant_id    bigint   NOT NULL,
	until        bigint   NOT NULL,
	entity_id    bigint   NOT NULL,
	version      bigint   NOT NULL,
	reference_id text     NOT NULL,
	entity_type  smallint NOT NULL,
	name         text     NOT NULL,
	degree       text     NOT NULL,
	inep         text     NOT NULL,
	state        text     NOT NULL,
	city         text     NOT NULL,
	parent_id    bigint   NOT NULL,
	deleted      boolean  NOT NULL,
	PRIMARY KEY (tenant_id, until, entity_id)
);

CREATE TABLE accounts_past (
	tenant_id bigint   NOT NULL,
	until     bigint   NOT NULL,
	user_id   bigint   NOT NULL,
	version   bigint   NOT NULL,
	kind      smallint NOT NULL,
	name      text     NOT NULL,
	email     text     NOT NULL,
	entity_id bigint   NOT NULL,
	active    boolean  NOT NULL,
	deleted   boolean  NOT NULL,
	PRIMARY KEY (tenant_id, until, user_id)
);

-- Erasure goes through all states of a person.
CREATE INDEX accounts_past_user ON accounts_past (tenant_id, user_id);

CREATE TABLE degrees_past (
	tenant_id bigint   NOT NULL,
	until     bigint   NOT NULL,
	position  integer  NOT NULL, -- 0 stands for the vocabulary itself, which may have no other row
	code      text     NOT NULL,
	stage     text     NOT NULL,
	grade     smallint NOT NULL,
	PRIMARY KEY (tenant_id, until, position)
);
