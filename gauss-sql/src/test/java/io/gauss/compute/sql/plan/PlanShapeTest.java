package io.gauss.compute.sql.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.plan.cost.TableEstimates;
import io.gauss.compute.txn.TableLockMode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which plan a statement gets: all that benchmarks do by key must be done by key. */
class PlanShapeTest {
  private final FixtureCatalog tpcc = Fixtures.tpcc();
  private final FixtureCatalog small = Fixtures.small();

  private void expect(FixtureCatalog catalog, String sql, String expected) {
    assertEquals(expected.strip(), Fixtures.explain(catalog, sql), sql);
  }

  @Test
  void readByPrimaryKeyIsOnePointRead() {
    expect(
        tpcc,
        "SELECT C_DISCOUNT FROM customer WHERE C_W_ID = $1 AND C_D_ID = $2 AND C_ID = $3",
        """
        Index Scan using customer_pkey on customer
          Index Cond: ((c_w_id = $1) AND (c_d_id = $2) AND (c_id = $3))
        """);
  }

  @Test
  void forUpdateLocksWhatThePointReadFound() {
    expect(
        tpcc,
        "SELECT D_NEXT_O_ID FROM district WHERE D_W_ID = $1 AND D_ID = $2 FOR UPDATE",
        """
        LockRows
          ->  Index Scan using district_pkey on district
                Index Cond: ((d_w_id = $1) AND (d_id = $2))
        """);
  }

  @Test
  void updateByPrimaryKeyNeedsNoScan() {
    expect(
        tpcc,
        "UPDATE stock SET S_QUANTITY = $1, S_YTD = S_YTD + $2 WHERE S_I_ID = $3 AND S_W_ID = $4",
        """
        Update on stock using stock_pkey
          Index Cond: ((s_w_id = $4) AND (s_i_id = $3))
        """);
  }

  @Test
  void oldestNewOrderComesFirstFromItsIndex() {
    expect(
        tpcc,
        "SELECT NO_O_ID FROM new_order WHERE NO_D_ID = $1 AND NO_W_ID = $2 ORDER BY NO_O_ID LIMIT"
            + " 1",
        """
        Limit
          ->  Index Scan using new_order_pkey on new_order
                Index Cond: ((no_w_id = $2) AND (no_d_id = $1))
        """);
  }

  @Test
  void newestOrderOfACustomerIsReadBackwards() {
    expect(
        tpcc,
        "SELECT O_ID FROM oorder WHERE O_W_ID = $1 AND O_D_ID = $2 AND O_C_ID = $3 "
            + "ORDER BY O_ID DESC LIMIT 1",
        """
        Limit
          ->  Index Scan Backward using idx_order on oorder
                Index Cond: ((o_w_id = $1) AND (o_d_id = $2) AND (o_c_id = $3))
        """);
  }

  @Test
  void customersByLastNameComeSortedFromTheNameIndex() {
    expect(
        tpcc,
        "SELECT C_ID FROM customer WHERE C_W_ID = $1 AND C_D_ID = $2 AND C_LAST = $3 ORDER BY"
            + " C_FIRST",
        """
        Index Scan using idx_customer_name on customer
          Index Cond: ((c_w_id = $1) AND (c_d_id = $2) AND ((c_last)::text = $3))
        """);
  }

  @Test
  void stockLevelLooksUpStockForEachOrderLine() {
    expect(
        tpcc,
        "SELECT COUNT(DISTINCT (S_I_ID)) FROM order_line, stock WHERE OL_W_ID = $1 AND OL_D_ID = $2"
            + " AND OL_O_ID < $3 AND OL_O_ID >= $4 AND S_W_ID = $5 AND S_I_ID = OL_I_ID AND"
            + " S_QUANTITY < $6",
        """
        Aggregate
          ->  Nested Loop
                ->  Index Scan using order_line_pkey on order_line
                      Index Cond: ((ol_w_id = $1) AND (ol_d_id = $2) AND (ol_o_id >= $4) AND (ol_o_id < $3))
                ->  Index Scan using stock_pkey on stock
                      Index Cond: ((s_w_id = $5) AND (s_i_id = $7))
                      Filter: (s_quantity < $6)
        """);
  }

