-- +goose Up
CREATE TABLE tool2.note (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), body json, at timestamptz DEFAULT now());
-- +goose Down
DROP TABLE tool2.note;
