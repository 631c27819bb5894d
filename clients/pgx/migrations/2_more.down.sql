ALTER TABLE tool.ticket DROP COLUMN state;
