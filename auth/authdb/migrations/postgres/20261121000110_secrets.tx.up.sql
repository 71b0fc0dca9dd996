-- The sealed secret of a directory key, whose hash is empty: an HMAC needs the
-- secret itself (P11). NULL on the keys of the other APIs.
ALTER TABLE keys ADD COLUMN secret bytea;
