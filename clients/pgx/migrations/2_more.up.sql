ALTER TABLE tool.ticket ADD COLUMN state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed'));
INSERT INTO tool.ticket (meta) VALUES ('{"first": true}');
