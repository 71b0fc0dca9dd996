-- The registers' rows are of the states from the load since to before the load until: nothing is overwritten while it can be
-- read. The packed forms move to the table blocks, by the program, in batches; the tables that they leave go with the last row.

-- From when the state holds is said where all that holds is said.
UPDATE versions v
   SET held_from = n.hour * 3600000000
  FROM libraries_networks n
 WHERE n.tenant_id = v.tenant_id AND n.hour > 0;

UPDATE states s
   SET held_from = n.hour * 3600000000
  FROM libraries_networks n
 WHERE n.tenant_id = s.tenant_id AND n.hour > 0;

CREATE TABLE libraries_holdings (
	tenant_id bigint   NOT NULL PRIMARY KEY,
	zero      smallint NOT NULL,
	data      bytea    NOT NULL
);

INSERT INTO libraries_holdings (tenant_id, zero, data)
SELECT tenant_id, 0, holdings
  FROM libraries_networks
 WHERE hour > 0;

DROP TABLE libraries_networks;

ALTER TABLE libraries_terms
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT libraries_terms_pkey,
	ADD PRIMARY KEY (tenant_id, vocabulary, term_id, since);

ALTER TABLE libraries_terms
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

CREATE INDEX libraries_terms_until ON libraries_terms (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_books
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT libraries_books_pkey,
	ADD PRIMARY KEY (tenant_id, book_id, since);

ALTER TABLE libraries_books
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

CREATE INDEX libraries_books_until ON libraries_books (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_lines
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT libraries_lines_pkey,
	ADD PRIMARY KEY (tenant_id, line_id, since);

ALTER TABLE libraries_lines
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

CREATE INDEX libraries_lines_until ON libraries_lines (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_readers
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT libraries_readers_pkey,
	ADD PRIMARY KEY (tenant_id, user_id, since);

ALTER TABLE libraries_readers
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

CREATE INDEX libraries_readers_until ON libraries_readers (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_loans
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT libraries_loans_pkey,
	ADD PRIMARY KEY (tenant_id, day, loan_id, since);

ALTER TABLE libraries_loans
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

-- Of the rows of one identifier one is open at most: until is in the key, which also finds the row of a state.
DROP INDEX libraries_loans_id;

CREATE UNIQUE INDEX libraries_loans_id ON libraries_loans (tenant_id, loan_id, until);

CREATE INDEX libraries_loans_until ON libraries_loans (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_reservations
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT libraries_reservations_pkey,
	ADD PRIMARY KEY (tenant_id, day, reservation_id, since);

ALTER TABLE libraries_reservations
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

-- Of the rows of one identifier one is open at most: until is in the key, which also finds the row of a state.
DROP INDEX libraries_reservations_id;

CREATE UNIQUE INDEX libraries_reservations_id ON libraries_reservations (tenant_id, reservation_id, until);

CREATE INDEX libraries_reservations_until ON libraries_reservations (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_requests
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT libraries_requests_pkey,
	ADD PRIMARY KEY (tenant_id, day, requested, request_id, user_id, since);

ALTER TABLE libraries_requests
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

CREATE INDEX libraries_requests_until ON libraries_requests (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_channels
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT libraries_channels_pkey,
	ADD PRIMARY KEY (tenant_id, day, channel, since);

ALTER TABLE libraries_channels
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

CREATE INDEX libraries_channels_until ON libraries_channels (tenant_id, until) WHERE until < 140737488355327;
