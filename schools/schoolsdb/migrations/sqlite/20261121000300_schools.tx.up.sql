-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
-- The books of a partner. A row is visible in the snapshots [since, until).
CREATE TABLE schools_books (
	tenant_id INTEGER NOT NULL,
	book_id   INTEGER NOT NULL,
	since     INTEGER NOT NULL,
	until     INTEGER NOT NULL,
	title     TEXT    NOT NULL,
	author    TEXT    NOT NULL,
	isbn      TEXT    NOT NULL,
	length    INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, book_id, since)
);
--bun:split
CREATE INDEX schools_books_until ON schools_books (tenant_id, until) WHERE until < 140737488355327;
