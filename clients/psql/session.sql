\set ON_ERROR_ROLLBACK on
\set FETCH_COUNT 3
SELECT id, doc -> 'tags' AS tags FROM item WHERE tenant = 3 AND id <= 8 ORDER BY id;
\unset FETCH_COUNT
BEGIN;
SELECT name FROM item WHERE tenant = 4 AND id = 7;
SELECT 1 / 0;
SELECT 'goes on';
COMMIT;
\x
SELECT doc -> 'tags' AS tags, note FROM item WHERE tenant = 5 AND id = 9;
\x
SELECT id, name, price FROM item WHERE tenant = 6 AND id < 4 ORDER BY id \crosstabview
SELECT 'SELECT ' || i FROM generate_series(1, 3) i \gexec
SELECT id AS found FROM item WHERE tenant = 2 AND id = 5 \gset
\echo :found
SELECT doc FROM item WHERE tenant = $1 AND id = $2 \gdesc
\if yes
\echo yes
\endif
\copy (SELECT id, note FROM item WHERE tenant = 7 AND id < 4 ORDER BY id) TO STDOUT CSV
\errverbose
SELECT nothing FROM item;
\errverbose
