-- WITH RECURSIVE.
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT * FROM t;
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 100) SELECT sum(n), count(*) FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT (n + 1) % 5 FROM t) SELECT n FROM t ORDER BY n;
CREATE TABLE rec_tree (id int PRIMARY KEY, parent int, name text);
INSERT INTO rec_tree VALUES (1, NULL, 'root'), (2, 1, 'a'), (3, 1, 'b'), (4, 2, 'aa'), (5, 4, 'aaa'), (6, 3, 'ba');
WITH RECURSIVE sub AS (
  SELECT id, name, 0 AS depth FROM rec_tree WHERE parent IS NULL
  UNION ALL
  SELECT t.id, t.name, s.depth + 1 FROM rec_tree t JOIN sub s ON t.parent = s.id)
SELECT * FROM sub ORDER BY depth, id;
WITH RECURSIVE path(id, names) AS (
  SELECT id, name FROM rec_tree WHERE id = 5
  UNION ALL
  SELECT t.parent, p.names FROM rec_tree t, path p WHERE t.id = p.id AND t.parent IS NOT NULL)
SELECT * FROM path ORDER BY id;
WITH RECURSIVE sub AS (
  SELECT id FROM rec_tree WHERE id = 2
  UNION ALL
  SELECT t.id FROM sub s LEFT JOIN rec_tree t ON t.parent = s.id WHERE t.id IS NOT NULL)
SELECT count(*), max(id) FROM sub;
-- cycles end with UNION
CREATE TABLE rec_edge (a int, b int);
INSERT INTO rec_edge VALUES (1, 2), (2, 3), (3, 1), (3, 4);
WITH RECURSIVE reach(x) AS (SELECT 1 UNION SELECT e.b FROM reach r, rec_edge e WHERE e.a = r.x) SELECT x FROM reach ORDER BY x;
WITH RECURSIVE reach(x, y) AS (SELECT a, b FROM rec_edge UNION SELECT r.x, e.b FROM reach r JOIN rec_edge e ON e.a = r.y) SELECT count(*) FROM reach;
WITH RECURSIVE n(x) AS (SELECT NULL::int UNION SELECT x FROM n) SELECT count(*), count(x) FROM n;
-- used twice, in a sub-query, in DML, in a view
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 4) SELECT a.n, b.n FROM t a JOIN t b ON a.n = b.n + 1 ORDER BY 1;
SELECT id, (WITH RECURSIVE up(p) AS (SELECT o.parent UNION ALL SELECT t.parent FROM rec_tree t, up WHERE t.id = up.p) SELECT count(p) FROM up) FROM rec_tree o ORDER BY id;
SELECT id FROM rec_tree WHERE id IN (WITH RECURSIVE t(n) AS (SELECT 2 UNION ALL SELECT n + 2 FROM t WHERE n < 6) SELECT n FROM t) ORDER BY id;
WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a WHERE n < 3), b(m) AS (SELECT n FROM a UNION ALL SELECT m + 10 FROM b WHERE m < 20) SELECT count(*), sum(m) FROM b;
INSERT INTO rec_edge WITH RECURSIVE t(n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM t WHERE n < 12) SELECT n, n + 1 FROM t;
SELECT count(*) FROM rec_edge;
CREATE VIEW rec_view AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t;
SELECT sum(n) FROM rec_view;
DROP VIEW rec_view;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t LIMIT 5;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL (SELECT n + 1 FROM t WHERE n < 5 ORDER BY n)) SELECT count(*) FROM t;
WITH RECURSIVE t(n, s) AS (SELECT 1, 'x'::text UNION ALL SELECT n + 1, s || 'y' FROM (SELECT * FROM t WHERE n < 4) q) SELECT * FROM t ORDER BY n;
WITH RECURSIVE plain AS (SELECT 1 AS n) SELECT * FROM plain;
WITH RECURSIVE fib(a, b) AS (SELECT 0::bigint, 1::bigint UNION ALL SELECT b, a + b FROM fib WHERE b < 1000) SELECT max(a) FROM fib;
WITH RECURSIVE t(d) AS (SELECT DATE '2024-01-30' UNION ALL SELECT d + 1 FROM t WHERE d < DATE '2024-02-02') SELECT d FROM t;
-- refused
WITH RECURSIVE t(n) AS (SELECT n FROM t) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT n FROM t UNION ALL SELECT 1) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT a.n + b.n FROM t a, t b) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT 2 WHERE EXISTS (SELECT 1 FROM t)) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT t.n FROM rec_edge LEFT JOIN t ON a = n) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT max(n) + 1 FROM t) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1.5 FROM t) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t ORDER BY 1) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n, n FROM t) SELECT * FROM t;
WITH RECURSIVE t(n) AS (SELECT 1 INTERSECT SELECT n FROM t) SELECT * FROM t;
DROP TABLE rec_tree, rec_edge;
