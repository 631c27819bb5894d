-- Views: what names mean is settled when the view is made.
CREATE TABLE vw_t (a int PRIMARY KEY, b text, c int);
INSERT INTO vw_t VALUES (1, 'x', 10), (2, 'y', 20), (3, 'x', 30);
CREATE VIEW vw_all AS SELECT * FROM vw_t;
SELECT * FROM vw_all ORDER BY a;
SELECT v.b, count(*) FROM vw_all v WHERE v.c > 5 GROUP BY v.b ORDER BY 1;
CREATE VIEW vw_sum (b, total, n) AS SELECT b, sum(c), count(*) FROM vw_t GROUP BY b;
SELECT * FROM vw_sum ORDER BY b;
SELECT vw_sum.total FROM vw_sum JOIN vw_t t ON t.b = vw_sum.b WHERE t.a = 3;
CREATE VIEW vw_two AS SELECT s.b AS label, t.a FROM vw_sum s, vw_t t WHERE s.b = t.b AND s.n > 1;
SELECT * FROM vw_two ORDER BY a;
SELECT * FROM (TABLE vw_two) x (p, q) ORDER BY q;
SELECT (SELECT max(total) FROM vw_sum), EXISTS (SELECT 1 FROM vw_two WHERE a = 1);
WITH s AS (SELECT * FROM vw_sum) SELECT b FROM s ORDER BY 1;
SELECT n.label FROM vw_t t LEFT JOIN vw_two n ON n.a = t.a ORDER BY t.a;
-- what a table gets later is not part of a view
ALTER TABLE vw_t ADD COLUMN d int DEFAULT 7;
SELECT * FROM vw_all ORDER BY a LIMIT 1;
ALTER TABLE vw_t RENAME COLUMN b TO bb;
SELECT * FROM vw_sum ORDER BY b;
SELECT b FROM vw_all ORDER BY a;
ALTER TABLE vw_t RENAME TO vw_u;
SELECT a, b FROM vw_two ORDER BY a;
SELECT a, label FROM vw_two ORDER BY a;
ALTER TABLE vw_u RENAME TO vw_t;
ALTER TABLE vw_t RENAME COLUMN bb TO b;
-- dependencies
DROP TABLE vw_t;
ALTER TABLE vw_t DROP COLUMN c;
ALTER TABLE vw_t DROP COLUMN d;
ALTER TABLE vw_t ALTER COLUMN c TYPE bigint;
DROP VIEW vw_sum;
DROP VIEW vw_nosuch;
DROP VIEW IF EXISTS vw_nosuch;
DROP TABLE vw_all;
DROP VIEW vw_t;
-- OR REPLACE
CREATE VIEW vw_all AS SELECT 1;
CREATE OR REPLACE VIEW vw_all AS SELECT a, b FROM vw_t;
CREATE OR REPLACE VIEW vw_all AS SELECT a, b AS bx, c FROM vw_t;
CREATE OR REPLACE VIEW vw_all AS SELECT a, b, c::bigint FROM vw_t;
CREATE OR REPLACE VIEW vw_all AS SELECT a, b, c, a + c AS e FROM vw_t WHERE a > 1;
SELECT * FROM vw_all ORDER BY a;
CREATE OR REPLACE VIEW vw_t AS SELECT 1 AS x;
CREATE VIEW vw_bad (p, q) AS SELECT 1;
CREATE VIEW vw_bad AS SELECT 1 AS p, 2 AS p;
CREATE VIEW vw_bad AS SELECT nosuch FROM vw_t;
CREATE VIEW vw_bad AS SELECT a FROM vw_nosuch;
-- renames
ALTER VIEW vw_sum RENAME TO vw_totals;
SELECT b, total FROM vw_totals ORDER BY b;
SELECT label FROM vw_two ORDER BY a;
ALTER VIEW vw_totals RENAME COLUMN total TO whole;
SELECT whole FROM vw_totals ORDER BY whole;
SELECT label FROM vw_two ORDER BY a;
ALTER TABLE vw_totals RENAME TO vw_sum;
ALTER VIEW vw_nosuch RENAME TO vw_x;
ALTER VIEW IF EXISTS vw_nosuch RENAME TO vw_x;
-- catalogs
SELECT relname, relkind FROM pg_class WHERE relname LIKE 'vw%' AND relkind <> 'i' ORDER BY 1;
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'vw_sum'::regclass AND attnum > 0 ORDER BY attnum;
SELECT viewname, viewowner = current_user FROM pg_views WHERE viewname LIKE 'vw%' ORDER BY 1;
SELECT table_name, check_option FROM information_schema.views WHERE table_name LIKE 'vw%' ORDER BY 1;
SELECT table_name, table_type FROM information_schema.tables WHERE table_name LIKE 'vw%' ORDER BY 1;
SELECT 'vw_two'::regclass, pg_get_viewdef('vw_two'::regclass) IS NOT NULL, pg_get_viewdef('vw_t'::regclass);
-- transactions
BEGIN;
CREATE VIEW vw_tx AS SELECT a FROM vw_t;
SELECT count(*) FROM vw_tx;
DROP VIEW vw_two;
ROLLBACK;
SELECT count(*) FROM vw_tx;
SELECT count(*) FROM vw_two;
-- the search path of its making counts
CREATE SCHEMA vw_s;
CREATE TABLE vw_s.vw_t (a int, z text);
INSERT INTO vw_s.vw_t VALUES (42, 'other');
SET search_path = vw_s, public;
SELECT a FROM vw_all ORDER BY a;
CREATE VIEW vw_path AS SELECT * FROM vw_t;
SET search_path = public;
SELECT * FROM vw_s.vw_path;
SELECT vw_s.vw_path.z FROM vw_s.vw_path;
DROP SCHEMA vw_s CASCADE;
SELECT * FROM vw_s.vw_path;
-- changes through views that are not simple
INSERT INTO vw_sum VALUES ('a', 1, 1);
UPDATE vw_sum SET n = 1;
DELETE FROM vw_two;
-- cascade
DROP TABLE vw_t CASCADE;
SELECT * FROM vw_two;
SELECT count(*) FROM pg_views WHERE viewname LIKE 'vw%';
