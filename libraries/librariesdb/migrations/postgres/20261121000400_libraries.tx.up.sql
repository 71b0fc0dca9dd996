-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
-- The registers of a library network. A row is visible in the snapshots [since, until). Texts that are null are empty; identifiers
-- and years that are null are -1; days count from 1970-01-01; instants are microseconds since then, 0 where null; enums are the
-- numbers of package libraries.
CREATE TABLE libraries_terms (
	tenant_id  bigint   NOT NULL,
	vocabulary smallint NOT NULL,
	term_id    bigint   NOT NULL,
	since      bigint   NOT NULL,
	until      bigint   NOT NULL,
	name       text     NOT NULL,
	PRIMARY KEY (tenant_id, vocabulary, term_id, since)
);
--bun:split
CREATE INDEX libraries_terms_until ON libraries_terms (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_books (
	tenant_id     bigint  NOT NULL,
	book_id       bigint  NOT NULL,
	since         bigint  NOT NULL,
	until         bigint  NOT NULL,
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
	PRIMARY KEY (tenant_id, book_id, since)
);
--bun:split
CREATE INDEX libraries_books_until ON libraries_books (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_lines (
	tenant_id    bigint   NOT NULL,
	line_id      bigint   NOT NULL,
	since        bigint   NOT NULL,
	until        bigint   NOT NULL,
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
	PRIMARY KEY (tenant_id, line_id, since)
);
--bun:split
CREATE INDEX libraries_lines_until ON libraries_lines (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_readers (
	tenant_id    bigint   NOT NULL,
	user_id      bigint   NOT NULL,
	since        bigint   NOT NULL,
	until        bigint   NOT NULL,
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
	erased       bigint   NOT NULL DEFAULT 0, -- the version of the registers by which something of the row was erased (H14); 0 = none
	PRIMARY KEY (tenant_id, user_id, since)
) WITH (autovacuum_vacuum_scale_factor = 0.02); -- so that what was erased leaves the table soon
--bun:split
-- Statistics quote values: they must not quote a person that is erased later.
ALTER TABLE libraries_readers ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN email SET STATISTICS 0;
--bun:split
CREATE INDEX libraries_readers_until ON libraries_readers (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE INDEX libraries_readers_erased ON libraries_readers (tenant_id, erased) WHERE erased > 0;
--bun:split
-- Loans are stored as they are listed: by day, then identifier.
CREATE TABLE libraries_loans (
	tenant_id bigint   NOT NULL,
	day       integer  NOT NULL,
	loan_id   bigint   NOT NULL,
	since     bigint   NOT NULL,
	until     bigint   NOT NULL,
	user_id   bigint   NOT NULL,
	book_id   bigint   NOT NULL,
	borrowed  bigint   NOT NULL,
	due       integer,
	returned  bigint   NOT NULL,
	status    smallint NOT NULL,
	PRIMARY KEY (tenant_id, day, loan_id, since)
);
--bun:split
-- Of the rows of an identifier at most one is open: until is in the key, which also finds the row of a snapshot.
CREATE UNIQUE INDEX libraries_loans_id ON libraries_loans (tenant_id, loan_id, until);
--bun:split
CREATE INDEX libraries_loans_reader ON libraries_loans (tenant_id, user_id);
--bun:split
CREATE INDEX libraries_loans_book ON libraries_loans (tenant_id, book_id);
--bun:split
CREATE INDEX libraries_loans_until ON libraries_loans (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_reservations (
	tenant_id      bigint   NOT NULL,
	day            integer  NOT NULL,
	reservation_id bigint   NOT NULL,
	since          bigint   NOT NULL,
	until          bigint   NOT NULL,
	user_id        bigint   NOT NULL,
	book_id        bigint   NOT NULL,
	reserved       bigint   NOT NULL,
	resolved       bigint   NOT NULL,
	position       bigint   NOT NULL,
	status         smallint NOT NULL,
	PRIMARY KEY (tenant_id, day, reservation_id, since)
);
--bun:split
CREATE UNIQUE INDEX libraries_reservations_id ON libraries_reservations (tenant_id, reservation_id, until);
--bun:split
CREATE INDEX libraries_reservations_reader ON libraries_reservations (tenant_id, user_id);
--bun:split
CREATE INDEX libraries_reservations_book ON libraries_reservations (tenant_id, book_id);
--bun:split
CREATE INDEX libraries_reservations_until ON libraries_reservations (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_requests (
	tenant_id    bigint   NOT NULL,
	day          integer  NOT NULL,
	requested    bigint   NOT NULL,
	request_id   bigint   NOT NULL,
	user_id      bigint   NOT NULL,
	since        bigint   NOT NULL,
	until        bigint   NOT NULL,
	title        text     NOT NULL,
	author       text     NOT NULL,
	publisher    text     NOT NULL,
	search_term  text     NOT NULL,
	availability smallint NOT NULL,
	PRIMARY KEY (tenant_id, day, requested, request_id, user_id, since)
);
--bun:split
CREATE INDEX libraries_requests_until ON libraries_requests (tenant_id, until) WHERE until < 140737488355327;
--bun:split
CREATE TABLE libraries_channels (
	tenant_id bigint   NOT NULL,
	day       integer  NOT NULL,
	channel   smallint NOT NULL,
	since     bigint   NOT NULL,
	until     bigint   NOT NULL,
	sessions  bigint   NOT NULL,
	estimated boolean  NOT NULL,
	PRIMARY KEY (tenant_id, day, channel, since)
);
--bun:split
CREATE INDEX libraries_channels_until ON libraries_channels (tenant_id, until) WHERE until < 140737488355327;
--bun:split
-- Good answers of an analytics source, for the hour in which they were given (L13).
CREATE TABLE libraries_channel_answers (
	tenant_id bigint  NOT NULL,
	hour      integer NOT NULL,
	first_day integer NOT NULL,
	last_day  integer NOT NULL,
	data      bytea   NOT NULL,
	PRIMARY KEY (tenant_id, hour, first_day, last_day)
);
