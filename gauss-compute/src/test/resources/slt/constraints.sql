DROP TABLE IF EXISTS con_items, con_pairs;
CREATE TABLE con_items (
  id int PRIMARY KEY,
  code text UNIQUE,
  amount bigint CONSTRAINT positive CHECK (amount >= 0),
  day date,
  price numeric(10,2) NOT NULL DEFAULT 1.5,
  raw bytea,
  ratio float8);
INSERT INTO con_items VALUES (1, 'a', 10);
INSERT INTO con_items VALUES (1, 'b', 10);
INSERT INTO con_items VALUES (2, 'a', 10);
INSERT INTO con_items VALUES (NULL, 'a', 10);
INSERT INTO con_items (code) VALUES ('z');
INSERT INTO con_items VALUES (3, 'äxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäxäx', -10, '2020-01-02', 1.25, '\x0102', 1.25);
INSERT INTO con_items VALUES (3, 'c', NULL, NULL, NULL, NULL, NULL);
INSERT INTO con_items VALUES (4, NULL, NULL), (5, NULL, 5);
INSERT INTO con_items VALUES (6, 'x', 1), (7, 'x', 1);
SELECT * FROM con_items ORDER BY id;
UPDATE con_items SET id = NULL WHERE id = 4;
UPDATE con_items SET id = 5 WHERE id = 4;
UPDATE con_items SET code = 'a' WHERE id = 4;
UPDATE con_items SET amount = -amount WHERE amount > 5;
UPDATE con_items SET amount = amount - 7;
UPDATE con_items SET id = id + 1;
UPDATE con_items SET id = id + 100, price = price * 2;
SELECT * FROM con_items ORDER BY id;
UPDATE con_items SET price = DEFAULT, code = DEFAULT WHERE id = 104 RETURNING id, code, price;
CREATE TABLE con_pairs (a int, b varchar(5), c numeric, UNIQUE (a, b), CHECK (a < c), CONSTRAINT far CHECK (c - a < 100));
INSERT INTO con_pairs VALUES (1, 'x y', 2), (1, 'x y', 3);
INSERT INTO con_pairs VALUES (1, 'x y', 2), (1, NULL, 3), (1, NULL, 3);
INSERT INTO con_pairs VALUES (5, 'u', 4);
INSERT INTO con_pairs VALUES (5, 'u', 104.999);
INSERT INTO con_pairs VALUES (5, 'u', 105);
INSERT INTO con_pairs VALUES (6, 'too long', 7);
INSERT INTO con_pairs VALUES (NULL, NULL, NULL);
UPDATE con_pairs SET b = 'x y' WHERE a = 5;
UPDATE con_pairs SET a = 1, b = 'x y' WHERE a = 5;
SELECT * FROM con_pairs;
CREATE UNIQUE INDEX con_dup ON con_pairs (a);
DELETE FROM con_pairs WHERE b IS NULL AND a IS NOT NULL;
CREATE UNIQUE INDEX con_dup ON con_pairs (a);
INSERT INTO con_pairs VALUES (1, 'new', 2);
DROP TABLE con_items, con_pairs;
