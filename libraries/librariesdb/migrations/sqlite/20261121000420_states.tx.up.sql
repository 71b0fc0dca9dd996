-- The registers' rows are of the states from the load since to before the load until: nothing is overwritten while it can be
-- read. SQLite has rows that are replaced in place where they stand by their rowid, so that tables are made anew with one. The
-- packed forms move to the table blocks, by the program, in batches; the tables that they leave go with the last row.

-- From when the state holds is said where all that holds is said.
UPDATE versions
   SET held_from = (SELECT hour * 3600000000 FROM libraries_networks n WHERE n.tenant_id = versions.tenant_id)
 WHERE tenant_id IN (SELECT tenant_id FROM libraries_networks WHERE hour > 0);

UPDATE states
   SET held_from = (SELECT v.held_from FROM versions v WHERE v.tenant_id = states.tenant_id)
 WHERE tenant_id IN (SELECT tenant_id FROM libraries_networks WHERE hour > 0);

CREATE TABLE libraries_holdings (
	tenant_id INTEGER NOT NULL PRIMARY KEY,
	zero      INTEGER NOT NULL,
	data      BLOB    NOT NULL
);

INSERT INTO libraries_holdings (tenant_id, zero, data)
SELECT tenant_id, 0, holdings
  FROM libraries_networks
 WHERE hour > 0;

DROP TABLE libraries_networks;

ALTER TABLE libraries_terms RENAME TO libraries_terms_before;

CREATE TABLE libraries_terms (
	tenant_id  INTEGER NOT NULL,
	vocabulary INTEGER NOT NULL,
	term_id    INTEGER NOT NULL,
	since      INTEGER NOT NULL,
	until      INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	PRIMARY KEY (tenant_id, vocabulary, term_id, since)
);

INSERT INTO libraries_terms (tenant_id, vocabulary, term_id, since, until, name)
SELECT tenant_id, vocabulary, term_id, 4294967296, 140737488355327, name
  FROM libraries_terms_before
 ORDER BY tenant_id, vocabulary, term_id;

DROP TABLE libraries_terms_before;

