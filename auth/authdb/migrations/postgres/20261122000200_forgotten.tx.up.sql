-- People whose name, e-mail and phone were erased for ever (P7): no later row brings them back. user_id is the number of an account
-- or of a reader; since is when it was asked for first, in microseconds since 1970.
CREATE TABLE forgotten (
	tenant_id bigint NOT NULL,
	user_id   bigint NOT NULL,
	since     bigint NOT NULL,
	PRIMARY KEY (tenant_id, user_id)
);
