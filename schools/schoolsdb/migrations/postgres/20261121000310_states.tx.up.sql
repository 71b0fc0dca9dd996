-- Books are of the states from the load since to before the load until. The facts move to the table blocks, by the program,
-- in batches; the tables that they leave go with the last row.
ALTER TABLE schools_books
	ADD COLUMN since bigint NOT NULL DEFAULT 4294967296,
	ADD COLUMN until bigint NOT NULL DEFAULT 140737488355327,
	DROP CONSTRAINT schools_books_pkey,
	ADD PRIMARY KEY (tenant_id, book_id, since);

ALTER TABLE schools_books
	ALTER COLUMN since DROP DEFAULT,
	ALTER COLUMN until DROP DEFAULT;

CREATE INDEX schools_books_until ON schools_books (tenant_id, until) WHERE until < 140737488355327;
