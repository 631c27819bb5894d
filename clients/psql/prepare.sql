CREATE TABLE tool.shown (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name varchar(40) NOT NULL DEFAULT 'x',
  doc jsonb CHECK (id > 0),
  raw json[],
  part int REFERENCES parent DEFERRABLE INITIALLY DEFERRED,
  twice numeric(10, 2) GENERATED ALWAYS AS (id * 2) STORED,
  UNIQUE (name, part) DEFERRABLE
);
COMMENT ON TABLE tool.shown IS 'what psql shows';
COMMENT ON COLUMN tool.shown.doc IS 'an object';
CREATE INDEX shown_part ON tool.shown (part DESC NULLS LAST) WHERE part > 0;
CREATE VIEW tool.seen AS SELECT id, doc -> 'a' AS a FROM tool.shown;
CREATE SEQUENCE tool.numbers START 5 INCREMENT 2 OWNED BY tool.shown.id;
GRANT SELECT, INSERT ON tool.shown TO client_reader WITH GRANT OPTION;
INSERT INTO tool.shown (name, doc, raw) VALUES ('one', '{"a": [1, {"b": null}]}', ARRAY['{"x": 1}'::json]), ('two', NULL, NULL);
