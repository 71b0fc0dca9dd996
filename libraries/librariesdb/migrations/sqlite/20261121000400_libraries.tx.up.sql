-- The registers of a library network as rows, and its folded facts.
-- Texts that are null are empty; identifiers and years that are null are -1; days count from 1970-01-01; instants are
-- microseconds since then, 0 where null; enums are the numbers of package libraries.

-- The network's own row: the hour at which its state was published (0 = never), and what is counted now of every title.
CREATE TABLE libraries_networks (
	tenant_id INTEGER NOT NULL PRIMARY KEY,
	hour      INTEGER NOT NULL,
	holdings  BLOB    NOT NULL
);

CREATE TABLE libraries_terms (
	tenant_id  INTEGER NOT NULL,
	vocabulary INTEGER NOT NULL,
	term_id    INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	PRIMARY KEY (tenant_id, vocabulary, term_id)
) WITHOUT ROWID;

CREATE TABLE libraries_books (
	tenant_id     INTEGER NOT NULL,
	book_id       INTEGER NOT NULL,
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
	PRIMARY KEY (tenant_id, book_id)
) WITHOUT ROWID;

CREATE TABLE libraries_lines (
	tenant_id    INTEGER NOT NULL,
	line_id      INTEGER NOT NULL,
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
	PRIMARY KEY (tenant_id, line_id)
) WITHOUT ROWID;

CREATE TABLE libraries_readers (
	tenant_id    INTEGER NOT NULL,
	user_id      INTEGER NOT NULL,
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
	PRIMARY KEY (tenant_id, user_id)
) WITHOUT ROWID;

-- What filters, groups and counts need of readers: 1024 neighbours a row.
CREATE TABLE libraries_attributes (
	tenant_id INTEGER NOT NULL,
	block     INTEGER NOT NULL,
	data      BLOB    NOT NULL,
	PRIMARY KEY (tenant_id, block)
);

-- What a reader did with each title.
CREATE TABLE libraries_shelves (
	tenant_id INTEGER NOT NULL,
	user_id   INTEGER NOT NULL,
	data      BLOB    NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
) WITHOUT ROWID;

-- The events of 128 neighbouring readers on eight days: what makes loading them twice the same as once.
CREATE TABLE libraries_seen (
	tenant_id INTEGER NOT NULL,
	readers   INTEGER NOT NULL, -- the number of the group
	block     INTEGER NOT NULL, -- of days
	data      BLOB    NOT NULL,
	PRIMARY KEY (tenant_id, readers, block)
);

-- A day: its totals, and the sheets of its readers, its titles and its logins.
CREATE TABLE libraries_days (
	tenant_id INTEGER NOT NULL,
	day       INTEGER NOT NULL,
	totals    BLOB    NOT NULL,
	readers   BLOB    NOT NULL,
	titles    BLOB    NOT NULL,
	logins    BLOB    NOT NULL,
	PRIMARY KEY (tenant_id, day)
);

-- Loans stand as they are listed: by day, then identifier.
CREATE TABLE libraries_loans (
	tenant_id INTEGER NOT NULL,
	day       INTEGER NOT NULL,
	loan_id   INTEGER NOT NULL,
	user_id   INTEGER NOT NULL,
	book_id   INTEGER NOT NULL,
	borrowed  INTEGER NOT NULL,
	due       INTEGER,
	returned  INTEGER NOT NULL,
	status    INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, day, loan_id)
) WITHOUT ROWID;

CREATE UNIQUE INDEX libraries_loans_id ON libraries_loans (tenant_id, loan_id);

CREATE INDEX libraries_loans_reader ON libraries_loans (tenant_id, user_id);

-- A title may have very many: the index has all that marks need.
CREATE INDEX libraries_loans_book ON libraries_loans (tenant_id, book_id, day, loan_id, status);

-- Loans made before the history: they do not exist, and renewals of them are no bad rows. What never changes is kept.
CREATE TABLE libraries_early_loans (
	tenant_id INTEGER NOT NULL,
	loan_id   INTEGER NOT NULL,
	user_id   INTEGER NOT NULL,
	book_id   INTEGER NOT NULL,
	borrowed  INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, loan_id)
) WITHOUT ROWID;

CREATE TABLE libraries_reservations (
	tenant_id      INTEGER NOT NULL,
	day            INTEGER NOT NULL,
	reservation_id INTEGER NOT NULL,
	user_id        INTEGER NOT NULL,
	book_id        INTEGER NOT NULL,
	reserved       INTEGER NOT NULL,
	resolved       INTEGER NOT NULL,
	position       INTEGER NOT NULL,
	status         INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, day, reservation_id)
) WITHOUT ROWID;

CREATE UNIQUE INDEX libraries_reservations_id ON libraries_reservations (tenant_id, reservation_id);

CREATE INDEX libraries_reservations_reader ON libraries_reservations (tenant_id, user_id);

CREATE INDEX libraries_reservations_book ON libraries_reservations (tenant_id, book_id, day, reservation_id, status);

CREATE TABLE libraries_requests (
	tenant_id    INTEGER NOT NULL,
	day          INTEGER NOT NULL,
	requested    INTEGER NOT NULL,
	request_id   INTEGER NOT NULL,
	user_id      INTEGER NOT NULL,
	title        TEXT    NOT NULL,
	author       TEXT    NOT NULL,
	publisher    TEXT    NOT NULL,
	search_term  TEXT    NOT NULL,
	availability INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, day, requested, request_id, user_id)
) WITHOUT ROWID;

CREATE TABLE libraries_channels (
	tenant_id INTEGER NOT NULL,
	day       INTEGER NOT NULL,
	channel   INTEGER NOT NULL,
	sessions  INTEGER NOT NULL,
	estimated BOOLEAN NOT NULL,
	PRIMARY KEY (tenant_id, day, channel)
) WITHOUT ROWID;

-- Good answers of an analytics source, for the hour in which they were given (L13).
CREATE TABLE libraries_channel_answers (
	tenant_id INTEGER NOT NULL,
	hour      INTEGER NOT NULL,
	first_day INTEGER NOT NULL,
	last_day  INTEGER NOT NULL,
	data      BLOB    NOT NULL,
	PRIMARY KEY (tenant_id, hour, first_day, last_day)
);

-- Without statistics the planner takes ten rows for all that a tenant has, and reads a whole register where an index names
-- a few of its rows. These are about those of a large network; nothing else analyses the tables.
ANALYZE sqlite_schema;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('libraries_loans', 'libraries_loans', '1000000 500000 5000 1'),
	('libraries_loans', 'libraries_loans_id', '1000000 500000 1'),
	('libraries_loans', 'libraries_loans_reader', '1000000 500000 10'),
	('libraries_loans', 'libraries_loans_book', '1000000 500000 100'),
	('libraries_reservations', 'libraries_reservations', '1000000 500000 5000 1'),
	('libraries_reservations', 'libraries_reservations_id', '1000000 500000 1'),
	('libraries_reservations', 'libraries_reservations_reader', '1000000 500000 10'),
	('libraries_reservations', 'libraries_reservations_book', '1000000 500000 100');

ANALYZE sqlite_schema;
