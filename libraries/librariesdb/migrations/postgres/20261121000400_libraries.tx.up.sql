-- The registers of a library network as rows, and its folded facts. Binary columns are packed already: no compression.
-- Texts that are null are empty; identifiers and years that are null are -1; days count from 1970-01-01; instants are
-- microseconds since then, 0 where null; enums are the numbers of package libraries.

-- The network's own row: the hour at which its state was published (0 = never), and what is counted now of every title.
CREATE TABLE libraries_networks (
	tenant_id bigint  NOT NULL PRIMARY KEY,
	hour      integer NOT NULL,
	holdings  bytea   NOT NULL
);

ALTER TABLE libraries_networks ALTER COLUMN holdings SET STORAGE EXTERNAL;

CREATE TABLE libraries_terms (
	tenant_id  bigint   NOT NULL,
	vocabulary smallint NOT NULL,
	term_id    bigint   NOT NULL,
	name       text     NOT NULL,
	PRIMARY KEY (tenant_id, vocabulary, term_id)
);

CREATE TABLE libraries_books (
	tenant_id     bigint  NOT NULL,
	book_id       bigint  NOT NULL,
	title         text    NOT NULL,
	isbn          text    NOT NULL,
	author        text    NOT NULL,
	publisher_id  bigint  NOT NULL,
	category_ids  text    NOT NULL, -- ascending, with ; between them
	subject_ids   text    NOT NULL,
	has_ebook     boolean NOT NULL,
	has_audiobook boolean NOT NULL,
	has_video     boolean NOT NULL,
	max_uses      bigint,
	year          bigint  NOT NULL,
	PRIMARY KEY (tenant_id, book_id)
);

CREATE TABLE libraries_lines (
	tenant_id    bigint   NOT NULL,
	line_id      bigint   NOT NULL,
	book_id      bigint   NOT NULL,
	collection   smallint NOT NULL,
	kind         smallint NOT NULL,
	number       bigint   NOT NULL,
	modality     text,
	copies       bigint,
	unit_price   bigint   NOT NULL, -- cents
	total_price  bigint   NOT NULL,
	purchased_at integer  NOT NULL,
	expires_at   integer,
	PRIMARY KEY (tenant_id, line_id)
);

CREATE TABLE libraries_readers (
	tenant_id    bigint   NOT NULL,
	user_id      bigint   NOT NULL,
	name         text     NOT NULL,
	email        text     NOT NULL,
	library_id   bigint   NOT NULL,
	age_group_id bigint   NOT NULL,
	city         text     NOT NULL,
	state        text     NOT NULL,
	ra           text     NOT NULL,
	gender       smallint NOT NULL,
	registered   integer  NOT NULL,
	status       smallint NOT NULL,
	deleted_at   integer  NOT NULL, -- 0 unless the status has one
	updated      bigint   NOT NULL,
	confirmed    bigint   NOT NULL,
	last_login   bigint   NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
);

-- What filters, groups and counts need of readers: 1024 neighbours a row.
CREATE TABLE libraries_attributes (
	tenant_id bigint NOT NULL,
	block     bigint NOT NULL,
	data      bytea  NOT NULL,
	PRIMARY KEY (tenant_id, block)
);

ALTER TABLE libraries_attributes ALTER COLUMN data SET STORAGE EXTERNAL;

-- What a reader did with each title.
CREATE TABLE libraries_shelves (
	tenant_id bigint NOT NULL,
	user_id   bigint NOT NULL,
	data      bytea  NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
);

ALTER TABLE libraries_shelves ALTER COLUMN data SET STORAGE EXTERNAL;

-- The events of 128 neighbouring readers on eight days: what makes loading them twice the same as once.
CREATE TABLE libraries_seen (
	tenant_id bigint  NOT NULL,
	readers   bigint  NOT NULL, -- the number of the group
	block     integer NOT NULL, -- of days
	data      bytea   NOT NULL,
	PRIMARY KEY (tenant_id, readers, block)
);

