-- What the programs work on. The rows of a tenant are side by side, and fill pages of their own,
-- so that it is learned where a tenant's transactions belong; for the next program it still is.
DROP SCHEMA IF EXISTS tool, tool2 CASCADE;
CREATE SCHEMA tool; -- for what migration tools make
CREATE SCHEMA tool2;
DROP TABLE IF EXISTS job, done, child, parent, log CASCADE;
DROP SEQUENCE IF EXISTS item_seq;
SELECT to_regclass('item') IS NULL AS fresh \gset
\if :fresh
CREATE TABLE item (
  tenant int NOT NULL,
  id int NOT NULL,
  n bigint NOT NULL DEFAULT 0,
  name text NOT NULL,
  doc jsonb NOT NULL,
  note json,
  price numeric(12, 2) CHECK (price >= 0),
  changed timestamptz,
  PRIMARY KEY (tenant, id)
);
INSERT INTO item (tenant, id, name, doc, note, price)
  SELECT t, i, 'item ' || i,
    jsonb_build_object('n', 0, 'tags', jsonb_build_array('a', i), 'pad', repeat('x', 400)),
    '{"b": 1,  "a": 2}', i
  FROM generate_series(1, 12) t, generate_series(1, 1000) i;
ANALYZE item;
\endif
CREATE SEQUENCE item_seq;
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (
  id int PRIMARY KEY,
  parent int NOT NULL REFERENCES parent DEFERRABLE INITIALLY IMMEDIATE,
  place int UNIQUE DEFERRABLE
);
CREATE TABLE job (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant int NOT NULL,
  payload jsonb NOT NULL
);
CREATE TABLE done (job bigint PRIMARY KEY, instance int NOT NULL);
CREATE TABLE log (tenant int NOT NULL, id bigint NOT NULL, entry jsonb, PRIMARY KEY (tenant, id));
SELECT to_regrole('client_reader') IS NULL AS fresh \gset
\if :fresh
CREATE ROLE client_reader;
\endif
GRANT SELECT ON item TO client_reader;
