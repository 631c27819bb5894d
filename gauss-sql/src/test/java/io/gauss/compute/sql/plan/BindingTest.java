package io.gauss.compute.sql.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.compute.type.PgType;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Names, types and errors of statements, as PostgreSQL 15 gave them for the same tables. */
class BindingTest {
  private final FixtureCatalog catalog = Fixtures.small();

  private String columns(String sql, int... oids) {
    return Fixtures.plan(catalog, sql, oids).columns().stream()
        .map(c -> c.name() + " " + c.type().format())
        .collect(Collectors.joining(", "));
  }

  private String parameters(String sql, int... oids) {
    return Arrays.stream(Fixtures.plan(catalog, sql, oids).parameterTypes())
        .map(PgType::format)
        .collect(Collectors.joining(", "));
  }

  private void error(String sql, String state, String message, int position) {
    GaussException e = assertThrows(GaussException.class, () -> Fixtures.plan(catalog, sql), sql);
    assertEquals(
        state + " " + message + " " + position,
        e.state().code() + " " + e.getMessage() + " " + e.position(),
        sql);
  }

  @Test
  void resultColumnsAreNamedAfterWhatTheyAre() {
    assertEquals(
        "a integer, ?column? integer, count bigint, case text, coalesce integer, int4 integer",
        columns(
            "select a, a + 1, (select count(*) from u), case when a > 1 then 'x' else 'y' end, "
                + "coalesce(a, 0), '1'::int4 from t"));
  }

  @Test
  void castsKeepTheNameOfAColumnBelow() {
    assertEquals(
        "a bigint, upper character varying", columns("select a::bigint, upper(b)::varchar from t"));
  }

  @Test
  void starExpandsUsingColumnsFirst() {
    assertEquals(
        "id bigint, t_id integer, v character varying(20), w integer, x integer, y text",
        columns("select u.*, bare.* from u join bare on u.t_id = bare.x"));
    assertEquals(
        "w integer, a integer",
        columns("select * from (select w from u) p left join (select a from t) q on p.w = q.a"));
  }

  @Test
  void parametersTakeTheTypeOfTheirPlace() {
    assertEquals("integer", parameters("select * from t where id = $1"));
    assertEquals("text", parameters("select * from u where v = $1"));
    assertEquals("bpchar", parameters("select * from sbtest1 where c = $1"));
    assertEquals("bigint, bigint", parameters("select * from t limit $1 offset $2"));
    assertEquals("integer, text", parameters("insert into bare values ($1, $2)"));
    assertEquals("numeric", parameters("update t set n = $1 where id = 1"));
    assertEquals("bigint", parameters("select * from t where id = $1", 20));
    assertEquals("text", parameters("select $1"));
    assertEquals(
        "date, timestamp without time zone",
        parameters("select * from t where d < $1 and ts > $2"));
  }

  @Test
  void operandsAreBroughtToACommonType() {
    assertEquals("?column? numeric", columns("select n + a from t"));
    assertEquals("?column? double precision", columns("select n * f from t"));
    assertEquals("n numeric", columns("select case when true then a else n end from t"));
    assertEquals("id bigint", columns("select id from t union select id from u"));
  }

  @Test
  void aggregatesWidenTheirArguments() {
    assertEquals(
        "sum bigint, sum numeric, avg numeric, sum double precision, min text, count bigint",
        columns("select sum(a), sum(big), avg(a), sum(f), min(b), count(*) from t"));
  }

  @Test
  void unknownNamesAreReportedWhereTheyStand() {
    error("select foo from t", "42703", "column \"foo\" does not exist", 8);
    error("select t.foo from t", "42703", "column t.foo does not exist", 8);
    error("select x.a from t", "42P01", "missing FROM-clause entry for table \"x\"", 8);
    error("select * from nosuch", "42P01", "relation \"nosuch\" does not exist", 15);
    error("select nosuch(1)", "42883", "function nosuch(integer) does not exist", 8);
    error("select id from t, u", "42702", "column reference \"id\" is ambiguous", 8);
    error(
        "insert into t (foo) values (1)",
        "42703",
        "column \"foo\" of relation \"t\" does not exist",
        16);
  }

  @Test
  void typesThatDoNotFitAreRefused() {
    error("select 1 + 'a'", "22P02", "invalid input syntax for type integer: \"a\"", 12);
    error(
        "select * from t where b",
        "42804",
        "argument of WHERE must be type boolean, not type text",
        23);
    error(
        "select case when true then 1 else flag end from t",
        "42804",
        "CASE types boolean and integer cannot be matched",
        8);
    error("select $1 + $2", "42725", "operator is not unique: unknown + unknown", 8);
    error(
        "insert into t (id, a) values (1, true)",
        "42804",
        "column \"a\" is of type integer but expression is of type boolean",
        34);
  }

  @Test
  void groupingRulesAreEnforced() {
    error(
        "select a, b from t group by a",
        "42803",
        "column \"t.b\" must appear in the GROUP BY clause or be used in an aggregate function",
        11);
    error(
        "select 1 from t where sum(a) > 1",
        "42803",
        "aggregate functions are not allowed in WHERE",
        23);
    error("select sum(sum(a)) from t", "42803", "aggregate function calls cannot be nested", 12);
    assertEquals(
        "id integer, b text, count bigint", columns("select id, b, count(*) from t group by id"));
  }

  @Test
  void orderByFindsOutputColumnsFirst() {
    error("select a from t order by 2", "42P10", "ORDER BY position 2 is not in select list", 26);
    error("select 1 as x, 2 as x order by x", "42702", "ORDER BY \"x\" is ambiguous", 32);
    error(
        "select distinct a from t order by b",
        "42P10",
        "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
        35);
  }

  @Test
  void identityColumnsGuardTheirValues() {
    error(
        "insert into ident (id, name) values (1, 'x')",
        "428C9",
        "cannot insert a non-DEFAULT value into column \"id\"",
        0);
    assertEquals("id bigint", columns("insert into ident (name) values ('x') returning id"));
  }

  @Test
  void aChangeInWithIsReadByItsReturningColumns() {
    assertEquals(
        "n bigint",
        columns("with x (n) as (insert into ident (name) values ('x') returning id) table x"));
    error(
        "with x as (insert into ident (name) values ('x')) select * from x",
        "0A000",
        "WITH query \"x\" does not have a RETURNING clause",
        65);
  }
}