ALTER TABLE libraries_seen ALTER COLUMN data SET STORAGE EXTERNAL;

-- A day: its totals, and the sheets of its readers, its titles and its logins.
CREATE TABLE libraries_days (
	tenant_id bigint  NOT NULL,
	day       integer NOT NULL,
	totals    bytea   NOT NULL,
	readers   bytea   NOT NULL,
	titles    bytea   NOT NULL,
	logins    bytea   NOT NULL,
	PRIMARY KEY (tenant_id, day)
);

ALTER TABLE libraries_days
	ALTER COLUMN readers SET STORAGE EXTERNAL, ALTER COLUMN titles SET STORAGE EXTERNAL, ALTER COLUMN logins SET STORAGE EXTERNAL;

-- Loans stand as they are listed: by day, then identifier.
CREATE TABLE libraries_loans (
	tenant_id bigint   NOT NULL,
	day       integer  NOT NULL,
	loan_id   bigint   NOT NULL,
	user_id   bigint   NOT NULL,
	book_id   bigint   NOT NULL,
	borrowed  bigint   NOT NULL,
	due       integer,
	returned  bigint   NOT NULL,
	status    smallint NOT NULL,
	PRIMARY KEY (tenant_id, day, loan_id)
);

CREATE UNIQUE INDEX libraries_loans_id ON libraries_loans (tenant_id, loan_id);

CREATE INDEX libraries_loans_reader ON libraries_loans (tenant_id, user_id);

CREATE INDEX libraries_loans_book ON libraries_loans (tenant_id, book_id);

-- Loans made before the history: they do not exist, and renewals of them are no bad rows. What never changes is kept.
CREATE TABLE libraries_early_loans (
	tenant_id bigint NOT NULL,
	loan_id   bigint NOT NULL,
	user_id   bigint NOT NULL,
	book_id   bigint NOT NULL,
	borrowed  bigint NOT NULL,
	PRIMARY KEY (tenant_id, loan_id)
);

CREATE TABLE libraries_reservations (
	tenant_id      bigint   NOT NULL,
	day            integer  NOT NULL,
	reservation_id bigint   NOT NULL,
	user_id        bigint   NOT NULL,
	book_id        bigint   NOT NULL,
	reserved       bigint   NOT NULL,
	resolved       bigint   NOT NULL,
	position       bigint   NOT NULL,
	status         smallint NOT NULL,
	PRIMARY KEY (tenant_id, day, reservation_id)
);

CREATE UNIQUE INDEX libraries_reservations_id ON libraries_reservations (tenant_id, reservation_id);

CREATE INDEX libraries_reservations_reader ON libraries_reservations (tenant_id, user_id);

CREATE INDEX libraries_reservations_book ON libraries_reservations (tenant_id, book_id);

CREATE TABLE libraries_requests (
	tenant_id    bigint   NOT NULL,
	day          integer  NOT NULL,
	requested    bigint   NOT NULL,
	request_id   bigint   NOT NULL,
	user_id      bigint   NOT NULL,
	title        text     NOT NULL,
	author       text     NOT NULL,
	publisher    text     NOT NULL,
	search_term  text     NOT NULL,
	availability smallint NOT NULL,
	PRIMARY KEY (tenant_id, day, requested, request_id, user_id)
);

CREATE TABLE libraries_channels (
	tenant_id bigint   NOT NULL,
	day       integer  NOT NULL,
	channel   smallint NOT NULL,
	sessions  bigint   NOT NULL,
	estimated boolean  NOT NULL,
	PRIMARY KEY (tenant_id, day, channel)
);

-- Good answers of an analytics source, for the hour in which they were given (L13).
CREATE TABLE libraries_channel_answers (
	tenant_id bigint  NOT NULL,
	hour      integer NOT NULL,
	first_day integer NOT NULL,
	last_day  integer NOT NULL,
	data      bytea   NOT NULL,
	PRIMARY KEY (tenant_id, hour, first_day, last_day)
);
