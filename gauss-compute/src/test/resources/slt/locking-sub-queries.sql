-- FOR UPDATE in sub-queries: what queues of jobs and batch-wise changes are made of
CREATE TABLE ls_job (id int PRIMARY KEY, state text NOT NULL, n int, due int);
CREATE TABLE ls_done (id int PRIMARY KEY, state text);
CREATE INDEX ls_job_due ON ls_job (due);
INSERT INTO ls_job SELECT i, 'new', i * 10, 20 - i FROM generate_series(1, 12) i;
-- in WHERE, as a value, a list, an array
UPDATE ls_job SET state = 'taken' WHERE id = (SELECT id FROM ls_job WHERE state = 'new' ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, state;
UPDATE ls_job SET state = 'taken' WHERE id IN (SELECT id FROM ls_job WHERE state = 'new' ORDER BY id LIMIT 2 FOR UPDATE) RETURNING id;
UPDATE ls_job SET state = 'taken' WHERE id = ANY (SELECT id FROM ls_job WHERE state = 'new' ORDER BY id LIMIT 1 FOR NO KEY UPDATE) RETURNING id;
DELETE FROM ls_job WHERE id = ANY (ARRAY (SELECT id FROM ls_job WHERE state = 'new' ORDER BY id DESC LIMIT 2 FOR UPDATE SKIP LOCKED)) RETURNING id;
DELETE FROM ls_job WHERE (id, state) IN (SELECT id, state FROM ls_job WHERE state = 'taken' ORDER BY id LIMIT 1 FOR UPDATE) RETURNING *;
UPDATE ls_job SET n = 0 WHERE id = (SELECT id FROM ls_job WHERE state = 'none' LIMIT 1 FOR UPDATE);
UPDATE ls_job SET n = 0 WHERE id = (SELECT id FROM ls_job FOR UPDATE);
DELETE FROM ls_job WHERE id NOT IN (SELECT id FROM ls_job FOR UPDATE);
SELECT count(*) FROM ls_job WHERE EXISTS (SELECT 1 FROM ls_job WHERE id = 5 FOR UPDATE);
SELECT (SELECT max(id) FROM ls_job) = (SELECT id FROM ls_job ORDER BY id DESC LIMIT 1 FOR UPDATE) AS r;
-- in FROM
SELECT s.id, j.state FROM (SELECT id FROM ls_job ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED) s JOIN ls_job j USING (id) ORDER BY id;
UPDATE ls_job j SET n = j.n + s.n FROM (SELECT id, n FROM ls_job ORDER BY id LIMIT 2 FOR UPDATE) s WHERE j.id = s.id RETURNING j.id, j.n;
DELETE FROM ls_job j USING (SELECT id FROM ls_job WHERE state = 'taken' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) s WHERE j.id = s.id RETURNING j.id;
SELECT count(*), sum(id) FROM (SELECT id FROM ls_job ORDER BY id OFFSET 1 LIMIT 3 FOR UPDATE) s (id);
SELECT * FROM (SELECT a.id, b.id FROM ls_job a JOIN ls_job b ON b.id = a.id + 1 FOR UPDATE OF a) s (x, y) ORDER BY x;
-- in WITH
WITH s AS (SELECT id FROM ls_job WHERE state = 'new' ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED) UPDATE ls_job j SET state = 'taken' FROM s WHERE s.id = j.id RETURNING j.id, j.state;
WITH s AS MATERIALIZED (SELECT id FROM ls_job ORDER BY id LIMIT 1 FOR UPDATE), d AS (DELETE FROM ls_job WHERE id IN (SELECT id FROM s) RETURNING id, state) INSERT INTO ls_done SELECT * FROM d RETURNING *;
WITH s AS NOT MATERIALIZED (SELECT id FROM ls_job FOR UPDATE) SELECT a.id FROM s a JOIN s b ON b.id = a.id ORDER BY 1;
WITH s AS (SELECT id FROM ls_job FOR UPDATE) SELECT 'not read' AS r;
WITH s AS (SELECT 5 AS id) SELECT id, state FROM ls_job WHERE id IN (SELECT id FROM s) FOR UPDATE;
WITH s AS (SELECT 5 AS id) SELECT id, state FROM ls_job WHERE id > (SELECT id FROM s) ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED;
INSERT INTO ls_done SELECT id, state FROM ls_job ORDER BY id LIMIT 1 FOR UPDATE;
INSERT INTO ls_done WITH s AS (SELECT id, state FROM ls_job ORDER BY id DESC LIMIT 1 FOR UPDATE) SELECT * FROM s;
SELECT * FROM ls_done ORDER BY id;
-- parameters
PREPARE ls_take (int) AS UPDATE ls_job SET state = 'again' WHERE id IN (SELECT id FROM ls_job WHERE state = 'new' ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING id;
EXECUTE ls_take (1);
EXECUTE ls_take (2);
EXECUTE ls_take (0);
DEALLOCATE ls_take;
-- what has been changed in the same transaction
BEGIN;
UPDATE ls_job SET state = 'mine' WHERE id = 8;
SELECT * FROM (SELECT id, state FROM ls_job WHERE state = 'mine' FOR UPDATE) s;
UPDATE ls_job SET n = 1 WHERE id = (SELECT id FROM ls_job WHERE state = 'mine' FOR UPDATE NOWAIT) RETURNING id, n, state;
ROLLBACK;
-- what PostgreSQL refuses
SELECT * FROM (SELECT DISTINCT state FROM ls_job FOR UPDATE) s;
SELECT * FROM ls_job WHERE id IN (SELECT max(id) FROM ls_job FOR UPDATE);
SELECT * FROM (SELECT state, count(*) FROM ls_job GROUP BY state FOR UPDATE) s;
SELECT * FROM (SELECT id FROM ls_job UNION SELECT 1 FOR UPDATE) s;
SELECT * FROM (SELECT id FROM ls_job FOR UPDATE OF other) s;
SELECT * FROM (SELECT id FROM ls_job FOR UPDATE);
BEGIN READ ONLY;
SELECT * FROM (SELECT id FROM ls_job FOR SHARE) s;
ROLLBACK;
BEGIN READ ONLY;
SELECT 1 WHERE 1 IN (SELECT id FROM ls_job FOR UPDATE);
ROLLBACK;
SELECT id, state, n FROM ls_job ORDER BY id;
DROP TABLE ls_job, ls_done;
