CREATE OR REPLACE VIEW tool.people AS SELECT id, name, address ->> 'city' AS city FROM tool.person;
