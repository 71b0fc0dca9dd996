-- What the lists of the directory go along, so that a page costs the same however deep it lies (P8, P9): each index ends in
-- the number that the list is ordered by, and holds what is live alone.

-- The network above a school or a class, 0 for a network: all that lies below a network is one range of an index.
ALTER TABLE entities ADD COLUMN network_id bigint NOT NULL DEFAULT 0;

UPDATE entities
   SET network_id = parent_id
 WHERE entity_type = 2;

UPDATE entities
   SET network_id = coalesce((SELECT s.parent_id
                                FROM entities s
                               WHERE s.tenant_id = entities.tenant_id
                                 AND s.entity_id = entities.parent_id
                                 AND s.entity_type = 2), 0)
 WHERE entity_type = 3;

CREATE INDEX entities_network ON entities (tenant_id, network_id, entity_id) WHERE NOT deleted;

CREATE INDEX entities_parent ON entities (tenant_id, parent_id, entity_id) WHERE NOT deleted;

CREATE INDEX entities_type ON entities (tenant_id, entity_type, entity_id) WHERE NOT deleted;

CREATE INDEX accounts_entity ON accounts (tenant_id, entity_id, kind, user_id) WHERE NOT deleted;

-- Evaluations go with their entity (P6).
CREATE INDEX evaluations_entity ON evaluations (tenant_id, entity_id);
