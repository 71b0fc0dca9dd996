-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
CREATE TABLE keys (
	tenant_id bigint      NOT NULL,
	number    integer     NOT NULL,
	api       text        NOT NULL,
	network   bigint      NOT NULL, -- 0 = none
	budget    integer     NOT NULL,
	hash      bytea       NOT NULL, -- empty for a key of the directory, whose HMAC needs the secret itself (P11)
	secret    bytea, -- sealed; only of a key of the directory
	created   timestamptz NOT NULL,
	expires   timestamptz,
	revoked   timestamptz,
	last_used timestamptz,
	PRIMARY KEY (tenant_id, number)
);
--bun:split
-- Counts of the current minute. They are logged: an unlogged table is not copied to where a shard moves. No request waits for the
-- disk (Limiter.Take); the price is some 180 bytes of the log a request.
-- Half of a page is left free, to update rows in place.
CREATE TABLE rates (
	tenant_id bigint NOT NULL,
	budget    text   NOT NULL,
	taken     bigint NOT NULL, -- milliseconds since 1970: when count was last raised
	count     bigint NOT NULL, -- in the minute of taken
	PRIMARY KEY (tenant_id, budget)
) WITH (fillfactor = 50);
