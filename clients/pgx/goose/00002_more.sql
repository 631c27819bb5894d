-- +goose Up
ALTER TABLE tool2.note ADD COLUMN labels text[] DEFAULT '{}';
INSERT INTO tool2.note (body) VALUES ('{"a": 1}');
-- +goose Down
ALTER TABLE tool2.note DROP COLUMN labels;
