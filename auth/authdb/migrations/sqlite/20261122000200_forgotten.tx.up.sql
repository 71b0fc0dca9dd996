-- People whose name, e-mail and phone were erased for ever (P7): no later row brings them back. user_id is the number of an account
-- or of a reader; since is when it was asked for first, in microseconds since 1970.
CREATE TABLE forgotten (
	tenant_id INTEGER NOT NULL,
	user_id   INTEGER NOT NULL,
	since     INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
);
