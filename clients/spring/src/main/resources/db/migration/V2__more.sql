ALTER TABLE tool.person ADD COLUMN score numeric(10, 2) NOT NULL DEFAULT 0;
ALTER TABLE tool.pet ADD CONSTRAINT pet_name CHECK (length(name) > 0);
COMMENT ON TABLE tool.person IS 'people';
CREATE VIEW tool.pets AS SELECT p.name, count(*) AS n FROM tool.person p JOIN tool.pet t ON t.person = p.id GROUP BY p.name;
