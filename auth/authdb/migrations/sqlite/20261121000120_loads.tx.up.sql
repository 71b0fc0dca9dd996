-- The last load of each of a tenant's APIs, for the operator: no report reads it. It is written after the load, on its own.
CREATE TABLE loads (
	tenant_id    INTEGER   NOT NULL,
	api          TEXT      NOT NULL,
	ended        TIMESTAMP NOT NULL,
	milliseconds INTEGER   NOT NULL,
	row_count    INTEGER   NOT NULL,
	PRIMARY KEY (tenant_id, api)
) WITHOUT ROWID;
