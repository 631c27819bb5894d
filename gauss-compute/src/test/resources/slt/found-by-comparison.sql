-- What FILTER leaves out is not evaluated.
CREATE TABLE found (id int PRIMARY KEY, n int, t text);
INSERT INTO found VALUES (1, 0, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, NULL, NULL);
SELECT sum(10 / n) FILTER (WHERE n > 0), count(10 / n) FILTER (WHERE n <> 0) FROM found;
SELECT t, sum(10 / n) FILTER (WHERE n > 0) FROM found GROUP BY t ORDER BY t;
SELECT string_agg(t || 10 / n, ',' ORDER BY t) FILTER (WHERE n > 0) FROM found;
-- A common table expression with volatile functions is computed once.
CREATE SEQUENCE found_seq;
SELECT count(*) FROM (WITH q1(x) AS (SELECT random() FROM generate_series(1, 5)) SELECT * FROM q1 UNION SELECT * FROM q1) ss;
WITH q AS (SELECT nextval('found_seq') AS n) SELECT a.n = b.n, a.n FROM q a, q b;
WITH q AS (SELECT nextval('found_seq') AS n FROM generate_series(1, 3)) SELECT count(*), count(DISTINCT n), max(n) FROM (SELECT n FROM q UNION ALL SELECT n FROM q) s;
WITH q AS (SELECT id, nextval('found_seq') AS n FROM found WHERE id < 3) SELECT id, (SELECT n FROM q WHERE q.id = found.id) FROM found ORDER BY id;
SELECT nextval('found_seq');
-- Series without end are refused.
SELECT * FROM generate_series('nan'::numeric, 100::numeric, 10::numeric);
SELECT * FROM generate_series(0::numeric, 'nan'::numeric, 10::numeric);
SELECT * FROM generate_series(0::numeric, 'inf'::numeric);
SELECT * FROM generate_series('-inf'::numeric, 1::numeric);
SELECT * FROM generate_series(0::numeric, 1::numeric, 'nan'::numeric);
SELECT * FROM generate_series(0::numeric, 1::numeric, '-inf'::numeric);
-- A frame may end beyond the type's end.
SELECT x, last_value(x) OVER (ORDER BY x RANGE BETWEEN CURRENT ROW AND 4 FOLLOWING) FROM generate_series(9223372036854775804, 9223372036854775806) x ORDER BY x;
SELECT x, first_value(x) OVER (ORDER BY x RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) FROM generate_series(-9223372036854775806, -9223372036854775804) x ORDER BY x;
SELECT x, last_value(x) OVER (ORDER BY x DESC RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING) FROM generate_series(-9223372036854775806, -9223372036854775804) x ORDER BY x;
-- Errors.
SELECT count(*) OVER w FROM found WINDOW w AS (ORDER BY id), w AS (ORDER BY id);
SELECT count() FROM found;
SELECT count() OVER () FROM found;
SELECT CASE WHEN n > 0 THEN generate_series(1, 3) ELSE 0 END FROM found;
SELECT CASE WHEN generate_series(1, 3) > 1 THEN 1 END FROM found;
SELECT coalesce(generate_series(1, 3), 0) FROM found;
SELECT string_agg(DISTINCT n::text, ',' ORDER BY n) FROM found;
SELECT string_agg(DISTINCT t, ',' ORDER BY t DESC), array_agg(DISTINCT n ORDER BY n) FROM found;
SELECT min(DISTINCT n ORDER BY id) FROM found;
SELECT nothing(DISTINCT n) FROM found;
SELECT nothing(n ORDER BY n) FROM found;
SELECT nothing(n) FILTER (WHERE true) FROM found;
SELECT lower(DISTINCT t) FROM found;
DROP TABLE found;
DROP SEQUENCE found_seq;
