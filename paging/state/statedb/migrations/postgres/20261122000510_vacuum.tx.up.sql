-- Nearly all bytes are blocks: a fifth of the table in dead rows, which autovacuum waits for by default, would be terabytes.
ALTER TABLE blocks SET (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);
