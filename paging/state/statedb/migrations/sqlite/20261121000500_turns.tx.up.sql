-- The transactions of a load that were committed: a standby that was promoted may have its lease, and lack what it wrote last.
ALTER TABLE leases ADD COLUMN turns INTEGER NOT NULL DEFAULT 0;
