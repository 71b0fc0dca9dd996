-- The transactions of a load that were committed: a standby that was promoted may have its lease, and lack what it wrote last.
ALTER TABLE leases ADD COLUMN turns bigint NOT NULL DEFAULT 0;
