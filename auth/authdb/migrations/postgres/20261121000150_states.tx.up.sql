-- The row of a tenant says what holds: the version of its registers, the number of its facts and from when they hold; the
-- next facts and from when those hold, where a load waits for its hour (0 = none); the oldest state that is kept, and since
-- when, where older ones wait to be removed; and the secret by which a snapshot of the tenant's is told from another text.
-- Instants are microseconds since 1970, 0 where there is none. Numbers of loads begin at 2^32 (package paging/state).
ALTER TABLE versions ADD COLUMN held_from bigint NOT NULL DEFAULT 0;

ALTER TABLE versions ADD COLUMN next_facts bigint NOT NULL DEFAULT 0;

ALTER TABLE versions ADD COLUMN next_from bigint NOT NULL DEFAULT 0;

ALTER TABLE versions ADD COLUMN oldest_registers bigint NOT NULL DEFAULT 0;

ALTER TABLE versions ADD COLUMN oldest_facts bigint NOT NULL DEFAULT 0;

ALTER TABLE versions ADD COLUMN oldest_since bigint NOT NULL DEFAULT 0;

ALTER TABLE versions ADD COLUMN secret bytea;

UPDATE versions
   SET registers = registers + 4294967296,
       facts = CASE facts WHEN 0 THEN 0 ELSE facts + 4294967296 END,
       secret = uuid_send(gen_random_uuid());

-- The states that were, each with when it began: the line that G8 speaks of.
CREATE TABLE states (
	tenant_id bigint NOT NULL,
	registers bigint NOT NULL,
	facts     bigint NOT NULL,
	held_from bigint NOT NULL,
	began     bigint NOT NULL,
	PRIMARY KEY (tenant_id, registers, facts)
);

INSERT INTO states (tenant_id, registers, facts, held_from, began)
SELECT tenant_id, registers, facts, 0, 0
  FROM versions;
