-- Books are of the states from the load since to before the load until. The facts move to the table blocks, by the program,
-- in batches; the tables that they leave go with the last row.
ALTER TABLE schools_books RENAME TO schools_books_before;

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

INSERT INTO schools_books (tenant_id, book_id, since, until, title, author, isbn, length)
SELECT tenant_id, book_id, 4294967296, 140737488355327, title, author, isbn, length
  FROM schools_books_before;

DROP TABLE schools_books_before;

CREATE INDEX schools_books_until ON schools_books (tenant_id, until) WHERE until < 140737488355327;
