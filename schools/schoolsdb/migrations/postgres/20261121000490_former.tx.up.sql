-- The facts move from these tables to the table blocks, by the program. Under their former names a program of the former version
-- that still runs would answer from the rows that have not moved yet; so it fails instead.
ALTER TABLE schools_records RENAME TO former_schools_records;

ALTER TABLE schools_ledgers RENAME TO former_schools_ledgers;

ALTER TABLE schools_days RENAME TO former_schools_days;

ALTER TABLE schools_seen RENAME TO former_schools_seen;
