-- INSERT, UPDATE and DELETE in WITH; common table expressions that are read several times
CREATE TABLE ww_t (id int PRIMARY KEY, v text, n int);
CREATE TABLE ww_log (id serial, what text, t_id int);
INSERT INTO ww_t SELECT i, 'v' || i, i * 10 FROM generate_series(1, 5) i;
WITH d AS (DELETE FROM ww_t WHERE id = 5 RETURNING *) SELECT * FROM d;
WITH d AS (DELETE FROM ww_t WHERE id = 4 RETURNING id) INSERT INTO ww_log (what, t_id) SELECT 'deleted', id FROM d;
SELECT * FROM ww_log ORDER BY id;
WITH i AS (INSERT INTO ww_t VALUES (6, 'six', 60), (7, 'seven', 70) RETURNING id, n) SELECT sum(n), count(*) FROM i;
-- the statement does not see what its parts do
WITH u AS (UPDATE ww_t SET n = n + 1 RETURNING id, n) SELECT t.id, t.n AS before, u.n AS after FROM ww_t t JOIN u ON u.id = t.id ORDER BY t.id;
SELECT id, n FROM ww_t ORDER BY id;
WITH u AS (UPDATE ww_t SET v = upper(v)) SELECT count(*) FROM ww_t WHERE v = upper(v);
SELECT v FROM ww_t ORDER BY id;
-- not read, and still carried out
WITH u AS (UPDATE ww_t SET n = 0 WHERE id = 1 RETURNING *) SELECT 'not read' AS r;
SELECT id, n FROM ww_t WHERE id = 1;
WITH u AS (UPDATE ww_t SET n = 5 RETURNING id) SELECT id FROM u ORDER BY id LIMIT 1;
SELECT count(*) FROM ww_t WHERE n = 5;
WITH a AS (INSERT INTO ww_log (what) VALUES ('a')), b AS (INSERT INTO ww_log (what) VALUES ('b') RETURNING what) INSERT INTO ww_log (what) VALUES ('main');
SELECT what FROM ww_log WHERE t_id IS NULL ORDER BY id;
-- several parts, one reading another
WITH d AS (DELETE FROM ww_t WHERE id > 5 RETURNING *), i AS (INSERT INTO ww_log (what, t_id) SELECT v, id FROM d RETURNING t_id) SELECT d.id, i.t_id FROM d JOIN i ON i.t_id = d.id ORDER BY 1;
WITH d AS (DELETE FROM ww_t WHERE id = 3 RETURNING id) UPDATE ww_t SET n = (SELECT id FROM d) WHERE id = 1;
SELECT id, n FROM ww_t ORDER BY id;
WITH up (x, y) AS (UPDATE ww_t SET n = n * 2 WHERE id = 2 RETURNING id, n) SELECT y, x FROM up;
-- the same row twice: one of them wins
WITH u AS (UPDATE ww_t SET v = 'with' WHERE id = 1 RETURNING v) UPDATE ww_t SET v = 'main' WHERE id = 1 RETURNING v;
SELECT v FROM ww_t WHERE id = 1;
WITH d AS (DELETE FROM ww_t WHERE id = 1) INSERT INTO ww_t VALUES (1, 'again', 1);
-- a move between tables
CREATE TABLE ww_old (LIKE ww_t);
WITH moved AS (DELETE FROM ww_t WHERE id = 2 RETURNING *) INSERT INTO ww_old SELECT * FROM moved RETURNING id, v;
SELECT count(*) FROM ww_t;
SELECT id, v, n FROM ww_old;
-- upsert by hand
INSERT INTO ww_t VALUES (10, 'ten', 1);
WITH n (id, v) AS (VALUES (10, 'TEN'), (11, 'ELEVEN')), u AS (UPDATE ww_t t SET v = n.v FROM n WHERE n.id = t.id RETURNING t.id) INSERT INTO ww_t SELECT id, v, 0 FROM n WHERE id NOT IN (SELECT id FROM u);
SELECT * FROM ww_t ORDER BY id;
-- foreign keys are looked at when all parts have ended
CREATE TABLE ww_parent (id int PRIMARY KEY);
CREATE TABLE ww_child (id int PRIMARY KEY, p int REFERENCES ww_parent);
WITH c AS (INSERT INTO ww_child VALUES (1, 1) RETURNING id), p AS (INSERT INTO ww_parent VALUES (1)) SELECT * FROM c;
WITH c AS (DELETE FROM ww_child) DELETE FROM ww_parent;
SELECT count(*) FROM ww_parent;
WITH c AS (INSERT INTO ww_child VALUES (2, 2)) INSERT INTO ww_parent VALUES (2);
WITH c AS (INSERT INTO ww_child VALUES (3, 3)) SELECT 1;
WITH p AS (DELETE FROM ww_parent) SELECT 1;
SELECT * FROM ww_child;
-- errors
WITH d AS (DELETE FROM ww_t) SELECT * FROM d;
SELECT * FROM (WITH d AS (DELETE FROM ww_t RETURNING *) SELECT * FROM d) x;
WITH RECURSIVE d AS (DELETE FROM ww_t WHERE id IN (SELECT id FROM d) RETURNING *) SELECT * FROM d;
CREATE VIEW ww_v AS WITH d AS (DELETE FROM ww_t RETURNING *) SELECT * FROM d;
WITH i AS (INSERT INTO ww_t VALUES (10, 'dup', 0)) SELECT 1;
SELECT count(*) FROM ww_t;
-- nothing is left of a statement that fails
WITH i AS (INSERT INTO ww_t VALUES (20, 'x', 0) RETURNING id) SELECT 1 / (id - 20) FROM i;
SELECT count(*) FROM ww_t WHERE id = 20;
-- read several times: computed once
CREATE SEQUENCE ww_seq;
WITH s AS (SELECT nextval('ww_seq') AS n) SELECT a.n, b.n FROM s a, s b;
WITH s AS MATERIALIZED (SELECT nextval('ww_seq') AS n) SELECT n, (SELECT n FROM s) AS again FROM s;
WITH s AS (SELECT nextval('ww_seq') AS n FROM generate_series(1, 3)) SELECT count(*) FROM s WHERE n > 0;
WITH s AS NOT MATERIALIZED (SELECT id FROM ww_t) SELECT count(*) FROM s a JOIN s b USING (id);
WITH s AS (SELECT g FROM generate_series(1, 100) g) SELECT count(*), sum(a.g * b.g) FROM s a JOIN s b ON a.g = b.g + 1;
WITH s AS (SELECT g FROM generate_series(1, 5) g) SELECT g, (SELECT sum(x.g) FROM s x WHERE x.g <= s.g) AS running FROM s ORDER BY g;
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a), c AS (SELECT a.x + b.x AS x FROM a, b) SELECT a.x, b.x, c.x FROM a, b, c;
WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT a.n FROM r a LIMIT 3;
WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT a.n, b.n FROM r a JOIN r b ON b.n = a.n + 1 ORDER BY 1;
SELECT t.id, (WITH s AS (SELECT t.id + 1 AS x) SELECT a.x + b.x FROM s a, s b) AS twice FROM ww_t t ORDER BY 1;
WITH s AS (SELECT (SELECT max(id) FROM ww_t) AS m) SELECT (SELECT m FROM s), (SELECT m + 1 FROM s);
WITH s AS (SELECT id FROM ww_t) SELECT count(*) FROM ww_t WHERE id IN (SELECT id FROM s) AND EXISTS (SELECT 1 FROM s WHERE s.id = ww_t.id);
SELECT n FROM (WITH s AS (SELECT nextval('ww_seq') * 0 AS n) SELECT a.n FROM s a UNION ALL SELECT n + 1 FROM s) x ORDER BY n;
DROP TABLE ww_t, ww_log, ww_old, ww_child, ww_parent;
DROP SEQUENCE ww_seq;
