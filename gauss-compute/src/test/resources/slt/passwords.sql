-- Passwords are for superusers only.
DROP ROLE IF EXISTS slt_curious;
CREATE ROLE slt_curious;
SET ROLE slt_curious;
SELECT usename FROM pg_shadow;
SELECT rolname FROM pg_authid;
SELECT * FROM pg_user_mapping;
SELECT passwd FROM pg_user WHERE usename = 'gauss';
SELECT has_table_privilege('pg_authid', 'SELECT'), has_table_privilege('pg_shadow', 'SELECT'), has_table_privilege('pg_user', 'SELECT');
RESET ROLE;
SELECT usename, usesuper, passwd FROM pg_shadow WHERE usename = 'gauss';
ALTER ROLE slt_curious LOGIN PASSWORD 'guess';
SELECT usename, usesuper, substr(passwd, 1, 13) FROM pg_shadow WHERE usename = 'slt_curious';
DROP ROLE slt_curious;