  @Test
  void sysbenchRangesAreKeyRanges() {
    expect(
        small,
        "SELECT c FROM sbtest1 WHERE id BETWEEN $1 AND $2 ORDER BY c",
        """
        Sort
          Sort Key: column 1
          ->  Index Scan using sbtest1_pkey on sbtest1
                Index Cond: ((id >= $1) AND (id <= $2))
        """);
  }

  @Test
  void inListIsSeveralKeyRanges() {
    expect(
        small,
        "select * from t where id in (1, 2, 3)",
        """
        Index Scan using t_pkey on t
          Index Cond: (id = ANY (1, 2, 3))
        """);
  }

  @Test
  void minAndMaxReadOneEndOfTheIndex() {
    expect(
        small,
        "select max(id) from t",
        """
        Aggregate
          ->  Limit
                ->  Index Scan Backward using t_pkey on t
        """);
    expect(
        small,
        "select min(a) from t",
        """
        Aggregate
          ->  Limit
                ->  Index Scan using t_a on t
        """);
  }

  @Test
  void maxOfANullableColumnDoesNotStartAtTheNulls() {
    expect(
        small,
        "select max(a) from t",
        """
        Aggregate
          ->  Seq Scan on t
        """);
  }

  @Test
  void anIntegerBeyondTheKeysTypeIsCheckedAgain() {
    expect(
        small,
        "select b from t where id = 5000000000",
        """
        Index Scan using t_pkey on t
          Index Cond: (id = 5000000000)
          Filter: (id = 5000000000)
        """);
  }

  @Test
  void outerJoinThatAConditionMakesInnerIsReordered() {
    expect(
        small,
        "select * from t left join u on u.t_id = t.id where u.id = 5",
        """
        Nested Loop
          ->  Index Scan using u_pkey on u
                Index Cond: (id = 5)
          ->  Index Scan using t_pkey on t
                Index Cond: ($1 = id)
        """);
  }

  @Test
  void existsBecomesASemiJoinByIndex() {
    expect(
        small,
        "select * from t where a = 3 and id < 10 and exists (select 1 from u where u.t_id = t.id)",
        """
        Nested Loop Semi Join
          ->  Index Scan using t_a on t
                Index Cond: (a = 3)
                Filter: (id < 10)
          ->  Index Scan using u_t on u
                Index Cond: (t_id = $1)
        """);
  }

  @Test
  void notInTakesAHashTableThatKnowsNulls() {
    expect(
        small,
        "select * from t where id not in (select t_id from u)",
        """
        Hash Anti Join
          ->  Seq Scan on t
          ->  Seq Scan on u
        """);
  }

  @Test
  void uncorrelatedSubQueryIsComputedOnce() {
    expect(
        small,
        "select b from t where id = (select max(id) from u)",
        """
        Index Scan using t_pkey on t
          Index Cond: ((id)::bigint = $1)
          InitPlan (returns $1)
          ->  Aggregate
                ->  Limit
                      ->  Index Scan Backward using u_pkey on u
        """
            .replace(
                "Index Scan using t_pkey on t\n  Index Cond: ((id)::bigint = $1)",
                "Index Scan using t_pkey on t\n  Index Cond: (id = $1)\n  Filter: (id = $1)"));
  }

  @Test
  void conditionsGoBelowGroupsTheyAreAbout() {
    expect(
        small,
        "select * from (select a, count(*) c from t group by a) x where x.a = 5",
        """
        GroupAggregate
          Group Key: column 1
          ->  Index Scan using t_a on t
                Index Cond: (a = 5)
        """);
  }

