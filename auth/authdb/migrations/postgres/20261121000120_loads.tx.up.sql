-- The last load of each of a tenant's APIs, for the operator: no report reads it. It is written after the load, on its own.
CREATE TABLE loads (
	tenant_id    bigint      NOT NULL,
	api          text        NOT NULL,
	ended        timestamptz NOT NULL,
	milliseconds bigint      NOT NULL,
	row_count    bigint      NOT NULL,
	PRIMARY KEY (tenant_id, api)
);
