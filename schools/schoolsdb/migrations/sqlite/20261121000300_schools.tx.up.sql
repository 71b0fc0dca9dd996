-- The books of a partner and the folded facts of its accounts.
CREATE TABLE schools_books (
    tenant_id INTEGER NOT NULL,
    book_id   INTEGER NOT NULL,
    title     TEXT    NOT NULL DEFAULT '',
    author    TEXT    NOT NULL DEFAULT '',
    isbn      TEXT    NOT NULL DEFAULT '',
    length    INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, book_id)
) WITHOUT ROWID;
--bun:split
-- What a user read of a book: the days, each with its minutes and its merged intervals.
CREATE TABLE schools_records (
    tenant_id INTEGER NOT NULL,
    user_id   INTEGER NOT NULL,
    book_id   INTEGER NOT NULL,
    first_day INTEGER NOT NULL,
    last_day  INTEGER NOT NULL,
    data      BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, user_id, book_id)
) WITHOUT ROWID;
--bun:split
-- Which books a user read on which days, for 128 users a row: what counts the rows of any period.
CREATE TABLE schools_ledgers (
    tenant_id INTEGER NOT NULL,
    block     INTEGER NOT NULL,
    data      BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, block)
);
--bun:split
-- The users of a day and their minutes: the engagement rows.
CREATE TABLE schools_days (
    tenant_id INTEGER NOT NULL,
    day       INTEGER NOT NULL,
    presence  BLOB    NOT NULL,
    minutes   BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, day)
);
--bun:split
-- The events that a user had, eight days a row: what makes loading them twice the same as once.
CREATE TABLE schools_seen (
    tenant_id INTEGER NOT NULL,
    user_id   INTEGER NOT NULL,
    block     INTEGER NOT NULL,
    data      BLOB    NOT NULL,
    PRIMARY KEY (tenant_id, user_id, block)
) WITHOUT ROWID;
