-- The books of a partner and the folded facts of its accounts. Binary columns are packed already: no compression.
CREATE TABLE schools_books (
    tenant_id bigint NOT NULL,
    book_id   bigint NOT NULL,
    title     text   NOT NULL DEFAULT '',
    author    text   NOT NULL DEFAULT '',
    isbn      text   NOT NULL DEFAULT '',
    length    bigint NOT NULL,
    PRIMARY KEY (tenant_id, book_id)
);
--bun:split
-- What a user read of a book: the days, each with its minutes and its merged intervals.
CREATE TABLE schools_records (
    tenant_id bigint  NOT NULL,
    user_id   bigint  NOT NULL,
    book_id   bigint  NOT NULL,
    first_day integer NOT NULL,
    last_day  integer NOT NULL,
    data      bytea   NOT NULL,
    PRIMARY KEY (tenant_id, user_id, book_id)
);
--bun:split
ALTER TABLE schools_records ALTER COLUMN data SET STORAGE EXTERNAL;
--bun:split
-- Which books a user read on which days, for 128 users a row: what counts the rows of any period.
CREATE TABLE schools_ledgers (
    tenant_id bigint NOT NULL,
    block     bigint NOT NULL,
    data      bytea  NOT NULL,
    PRIMARY KEY (tenant_id, block)
);
--bun:split
ALTER TABLE schools_ledgers ALTER COLUMN data SET STORAGE EXTERNAL;
--bun:split
-- The users of a day and their minutes: the engagement rows.
CREATE TABLE schools_days (
    tenant_id bigint  NOT NULL,
    day       integer NOT NULL,
    presence  bytea   NOT NULL,
    minutes   bytea   NOT NULL,
    PRIMARY KEY (tenant_id, day)
);
--bun:split
ALTER TABLE schools_days ALTER COLUMN presence SET STORAGE EXTERNAL, ALTER COLUMN minutes SET STORAGE EXTERNAL;
--bun:split
-- The events that a user had, eight days a row: what makes loading them twice the same as once.
CREATE TABLE schools_seen (
    tenant_id bigint  NOT NULL,
    user_id   bigint  NOT NULL,
    block     integer NOT NULL,
    data      bytea   NOT NULL,
    PRIMARY KEY (tenant_id, user_id, block)
);
--bun:split
ALTER TABLE schools_seen ALTER COLUMN data SET STORAGE EXTERNAL;
