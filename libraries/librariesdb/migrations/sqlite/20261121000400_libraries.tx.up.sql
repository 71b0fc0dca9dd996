-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
-- The registers of a library network. A row is visible in the snapshots [since, until). Texts that are null are empty; identifiers
-- and years that are null are -1; days count from 1970-01-01; instants are microseconds since then, 0 where null; enums are the
-- numbers of package libraries. Tables have rowids: a row that is replaced is closed in place.
CREATE TABLE libraries_terms (
	tenant_id  INTEGER NOT NULL,
	vocabulary INTEGER NOT NULL,
	term_id    INTEGER NOT NULL,
	since      INTEGER NOT NULL,
	until      INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	PRIMARY KEY (tenant_id, vocabulary, term_id, since)
);
--bun:split
CREATE INDEX libraries_terms_until ON libraries_terms (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_books (
	tenant_id     INTEGER NOT NULL,
	book_id       INTEGER NOT NULL,
	since         INTEGER NOT NULL,
	until         INTEGER NOT NULL,
	title         TEXT    NOT NULL,
	isbn          TEXT    NOT NULL,
	author        TEXT    NOT NULL,
	publisher_id  INTEGER NOT NULL,
	category_ids  TEXT    NOT NULL, -- ascending, with ; between them
	subject_ids   TEXT    NOT NULL,
	has_ebook     BOOLEAN NOT NULL,
	has_audiobook BOOLEAN NOT NULL,
	has_video     BOOLEAN NOT NULL,
	max_uses      INTEGER,
	year          INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, book_id, since)
);
--bun:split
CREATE INDEX libraries_books_until ON libraries_books (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_lines (
	tenant_id    INTEGER NOT NULL,
	line_id      INTEGER NOT NULL,
	since        INTEGER NOT NULL,
	until        INTEGER NOT NULL,
	book_id      INTEGER NOT NULL,
	collection   INTEGER NOT NULL,
	kind         INTEGER NOT NULL,
	number       INTEGER NOT NULL,
	modality     TEXT,
	copies       INTEGER,
	unit_price   INTEGER NOT NULL, -- cents
	total_price  INTEGER NOT NULL,
	purchased_at INTEGER NOT NULL,
	expires_at   INTEGER,
	PRIMARY KEY (tenant_id, line_id, since)
);
--bun:split
CREATE INDEX libraries_lines_until ON libraries_lines (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_readers (
	tenant_id    INTEGER NOT NULL,
	user_id      INTEGER NOT NULL,
	since        INTEGER NOT NULL,
	until        INTEGER NOT NULL,
	name         TEXT    NOT NULL,
	email        TEXT    NOT NULL,
	library_id   INTEGER NOT NULL,
	age_group_id INTEGER NOT NULL,
	city         TEXT    NOT NULL,
	state        TEXT    NOT NULL,
	ra           TEXT    NOT NULL,
	gender       INTEGER NOT NULL,
	registered   INTEGER NOT NULL,
	status       INTEGER NOT NULL,
	deleted_at   INTEGER NOT NULL, -- 0 unless the status has one
	updated      INTEGER NOT NULL,
	confirmed    INTEGER NOT NULL,
	last_login   INTEGER NOT NULL,
	erased       INTEGER NOT NULL DEFAULT 0, -- the version of the registers by which something of the row was erased (H14); 0 = none
	PRIMARY KEY (tenant_id, user_id, since)
);
--bun:split
CREATE INDEX libraries_readers_until ON libraries_readers (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE INDEX libraries_readers_erased ON libraries_readers (tenant_id, erased) WHERE erased > 0;
--bun:split
-- Loans are stored as they are listed: by day, then identifier.
CREATE TABLE libraries_loans (
	tenant_id INTEGER NOT NULL,
	day       INTEGER NOT NULL,
	loan_id   INTEGER NOT NULL,
	since     INTEGER NOT NULL,
	until     INTEGER NOT NULL,
	user_id   INTEGER NOT NULL,
	book_id   INTEGER NOT NULL,
	borrowed  INTEGER NOT NULL,
	due       INTEGER,
	returned  INTEGER NOT NULL,
	status    INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, day, loan_id, since)
);
--bun:split
-- Of the rows of an identifier at most one is open: until is in the key, which also finds the row of a snapshot.
CREATE UNIQUE INDEX libraries_loans_id ON libraries_loans (tenant_id, loan_id, until);
--bun:split
CREATE INDEX libraries_loans_reader ON libraries_loans (tenant_id, user_id, day, loan_id);
--bun:split
-- A title may have very many loans: the index has all that marks need.
CREATE INDEX libraries_loans_book ON libraries_loans (tenant_id, book_id, day, loan_id, status, since, until);
--bun:split
CREATE INDEX libraries_loans_until ON libraries_loans (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_reservations (
	tenant_id      INTEGER NOT NULL,
	day            INTEGER NOT NULL,
	reservation_id INTEGER NOT NULL,
	since          INTEGER NOT NULL,
	until          INTEGER NOT NULL,
	user_id        INTEGER NOT NULL,
	book_id        INTEGER NOT NULL,
	reserved       INTEGER NOT NULL,
	resolved       INTEGER NOT NULL,
	position       INTEGER NOT NULL,
	status         INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, day, reservation_id, since)
);
--bun:split
CREATE UNIQUE INDEX libraries_reservations_id ON libraries_reservations (tenant_id, reservation_id, until);
--bun:split
CREATE INDEX libraries_reservations_reader ON libraries_reservations (tenant_id, user_id, day, reservation_id);
--bun:split
CREATE INDEX libraries_reservations_book ON libraries_reservations (tenant_id, book_id, day, reservation_id, status, since, until);
--bun:split
CREATE INDEX libraries_reservations_until ON libraries_reservations (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_requests (
	tenant_id    INTEGER NOT NULL,
	day          INTEGER NOT NULL,
	requested    INTEGER NOT NULL,
	request_id   INTEGER NOT NULL,
	user_id      INTEGER NOT NULL,
	since        INTEGER NOT NULL,
	until        INTEGER NOT NULL,
	title        TEXT    NOT NULL,
	author       TEXT    NOT NULL,
	publisher    TEXT    NOT NULL,
	search_term  TEXT    NOT NULL,
	availability INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, day, requested, request_id, user_id, since)
);
--bun:split
CREATE INDEX libraries_requests_until ON libraries_requests (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_channels (
	tenant_id INTEGER NOT NULL,
	day       INTEGER NOT NULL,
	channel   INTEGER NOT NULL,
	since     INTEGER NOT NULL,
	until     INTEGER NOT NULL,
	sessions  INTEGER NOT NULL,
	estimated BOOLEAN NOT NULL,
	PRIMARY KEY (tenant_id, day, channel, since)
);
--bun:split
CREATE INDEX libraries_channels_until ON libraries_channels (tenant_id, until) WHERE until < 140737488355327;
--bun:split
-- Good answers of an analytics source, for the hour in which they were given (L13).
CREATE TABLE libraries_channel_answers (
	tenant_id INTEGER NOT NULL,
	hour      INTEGER NOT NULL,
	first_day INTEGER NOT NULL,
	last_day  INTEGER NOT NULL,
	data      BLOB    NOT NULL,
	PRIMARY KEY (tenant_id, hour, first_day, last_day)
);
--bun:split
-- Without statistics the planner takes ten rows for all that a tenant has, and reads a whole register where an index names
-- a few of its rows. These are about those of a large network, where a row in a hundred is superseded; nothing else analyses the
-- tables. This statement makes the table of statistics, and the last one has them read.
ANALYZE sqlite_schema;
--bun:split
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('libraries_loans', 'sqlite_autoindex_libraries_loans_1', '1000000 500000 5000 1 1'),
	('libraries_loans', 'libraries_loans_id', '1000000 500000 1 1'),
	('libraries_loans', 'libraries_loans_reader', '1000000 500000 10 1 1'),
	('libraries_loans', 'libraries_loans_book', '1000000 500000 100 10 1 1 1 1'),
	('libraries_reservations', 'sqlite_autoindex_libraries_reservations_1', '1000000 500000 5000 1 1'),
	('libraries_reservations', 'libraries_reservations_id', '1000000 500000 1 1'),
	('libraries_reservations', 'libraries_reservations_reader', '1000000 500000 10 1 1'),
	('libraries_reservations', 'libraries_reservations_book', '1000000 500000 100 10 1 1 1 1');
--bun:split
ANALYZE sqlite_schema;