  @Test
  void likeWithAPrefixIsAKeyRange() {
    expect(
        small,
        "select b from t where b like 'abc%'",
        """
        Index Scan using t_b on t
          Index Cond: (b ~~ 'abc%'::text)
          Filter: (b ~~ 'abc%'::text)
        """);
  }

  @Test
  void eventLoopsRunWhatIsShortAndNothingElse() {
    assertTrue(Fixtures.plan(small, "select c from sbtest1 where id = $1").mayRunOnEventLoop());
    assertTrue(
        Fixtures.plan(small, "update sbtest1 set k = k + 1 where id = $1").mayRunOnEventLoop());
    assertTrue(Fixtures.plan(small, "insert into bare values (1, 'x')").mayRunOnEventLoop());
    assertTrue(Fixtures.plan(small, "select max(id) from t").mayRunOnEventLoop());
    assertFalse(Fixtures.plan(small, "select * from sbtest1").mayRunOnEventLoop());
    assertFalse(Fixtures.plan(small, "select count(*) from t, u").mayRunOnEventLoop());
    assertFalse(
        Fixtures.plan(small, "select b from t where a = (select max(a) from t)")
            .mayRunOnEventLoop());
  }

  @Test
  void tablesThatForeignKeysLeadToAreLockedToo() {
    PreparedPlan plan = Fixtures.plan(tpcc, "delete from district where d_w_id = 1 and d_id = 1");
    List<String> locks =
        plan.tables().stream()
            .map(use -> tpcc.table(use.tableOid()).name() + " " + use.mode())
            .toList();
    assertEquals(
        List.of("warehouse", "district", "customer").stream()
            .map(name -> name + " " + TableLockMode.ROW_EXCLUSIVE)
            .toList(),
        locks);
  }

  /** As pgjdbc asks for the foreign keys of a table, with fewer tables. */
  @Test
  void attributesAreNotMultipliedWithEachOtherWhenForeignKeysAreListed() {
    String plan =
        Fixtures.explain(
            tpcc,
            "SELECT pka.attname, fka.attname FROM pg_catalog.pg_class pkc, pg_catalog.pg_attribute"
                + " pka, pg_catalog.pg_class fkc, pg_catalog.pg_attribute fka,"
                + " pg_catalog.pg_constraint con, generate_series(1, 32) pos(n) WHERE pkc.oid ="
                + " pka.attrelid AND pka.attnum = con.confkey[pos.n] AND con.confrelid = pkc.oid"
                + " AND fkc.oid = fka.attrelid AND fka.attnum = con.conkey[pos.n] AND con.conrelid"
                + " = fkc.oid AND con.contype = 'f' AND fkc.relname = 'order_line'");
    String[] lines = plan.split("\n");
    for (int i = 0; i < lines.length; i++) {
      if (lines[i].contains("Function Scan on pg_attribute")) {
        assertFalse(parent(lines, i).contains("Nested Loop"), plan);
      }
    }
    assertTrue(plan.indexOf("pg_constraint") > plan.indexOf("pg_attribute"), plan);
  }

  private static String parent(String[] lines, int child) {
    int line = child - 1;
    while (line > 0 && indent(lines[line]) >= indent(lines[child])) {
      line--;
    }
    return lines[line];
  }

  private static int indent(String line) {
    return line.length() - line.stripLeading().length();
  }

  @Test
  void cachedPlansAreFoundByTextTypesPathAndVersion() {
    Planner planner = new Planner(Fixtures.FUNCTIONS, TableEstimates.STATISTICS);
    PlanCache cache = new PlanCache(planner, 1 << 20);
    String sql = "select a from t where id = $1";
    PgStatement statement = PgParser.parse(sql).statement();
    int[] oids = {};
    PreparedPlan plan = cache.prepare(sql, statement, oids, Fixtures.PATH, small);
    assertEquals(plan, cache.get(sql, oids, Fixtures.PATH, small));
    assertEquals(null, cache.get(sql, new int[] {20}, Fixtures.PATH, small));
    assertEquals(null, cache.get(sql, oids, List.of("other"), small));
  }
}