CREATE INDEX libraries_terms_until ON libraries_terms (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_books RENAME TO libraries_books_before;

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

INSERT INTO libraries_books (tenant_id, book_id, since, until, title, isbn, author, publisher_id, category_ids, subject_ids, has_ebook, has_audiobook, has_video, max_uses, year)
SELECT tenant_id, book_id, 4294967296, 140737488355327, title, isbn, author, publisher_id, category_ids, subject_ids, has_ebook, has_audiobook, has_video, max_uses, year
  FROM libraries_books_before
 ORDER BY tenant_id, book_id;

DROP TABLE libraries_books_before;

CREATE INDEX libraries_books_until ON libraries_books (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_lines RENAME TO libraries_lines_before;

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

INSERT INTO libraries_lines (tenant_id, line_id, since, until, book_id, collection, kind, number, modality, copies, unit_price, total_price, purchased_at, expires_at)
SELECT tenant_id, line_id, 4294967296, 140737488355327, book_id, collection, kind, number, modality, copies, unit_price, total_price, purchased_at, expires_at
  FROM libraries_lines_before
 ORDER BY tenant_id, line_id;

DROP TABLE libraries_lines_before;

CREATE INDEX libraries_lines_until ON libraries_lines (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_readers RENAME TO libraries_readers_before;

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
	PRIMARY KEY (tenant_id, user_id, since)
);

INSERT INTO libraries_readers (tenant_id, user_id, since, until, name, email, library_id, age_group_id, city, state, ra, gender, registered, status, deleted_at, updated, confirmed, last_login)
SELECT tenant_id, user_id, 4294967296, 140737488355327, name, email, library_id, age_group_id, city, state, ra, gender, registered, status, deleted_at, updated, confirmed, last_login
  FROM libraries_readers_before
 ORDER BY tenant_id, user_id;

DROP TABLE libraries_readers_before;

CREATE INDEX libraries_readers_until ON libraries_readers (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_loans RENAME TO libraries_loans_before;

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

INSERT INTO libraries_loans (tenant_id, day, loan_id, since, until, user_id, book_id, borrowed, due, returned, status)
SELECT tenant_id, day, loan_id, 4294967296, 140737488355327, user_id, book_id, borrowed, due, returned, status
  FROM libraries_loans_before
 ORDER BY tenant_id, day, loan_id;

DROP TABLE libraries_loans_before;

-- Of the rows of a loan one is open at most: until is in the key, which also finds the row of a state.
CREATE UNIQUE INDEX libraries_loans_id ON libraries_loans (tenant_id, loan_id, until);

CREATE INDEX libraries_loans_reader ON libraries_loans (tenant_id, user_id, day, loan_id);

-- A title may have very many: the index has all that marks need.
CREATE INDEX libraries_loans_book ON libraries_loans (tenant_id, book_id, day, loan_id, status, since, until);

CREATE INDEX libraries_loans_until ON libraries_loans (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_reservations RENAME TO libraries_reservations_before;

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

INSERT INTO libraries_reservations (tenant_id, day, reservation_id, since, until, user_id, book_id, reserved, resolved, position, status)
SELECT tenant_id, day, reservation_id, 4294967296, 140737488355327, user_id, book_id, reserved, resolved, position, status
  FROM libraries_reservations_before
 ORDER BY tenant_id, day, reservation_id;

DROP TABLE libraries_reservations_before;

CREATE UNIQUE INDEX libraries_reservations_id ON libraries_reservations (tenant_id, reservation_id, until);

CREATE INDEX libraries_reservations_reader ON libraries_reservations (tenant_id, user_id, day, reservation_id);

CREATE INDEX libraries_reservations_book ON libraries_reservations (tenant_id, book_id, day, reservation_id, status, since, until);

CREATE INDEX libraries_reservations_until ON libraries_reservations (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_requests RENAME TO libraries_requests_before;

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

INSERT INTO libraries_requests (tenant_id, day, requested, request_id, user_id, since, until, title, author, publisher, search_term, availability)
SELECT tenant_id, day, requested, request_id, user_id, 4294967296, 140737488355327, title, author, publisher, search_term, availability
  FROM libraries_requests_before
 ORDER BY tenant_id, day, requested, request_id, user_id;

DROP TABLE libraries_requests_before;

CREATE INDEX libraries_requests_until ON libraries_requests (tenant_id, until) WHERE until < 140737488355327;

ALTER TABLE libraries_channels RENAME TO libraries_channels_before;

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

INSERT INTO libraries_channels (tenant_id, day, channel, since, until, sessions, estimated)
SELECT tenant_id, day, channel, 4294967296, 140737488355327, sessions, estimated
  FROM libraries_channels_before
 ORDER BY tenant_id, day, channel;

DROP TABLE libraries_channels_before;

CREATE INDEX libraries_channels_until ON libraries_channels (tenant_id, until) WHERE until < 140737488355327;

-- The statistics of the new keys: as before those of a large network, where a row in a hundred is no more of the state.
DELETE FROM sqlite_stat1 WHERE tbl IN ('libraries_loans', 'libraries_reservations');

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('libraries_loans', 'sqlite_autoindex_libraries_loans_1', '1000000 500000 5000 1 1'),
	('libraries_loans', 'libraries_loans_id', '1000000 500000 1 1'),
	('libraries_loans', 'libraries_loans_reader', '1000000 500000 10 1 1'),
	('libraries_loans', 'libraries_loans_book', '1000000 500000 100 10 1 1 1 1'),
	('libraries_reservations', 'sqlite_autoindex_libraries_reservations_1', '1000000 500000 5000 1 1'),
	('libraries_reservations', 'libraries_reservations_id', '1000000 500000 1 1'),
	('libraries_reservations', 'libraries_reservations_reader', '1000000 500000 10 1 1'),
	('libraries_reservations', 'libraries_reservations_book', '1000000 500000 100 10 1 1 1 1');

ANALYZE sqlite_schema;
