-- Who carried a reference of accounts, and since when, in place of the last carrier alone: an event is of the account that
-- carried its reference at the event's time (F4). A reference that only one account ever had, and has still, is left out.
CREATE TABLE carriers (
	tenant_id    INTEGER NOT NULL,
	reference_id TEXT    NOT NULL,
	since        INTEGER NOT NULL, -- microseconds since 1970; 0 = from the beginning
	user_id      INTEGER NOT NULL,
	PRIMARY KEY (tenant_id, reference_id, since)
) WITHOUT ROWID;

-- Until now a reference meant one account at all times: the live one, else who gave it up, else the last that was deleted.
INSERT INTO carriers (tenant_id, reference_id, since, user_id)
SELECT tenant_id, reference_id, 0, user_id
  FROM former_references
 WHERE NOT EXISTS (SELECT 1
                     FROM accounts a
                    WHERE a.tenant_id = former_references.tenant_id
                      AND a.reference_id = former_references.reference_id
                      AND NOT a.deleted);

INSERT INTO carriers (tenant_id, reference_id, since, user_id)
SELECT tenant_id, reference_id, 0, coalesce(max(CASE WHEN NOT deleted THEN user_id END), max(user_id))
  FROM accounts
 GROUP BY tenant_id, reference_id
HAVING count(*) > 1
    ON CONFLICT DO NOTHING;

DROP TABLE former_references;

-- Who takes a reference asks for the deleted account that had it before.
CREATE INDEX accounts_deleted_reference ON accounts (tenant_id, reference_id) WHERE deleted;
