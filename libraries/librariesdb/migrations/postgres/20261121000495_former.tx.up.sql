-- The facts move from these tables to the table blocks, by the program. Under their former names a program of the former version
-- that still runs would answer from the rows that have not moved yet; so it fails instead.
ALTER TABLE libraries_attributes RENAME TO former_libraries_attributes;

ALTER TABLE libraries_shelves RENAME TO former_libraries_shelves;

ALTER TABLE libraries_seen RENAME TO former_libraries_seen;

ALTER TABLE libraries_holdings RENAME TO former_libraries_holdings;

ALTER TABLE libraries_days RENAME TO former_libraries_days;
