-- Until 0.1.0 is tagged this file is edited in place, on both engines; from then on a change is a file of its own.
CREATE TABLE keys (
	tenant_id INTEGER   NOT NULL,
	number    INTEGER   NOT NULL,
	api       TEXT      NOT NULL,
	network   INTEGER   NOT NULL, -- 0 = none
	budget    INTEGER   NOT NULL,
	hash      BLOB      NOT NULL, -- empty for a key of the directory, whose HMAC needs the secret itself (P11)
	secret    BLOB, -- sealed; only of a key of the directory
	created   TIMESTAMP NOT NULL,
	expires   TIMESTAMP,
	revoked   TIMESTAMP,
	last_used TIMESTAMP,
	PRIMARY KEY (tenant_id, number)
) WITHOUT ROWID;
