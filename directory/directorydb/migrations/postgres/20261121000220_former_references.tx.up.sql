-- References that accounts had before they were given another, each with its last carrier, until a new account takes it:
-- events that come late still name them (F4).
CREATE TABLE former_references (
	tenant_id    bigint NOT NULL,
	reference_id text   COLLATE "C" NOT NULL,
	user_id      bigint NOT NULL,
	PRIMARY KEY (tenant_id, reference_id)
);
