-- Functions on numbers.
SELECT d, sind(d), cosd(d), tand(d) FROM (VALUES (0::float8), (30), (45), (60), (135), (180), (210), (-30), (-135), (360), (405)) v(d) ORDER BY 1;
SELECT d, cotd(d) FROM (VALUES (30::float8), (45), (90), (135), (-45)) v(d) ORDER BY 1;
SELECT x, asind(x), acosd(x), atand(x) FROM (VALUES (-1::float8), (-0.5), (0), (0.5), (1)) v(x) ORDER BY 1;
SELECT atan2d(1, 1), atan2d(1, -1), atan2d(-1, 0), atan2d(0, 1);
SELECT asind(2);
SELECT round(asinh(1)::numeric, 12), asinh(0), asinh('-infinity'), round(acosh(2)::numeric, 12), acosh(1), round(atanh(0.5)::numeric, 12), atanh(1), atanh(-1), asinh('nan');
SELECT acosh(0.5);
SELECT atanh(1.5);
SELECT width_bucket(5.35::float8, 0.024::float8, 10.06::float8, 5), width_bucket(-1::float8, 0::float8, 10::float8, 5), width_bucket(10::float8, 0::float8, 10::float8, 5), width_bucket(1::float8, 10::float8, 0::float8, 5);
SELECT width_bucket(1::float8, 2::float8, 2::float8, 5);
SELECT width_bucket(1::float8, 'nan'::float8, 2::float8, 5);
SELECT width_bucket(1::float8, 0::float8, 2::float8, 0);
SELECT width_bucket(5, ARRAY[1, 3, 4, 10]), width_bucket(0, ARRAY[1]), width_bucket('b'::text, ARRAY['a', 'c']), width_bucket(now(), ARRAY['yesterday', 'today', 'tomorrow']::timestamptz[]);
SELECT num_nulls(1, NULL, 'x'), num_nonnulls(1, NULL, 'x'), num_nulls(NULL::int);
-- Bytes.
SELECT get_bit('\x01ff'::bytea, 0), get_bit('\x01ff'::bytea, 1), get_bit('\x01ff'::bytea, 15), set_bit('\x0000'::bytea, 9, 1), set_bit('\xff'::bytea, 7, 0), bit_count('\x01ff'::bytea), overlay('\x0102030405'::bytea PLACING '\xffff'::bytea FROM 2), overlay('\x0102030405'::bytea PLACING '\xff'::bytea FROM 2 FOR 3), overlay('\x01'::bytea PLACING '\xff'::bytea FROM 9);
SELECT get_bit('\x01'::bytea, 8);
SELECT set_bit('\x01'::bytea, 0, 2);
SELECT overlay('\x01'::bytea PLACING '\xff'::bytea FROM 0);
-- Text.
SELECT unistr('d\0061t\+000061'), unistr('d\u0061t\U00000061'), unistr('\D83D\DE00'), unistr('a\\b');
SELECT unistr('wrong: \db99');
SELECT unistr('wrong: \db99\0061');
SELECT unistr('wrong: \061');
SELECT unistr('\UFFFFFFFF');
-- Times.
SELECT date_bin('15 minutes', timestamp '2020-02-11 15:44:17', timestamp '2001-01-01'), date_bin('1 day', timestamp '1999-12-31 23:00', timestamp '2000-01-01 12:00'), date_bin('2 hours', timestamptz '2020-02-11 15:44:17+00', timestamptz '2001-01-01 00:30+00') AT TIME ZONE 'UTC', date_bin('5 min', 'infinity'::timestamp, timestamp '2001-01-01');
SELECT date_bin('1 month', timestamp '2020-02-11', timestamp '2001-01-01');
SELECT date_bin('0 days', timestamp '2020-02-11', timestamp '2001-01-01');
SELECT date_bin('1 day', timestamp '2020-02-11', 'infinity'::timestamp);
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, '+2') AT TIME ZONE 'UTC', make_timestamptz(1973, 7, 15, 8, 15, 55.33, '-02:30') AT TIME ZONE 'UTC', make_timestamptz(2010, 2, 2, 3, 4, 5, '+100') AT TIME ZONE 'UTC', make_timestamptz(2010, 2, 2, 3, 4, 5, '+10:00:1') AT TIME ZONE 'UTC', make_timestamptz(2010, 2, 2, 3, 4, 5, 'Europe/Berlin') AT TIME ZONE 'UTC';
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, '2');
SELECT make_timestamptz(2014, 12, 10, 10, 10, 10, '+16');
SELECT '2000-03-15 08:14:01 GMT+8'::timestamptz AT TIME ZONE 'UTC', 'Wed Jul 11 10:51:14 GMT-4 2001'::timestamptz AT TIME ZONE 'UTC', 'Wed Jul 11 10:51:14 PST+03:00 2001'::timestamptz AT TIME ZONE 'UTC';
-- A fixed zone in POSIX's way lies west of Greenwich; drivers send these.
SET TimeZone = 'GMT+2';
SELECT timestamptz '2024-01-01 00:00:00+00', to_char(timestamptz '2024-01-01 00:00:00+00', 'OF TZH:TZM');
SET TimeZone = '-13:00';
SELECT timestamptz '2024-01-01 00:00:00+00';
SET TimeZone = '-7.5';
SELECT timestamptz '2024-01-01 00:00:00+00';
RESET TimeZone;
-- Aggregates of pairs.
CREATE TABLE pair (g int, x float8, y float8);
INSERT INTO pair VALUES (1, 1, 2), (1, 2, 4.5), (1, 3, 5.5), (1, NULL, 9), (1, 9, NULL), (2, 4, 4), (3, NULL, NULL), (4, 2, 7), (4, 2, 8), (5, 1, 3), (5, 4, 3);
SELECT g, regr_count(y, x), regr_avgx(y, x), regr_avgy(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x) FROM pair GROUP BY g ORDER BY g;
SELECT g, covar_pop(y, x), covar_samp(y, x), round(corr(y, x)::numeric, 12), regr_slope(y, x), round(regr_intercept(y, x)::numeric, 12), round(regr_r2(y, x)::numeric, 12) FROM pair GROUP BY g ORDER BY g;
SELECT regr_count(y, x), corr(y, x) FROM pair WHERE false;
SELECT g, x, regr_count(y, x) OVER (PARTITION BY g ORDER BY x) FROM pair ORDER BY g, x, y;
DROP TABLE pair;
-- Digits that to_char keeps.
SELECT to_char(v, 'FM9999999999999999.099999999999999'), to_char(v, 'FM9999999999990999.990999999999999'), to_char(v, 'FM0999999999999999.999909999999999'), to_char(v, 'FM999.9'), to_char(v, 'FM0999.09') FROM (VALUES (0::numeric), (-83028485), (4.31), (-34338492.215397047), (0.5)) n(v) ORDER BY v;
SELECT to_char(4.2e9::float4, 'MI9999999999.99'), to_char(4.2e9::float4, 'MI99.99'), to_char('-inf'::float4, 'MI99.99'), to_char(4.2e9::float8, 'MI9999999999.99'), to_char(1e20::float8, '999999999999999999999D9'), to_char(123.456::float4, '999.999999'), to_char(0.123456789::float4, '0.999999999');
SELECT to_char(100, 'f"\ool"999'), to_char(100, 'f"\\ool"999'), to_char(100, 'f"ool\\"999'), to_char(100, 'f\"ool999');
SELECT (-1.0) ^ 2147483646, (-1.0) ^ 2147483647, 1.0000000001 ^ 2147483647, 10.0 ^ -2147483647;
