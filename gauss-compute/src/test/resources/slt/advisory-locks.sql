-- what they return
SELECT pg_advisory_lock(1);
SELECT pg_advisory_lock(NULL), pg_try_advisory_lock(NULL, 1), pg_advisory_unlock(NULL);
SELECT pg_try_advisory_lock('2'), pg_try_advisory_lock(2::smallint), pg_try_advisory_lock(2, 2::smallint);
SELECT pg_advisory_lock('x');
SELECT pg_advisory_lock(1.5);
SELECT pg_advisory_lock(1, 2, 3);
SELECT pg_advisory_lock(1, 3000000000);
SELECT pg_advisory_lock();
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
SELECT pg_advisory_unlock_all();
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
-- counts
SELECT pg_advisory_lock(1), pg_advisory_lock(1), pg_advisory_lock_shared(1), pg_advisory_xact_lock(1);
SELECT pg_advisory_unlock(1), pg_advisory_unlock(1), pg_advisory_unlock(1), pg_advisory_unlock_shared(1), pg_advisory_unlock_shared(1);
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
-- keys
SELECT pg_advisory_lock_shared(-9223372036854775808), pg_advisory_lock(9223372036854775807), pg_advisory_lock(-2147483648, 2147483647), pg_advisory_lock_shared(4294967296), pg_advisory_lock(0);
SELECT database = (SELECT oid FROM pg_database WHERE datname = current_database()) AS here, relation, page, tuple, virtualxid, transactionid, classid, objid, objsubid, pid = pg_backend_pid() AS own, mode, granted, fastpath, waitstart FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY classid, objid;
SELECT pg_advisory_unlock_all();
-- once for each row that is returned
CREATE TABLE al_t (id int PRIMARY KEY, v int);
INSERT INTO al_t SELECT g, g % 3 FROM generate_series(1, 100) AS g;
SELECT id FROM al_t WHERE pg_try_advisory_lock(id) ORDER BY id LIMIT 2;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
SELECT id, pg_advisory_lock(id) FROM al_t WHERE id > 90 ORDER BY id LIMIT 3;
SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY objid;
SELECT pg_advisory_unlock_all();
WITH jobs AS MATERIALIZED (SELECT id FROM al_t ORDER BY v DESC, id) SELECT id FROM jobs WHERE pg_try_advisory_lock(id) LIMIT 2;
SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY objid;
SELECT pg_advisory_unlock_all();
SELECT id, pg_advisory_lock(id) FROM al_t ORDER BY v, id LIMIT 2;
SELECT id, pg_advisory_lock(g) FROM al_t JOIN generate_series(70, 80) AS g ON id = g ORDER BY id DESC LIMIT 2;
SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY objid;
SELECT pg_advisory_unlock_all();
SELECT count(*) FROM (SELECT id, pg_advisory_lock(id) FROM al_t WHERE id < 4) AS s;
SELECT s.id FROM (SELECT id, pg_advisory_lock(id + 1000) AS l FROM al_t WHERE id < 4) AS s ORDER BY id;
SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY objid;
SELECT pg_advisory_unlock_all();
SELECT pg_try_advisory_lock(7) FROM generate_series(1, 3);
SELECT pg_advisory_unlock(7) FROM generate_series(1, 4);
SELECT sum(CASE WHEN pg_try_advisory_lock(v) THEN 1 ELSE 0 END) FROM al_t;
SELECT objid, mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY objid;
SELECT pg_advisory_unlock_all();
UPDATE al_t SET v = 9 WHERE pg_try_advisory_lock(id) AND id < 3;
INSERT INTO al_t SELECT 200, 1 WHERE pg_try_advisory_xact_lock(200);
SELECT objid, mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY objid;
SELECT pg_advisory_unlock_all();
-- transactions
BEGIN;
SELECT pg_advisory_xact_lock(1), pg_advisory_xact_lock_shared(1, 1), pg_try_advisory_xact_lock(2), pg_try_advisory_xact_lock_shared(2, 2), pg_advisory_lock(3);
SAVEPOINT a;
SELECT pg_advisory_xact_lock(4), pg_advisory_xact_lock(1);
SELECT classid, objid, objsubid, mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY 1, 2, 3;
ROLLBACK TO a;
SELECT classid, objid, objsubid, mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY 1, 2, 3;
SELECT 1 / 0;
ROLLBACK;
SELECT classid, objid, objsubid, mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY 1, 2, 3;
BEGIN READ ONLY;
SELECT pg_advisory_xact_lock(5), pg_advisory_unlock(3);
COMMIT;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
-- a statement that fails keeps the locks of the session
SELECT pg_advisory_lock(1), pg_advisory_xact_lock(2), 1 / (SELECT count(*) FROM al_t WHERE id = -1);
SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
DISCARD ALL;
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
-- keys made of names
SELECT n, hashtext(t), hashtextextended(t, 0), hashtextextended(t, 42), hashtextextended(t, -4611686018427387905) FROM (SELECT n, left('Grüße an jene, die ein Schloss haben: 0123456789', n) AS t FROM generate_series(0, 40) AS n) AS s ORDER BY n;
SELECT pg_try_advisory_xact_lock(hashtext('migrations')), pg_try_advisory_xact_lock(hashtext('a'), hashtext('b')), pg_try_advisory_xact_lock(hashtextextended('migrations', 7));
SELECT proname, pg_get_function_arguments(oid), provolatile, proisstrict, proparallel FROM pg_proc WHERE proname LIKE '%advisory%' ORDER BY oid;
DROP TABLE al_t;
SELECT pg_advisory_lock(77)::text = '', pg_advisory_unlock(77);
