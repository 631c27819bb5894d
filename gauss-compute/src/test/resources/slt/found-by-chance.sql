-- What random statements have found: each of these failed once.
CREATE TABLE fc_a (id int PRIMARY KEY, c char(3), v varchar(5), n int);
CREATE TABLE fc_b (id int PRIMARY KEY, c char(5), n int);
INSERT INTO fc_a VALUES (1, 'a', 'x', 1), (2, 'b', 'y', NULL), (3, NULL, NULL, 3);
INSERT INTO fc_b VALUES (1, 'a', 1), (5, 'b', 5);
-- FULL JOIN of tables so small that going through one for each row of the other seems cheap.
SELECT a.id, b.id FROM fc_a a FULL JOIN fc_b b ON a.n = b.n ORDER BY 1, 2;
SELECT a.id, b.id FROM fc_a a FULL JOIN fc_b b ON a.id = b.id WHERE b.id IS NULL OR a.id IS NULL ORDER BY 1, 2;
-- char(n) stays char(n) when its condition moves below a join.
SELECT a.id, b.id FROM fc_a a LEFT JOIN fc_b b ON a.id = b.id WHERE b.c = 'a    ' ORDER BY 1;
SELECT a.id FROM fc_b b RIGHT JOIN fc_a a ON b.n = a.n WHERE a.c > b.c OR a.c = 'b ' ORDER BY 1;
SELECT a.v FROM fc_b b RIGHT JOIN (SELECT DISTINCT v, c FROM fc_a) a ON b.c = a.c WHERE a.v IS NOT NULL AND a.c = b.c ORDER BY 1;
-- A primary key is never NULL.
SELECT * FROM fc_a WHERE id IS NULL;
SELECT count(*) FROM fc_a a JOIN fc_b b ON b.id IS NULL;
-- AND within a function of booleans.
SELECT id FROM fc_a WHERE least((n BETWEEN 0 AND 3) AND 0 < n, c IS NOT DISTINCT FROM c) ORDER BY 1;
SELECT id FROM fc_a WHERE coalesce(n IN (1, 2) OR n = 7 OR n IN (8, 9), v NOT BETWEEN 'a' AND 'b' OR false) ORDER BY 1;
DROP TABLE fc_a, fc_b;
-- The owner of a sequence is a column.
CREATE SEQUENCE fc_s;
ALTER SEQUENCE fc_s OWNED BY fc_p;
DROP SEQUENCE fc_s;
