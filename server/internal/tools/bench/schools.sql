-- The first pages of lists of the schools as one would write them on raw segments in PostgreSQL, with the number of all rows.
SET TimeZone = 'America/Sao_Paulo';
CREATE TABLE segments (segment_id text, account text, book_id bigint, started_at timestamptz, duration_ms bigint, from_unit bigint, to_unit bigint, wpm numeric);
\copy segments FROM PROGRAM 'zstd -dc segments.csv.zst' CSV HEADER
CREATE TABLE raw AS SELECT account, book_id, started_at, started_at::date AS day, duration_ms, from_unit, to_unit, wpm FROM segments;
CREATE INDEX ON raw (account, book_id);
CREATE INDEX ON raw (day, account);
VACUUM ANALYZE raw;
\timing on
\o /dev/null
\echo question: readings, all days
SELECT account, book_id, ms, first, last, (SELECT sum(upper(r) - lower(r)) FROM unnest(read) r), count(*) OVER ()
FROM (
	SELECT account, book_id, sum(duration_ms) AS ms, min(started_at) AS first, max(started_at) AS last, range_agg(int8range(from_unit, to_unit)) AS read
	FROM raw
	WHERE wpm BETWEEN 5 AND 800 OR wpm IS NULL AND duration_ms >= 3000
	GROUP BY account, book_id
) rows
ORDER BY account, book_id
LIMIT 1000;
\g
\g
\echo question: engagements, all days
SELECT day, account, sum(duration_ms) FILTER (WHERE wpm BETWEEN 5 AND 800 OR wpm IS NULL AND duration_ms >= 3000), count(*) OVER ()
FROM raw
GROUP BY day, account
ORDER BY day, account
LIMIT 1000;
\g
\g
