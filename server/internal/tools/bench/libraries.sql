-- Summaries of 30 days as one would write them on daily rows of readers in PostgreSQL. The number of distinct titles, which daily rows
-- cannot tell, is left out. A title is first read to 10 or 50 percent on the first day with a session that got so far (L4).
SET TimeZone = 'America/Sao_Paulo';
CREATE TABLE sessions (id text, user_id bigint, book_id bigint, at timestamptz, seconds bigint, mode text, format text, progress numeric);
CREATE TABLE loans (id bigint, user_id bigint, book_id bigint, at timestamptz, due date, ended timestamptz, status text);
CREATE TABLE reservations (id bigint, user_id bigint, book_id bigint, status text, position bigint, at timestamptz, ended timestamptz);
CREATE TABLE renewals (id text, loan_id bigint, user_id bigint, book_id bigint, at timestamptz);
CREATE TABLE previews (id text, user_id bigint, book_id bigint, at timestamptz);
CREATE TABLE activity (id text, user_id bigint, at timestamptz);
CREATE TABLE readers (user_id bigint PRIMARY KEY, name text, email text, library bigint, age_group bigint, city text, state text, ra text, gender text,
	registered date, status text, deleted date, updated timestamptz, confirmed timestamptz, last_sign_in timestamptz);
\copy sessions FROM PROGRAM 'zstd -dc sessions.csv.zst' CSV HEADER
\copy loans FROM PROGRAM 'zstd -dc loans.csv.zst' CSV HEADER
\copy reservations FROM PROGRAM 'zstd -dc reservations.csv.zst' CSV HEADER
\copy renewals FROM PROGRAM 'zstd -dc renewals.csv.zst' CSV HEADER
\copy previews FROM PROGRAM 'zstd -dc previews.csv.zst' CSV HEADER
\copy activity FROM PROGRAM 'zstd -dc activity.csv.zst' CSV HEADER
\copy readers FROM PROGRAM 'zstd -dc readers.csv.zst' CSV HEADER
CREATE TABLE days AS
	SELECT at::date AS day, user_id,
		(count(*) FILTER (WHERE kind NOT IN ('expired', 'converted', '10', '50')) > 0)::int AS logins,
		count(*) FILTER (WHERE kind = 'loan') AS loans,
		count(*) FILTER (WHERE kind IN ('returned', 'expired')) AS returns,
		count(*) FILTER (WHERE kind = '10') AS readings10,
		count(*) FILTER (WHERE kind = '50') AS readings50,
		count(*) FILTER (WHERE kind = 'preview') AS previews,
		sum(seconds) AS seconds,
		count(*) FILTER (WHERE kind = 'renewal') AS renewals,
		count(*) FILTER (WHERE kind = 'reservation') AS reservations,
		count(*) FILTER (WHERE kind = 'converted') AS converted
	FROM (
		SELECT 'session' AS kind, user_id, at, seconds FROM sessions
		UNION ALL SELECT '10', user_id, min(at), 0 FROM sessions WHERE progress >= 10 GROUP BY user_id, book_id
		UNION ALL SELECT '50', user_id, min(at), 0 FROM sessions WHERE progress >= 50 GROUP BY user_id, book_id
		UNION ALL SELECT 'loan', user_id, at, 0 FROM loans
		UNION ALL SELECT status, user_id, ended, 0 FROM loans WHERE status <> 'active'
		UNION ALL SELECT 'reservation', user_id, at, 0 FROM reservations
		UNION ALL SELECT 'converted', user_id, at, 0 FROM reservations WHERE status = 'converted'
		UNION ALL SELECT 'renewal', user_id, at, 0 FROM renewals
		UNION ALL SELECT 'preview', user_id, at, 0 FROM previews
		UNION ALL SELECT 'activity', user_id, at, 0 FROM activity
	) events
	GROUP BY 1, 2;
CREATE UNIQUE INDEX ON days (day, user_id);
VACUUM ANALYZE days, readers;
\set sums 'count(DISTINCT user_id) FILTER (WHERE logins > 0), sum(logins), sum(loans), sum(returns), sum(readings10), sum(readings50), sum(previews), sum(seconds), sum(renewals), sum(reservations), sum(converted)'
SELECT max(day) AS last FROM days \gset
SELECT state AS most FROM readers WHERE state IS NOT NULL GROUP BY state ORDER BY count(*) DESC LIMIT 1 \gset
\timing on
\o /dev/null
\echo question: summary
SELECT :sums FROM days WHERE day > :'last'::date - 30;
\g
\g
\echo question: one state
SELECT :sums FROM days JOIN readers USING (user_id) WHERE day > :'last'::date - 30 AND state = :'most';
\g
\g
\echo question: by city
SELECT city, :sums FROM days JOIN readers USING (user_id) WHERE day > :'last'::date - 30 GROUP BY city ORDER BY city;
\g
\g
