-- What Lectern uses of Citus, for a PostgreSQL that has none: a table is distributed by cutting it into hash partitions, as
-- many as there are shards, so that PostgreSQL itself refuses keys without the tenant, and plans show which shards a statement
-- touches. Names, arguments and columns are those that Citus documents. citus_calls notes what was called, in order.
CREATE SCHEMA citus;

CREATE TABLE citus.citus_calls (
	number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	call   text NOT NULL
);

CREATE TABLE citus.pg_dist_partition (
	logicalrelid regclass NOT NULL PRIMARY KEY,
	partmethod   "char"   NOT NULL, -- h by the hash of a column, n a reference table
	partkey      text,
	colocationid integer  NOT NULL,
	repmodel     "char"   NOT NULL
);

CREATE TABLE citus.pg_dist_shard (
	logicalrelid regclass NOT NULL,
	shardid      bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY
);

CREATE FUNCTION citus.column_to_column_name(table_name regclass, column_var_string text) RETURNS text
LANGUAGE sql IMMUTABLE AS 'SELECT column_var_string';

CREATE TABLE citus.pg_dist_node (
	nodeid   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	groupid  integer GENERATED ALWAYS AS (nodeid) STORED,
	nodename text    NOT NULL,
	nodeport integer NOT NULL DEFAULT 5432,
	noderole text    NOT NULL DEFAULT 'primary'
);

-- The shards of each table are dealt to the nodes in turns.
CREATE VIEW citus.shard_numbers AS
	SELECT logicalrelid, shardid, row_number() OVER (PARTITION BY logicalrelid ORDER BY shardid)::integer - 1 AS number,
	       count(*) OVER (PARTITION BY logicalrelid)::integer AS shards
	  FROM citus.pg_dist_shard;

CREATE VIEW citus.pg_dist_placement AS
	SELECT s.shardid, n.groupid
	  FROM citus.shard_numbers s
	  JOIN (SELECT groupid, row_number() OVER (ORDER BY groupid) - 1 AS number, count(*) OVER () AS nodes FROM citus.pg_dist_node) n
	    ON n.number = s.number % n.nodes;

CREATE FUNCTION citus.get_shard_id_for_distribution_column(table_name regclass, distribution_value bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
	SELECT shardid FROM citus.shard_numbers
	 WHERE logicalrelid = table_name AND satisfies_hash_partition(table_name, shards, number, distribution_value)
$$;

-- What a command answers on a node, NULL where the node does not: this server's own settings are those of all tests.
CREATE TABLE citus.node_answers (
	nodename text PRIMARY KEY,
	answer   text
);

CREATE FUNCTION citus.run_command_on_all_nodes(command text, parallel boolean DEFAULT true, give_warning_for_connection_errors boolean DEFAULT false,
	OUT nodeid integer, OUT success boolean, OUT result text) RETURNS SETOF record
LANGUAGE sql AS $$
	SELECT n.nodeid, a.answer IS NOT NULL, coalesce(a.answer, 'connection refused')
	  FROM citus.pg_dist_node n JOIN citus.node_answers a USING (nodename)
$$;

CREATE FUNCTION citus.truncate_local_data_after_distributing_table(function_table_name regclass) RETURNS void
LANGUAGE sql AS '';

-- A table that is on each node is written on each, or not at all.
CREATE FUNCTION citus.all_nodes_answer() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM citus.node_answers WHERE answer IS NULL) THEN
		RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = 'connection_failure';
	END IF;
	RETURN NULL;
END $$;

CREATE FUNCTION citus.write_everywhere(table_name regclass) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TRIGGER all_nodes_answer BEFORE INSERT OR UPDATE OR DELETE ON %s EXECUTE FUNCTION citus.all_nodes_answer()', table_name);
END $$;

CREATE FUNCTION citus.create_reference_table(table_name regclass) RETURNS void
LANGUAGE sql AS $$
	INSERT INTO citus.citus_calls (call) VALUES (format('create_reference_table(%s)', table_name));
	INSERT INTO citus.pg_dist_partition VALUES (table_name, 'n', NULL, 0, 't');
	SELECT citus.write_everywhere(table_name);
$$;

CREATE FUNCTION citus.create_distributed_table(table_name regclass, distribution_column text, distribution_type text DEFAULT 'hash',
	colocate_with text DEFAULT 'default', shard_count integer DEFAULT NULL) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	plain  text := table_name;
	whole  text := plain || '__whole';
	-- The setting is the tests' own: they need few partitions, whatever is asked.
	shards integer := coalesce(current_setting('citus.partitions', true)::integer, shard_count,
		(SELECT count(*) FROM citus.pg_dist_shard WHERE logicalrelid = to_regclass(colocate_with)));
	made   regclass;
	keys   text[];
	def    text;
BEGIN
	INSERT INTO citus.citus_calls (call) VALUES (format('create_distributed_table(%s, %s, colocate_with => %s, shard_count => %s)',
		plain, distribution_column, colocate_with, coalesce(shard_count::text, 'NULL')));
	-- Names of indexes and constraints stay, as they do with Citus, for the migrations to come.
	SELECT array_agg(CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
	                      ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', plain, c.conname, pg_get_constraintdef(c.oid)) END)
	  INTO keys
	  FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid
	 WHERE i.indrelid = table_name;
	EXECUTE format('ALTER TABLE %s RENAME TO %s', plain, whole);
	EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (%I)', plain, whole, distribution_column);
	made := plain;
	FOR i IN 0..shards - 1 LOOP
		EXECUTE format('CREATE TABLE %s__%s PARTITION OF %s FOR VALUES WITH (MODULUS %s, REMAINDER %s)', plain, i, plain, shards, i);
		INSERT INTO citus.pg_dist_shard (logicalrelid) VALUES (made);
	END LOOP;
	EXECUTE format('INSERT INTO %s SELECT * FROM %s', plain, whole);
	EXECUTE format('DROP TABLE %s', whole);
	FOREACH def IN ARRAY coalesce(keys, '{}') LOOP
		EXECUTE def;
	END LOOP;
	INSERT INTO citus.pg_dist_partition VALUES (made, 'h', distribution_column,
		coalesce((SELECT colocationid FROM citus.pg_dist_partition WHERE logicalrelid = to_regclass(colocate_with)),
		         (SELECT coalesce(max(colocationid), 0) + 1 FROM citus.pg_dist_partition)), 's');
END $$;
