-- The version of the registers by which something was erased of the row, 0 where nothing was: rounds list such readers (H14).
ALTER TABLE libraries_readers ADD COLUMN erased BIGINT NOT NULL DEFAULT 0;

CREATE INDEX libraries_readers_erased ON libraries_readers (tenant_id, erased) WHERE erased > 0;
