package io.gauss.compute.sql.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.ParamExpr;
import io.gauss.compute.sql.exec.TestDatabase.Builder;
import io.gauss.compute.sql.exec.TestDatabase.Session;
import io.gauss.compute.sql.exec.node.IndexLookupNode;
import io.gauss.compute.sql.exec.node.InsertNode;
import io.gauss.compute.sql.exec.node.KeyRange;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointDeleteNode;
import io.gauss.compute.sql.exec.node.PointReadNode;
import io.gauss.compute.sql.exec.node.PointUpdateNode;
import io.gauss.compute.sql.exec.node.RangeScanNode;
import io.gauss.compute.type.PgType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements that write, alone, over the engine in memory. */
class DmlTest {
  @TempDir Path directory;
  private TestDatabase database;
  private Session session;

  @BeforeEach
  void open() {
    database = new TestDatabase(directory);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Builder items() {
    Builder items =
        database
            .table("items")
            .column("id", PgType.INT4)
            .column("code", PgType.TEXT)
            .column("amount", PgType.INT8)
            .primaryKey(0)
            .index("items_code_key", true, 1)
            .index("items_amount_idx", false, 2)
            .check("items_amount_check", row -> row.get(2) == null || (Long) row.get(2) >= 0);
    database.open();
    session = database.session();
    return items;
  }

  private static GaussException fails(String state, Runnable statement) {
    GaussException error = assertThrows(GaussException.class, statement::run);
    assertEquals(state, error.state().code(), error.getMessage());
    return error;
  }

  @Test
  void insertedRowsAreFoundThroughEveryPath() {
    Builder items = items();
    session.insert(items, 1L, "a", 10L);
    session.insert(items, 2L, null, 20L);
    session.insert(items, 3L, null, null);
    List<Object> first = List.of(1L, "a", 10L);
    assertEquals(
        List.of(first, Arrays.asList(2L, null, 20L), Arrays.asList(3L, null, null)),
        session.all(items));
    int[] all = {0, 1, 2};
    PgType[] types = items.handle().types();
    Expr[] one = {TestDatabase.constant(PgType.INT4, 1L)};
    assertEquals(
        List.of(first), session.run(new PointReadNode(items.def(), one, all, types, null)));
    Expr[] code = {TestDatabase.constant(PgType.TEXT, "a")};
    assertEquals(
        List.of(first),
        session.run(
            new IndexLookupNode(
                items.def(), items.def().indexes().get(0), code, all, types, null)));
    KeyRange range =
        new KeyRange(new Expr[0], TestDatabase.constant(PgType.INT8, 5L), true, null, false);
    assertEquals(
        List.of(Arrays.asList(2L, null, 20L), first),
        session.run(
            new RangeScanNode(
                items.def(),
                items.def().indexes().get(1),
                new KeyRange[] {range},
                true,
                all,
                types,
                null)));
    KeyRange isNull = KeyRange.prefix((Expr) null);
    assertEquals(
        List.of(Arrays.asList(3L, null, null)),
        session.run(
            new RangeScanNode(
                items.def(),
                items.def().indexes().get(1),
                new KeyRange[] {isNull},
                false,
                all,
                types,
                null)));
  }

  @Test
  void violationsSpeakAsPostgres() {
    Builder items = items();
    session.insert(items, 1L, "a", 10L);
    GaussException duplicate = fails("23505", () -> session.insert(items, 1L, "b", 1L));
    assertEquals(
        "duplicate key value violates unique constraint \"items_pkey\"", duplicate.getMessage());
    assertEquals("Key (id)=(1) already exists.", duplicate.detail());
    assertEquals("items_pkey", duplicate.constraint());
    assertEquals("items", duplicate.table());
    GaussException code = fails("23505", () -> session.insert(items, 2L, "a", 1L));
    assertEquals("Key (code)=(a) already exists.", code.detail());
    GaussException notNull = fails("23502", () -> session.insert(items, null, "x", 1L));
    assertEquals(
        "null value in column \"id\" of relation \"items\" violates not-null constraint",
        notNull.getMessage());
    assertEquals("Failing row contains (null, x, 1).", notNull.detail());
    GaussException check = fails("23514", () -> session.insert(items, 5L, "y", -1L));
    assertEquals(
        "new row for relation \"items\" violates check constraint \"items_amount_check\"",
        check.getMessage());
    assertEquals("Failing row contains (5, y, -1).", check.detail());
    assertEquals(List.of(List.of(1L, "a", 10L)), session.all(items));
  }

  @Test
  void updatesMoveIndexEntriesAndKeys() {
    Builder items = items();
    for (long i = 1; i <= 200; i++) {
      session.insert(items, i, "c" + i, i);
    }
    assertEquals(200, session.update(items, row -> true, 2, row -> (Long) row.get(2) + 1000));
    assertEquals(200, session.update(items, row -> true, 0, row -> (Long) row.get(0) + 1000));
    List<List<Object>> rows = session.all(items);
    assertEquals(200, rows.size());
    assertEquals(List.of(1001L, "c1", 1001L), rows.getFirst());
    fails("23505", () -> session.update(items, row -> true, 1, row -> "same"));
    fails("23514", () -> session.update(items, row -> true, 2, row -> -5L));
    assertEquals(rows, session.all(items));
    checkIndexes(items);
    assertEquals(100, session.delete(items, row -> (Long) row.get(0) % 2 == 0));
    checkIndexes(items);
    assertEquals(100, session.all(items).size());
  }

  /** Every row is found through every index, and no index has more. */
  private void checkIndexes(Builder table) {
    List<String> rows = Plans.sorted(session.all(table));
    for (int i = 0; i < table.def().indexes().size(); i++) {
      PlanNode scan =
          new RangeScanNode(
              table.def(),
              table.def().indexes().get(i),
              new KeyRange[0],
              false,
              table.handle().allColumns(),
              table.handle().types(),
              null);
      assertEquals(rows, Plans.sorted(session.run(scan)));
    }
  }

  @Test
  void pointUpdateAndDelete() {
    Builder items = items();
    session.insert(items, 7L, "seven", 1L);
    ParamExpr key = new ParamExpr(0, PgType.INT4);
    session.ctx.eval.parameters[0].setLong(7);
    Expr plusOne = Plans.expr(PgType.INT8, row -> (Long) row.get(2) + 1);
    PlanNode update =
        new PointUpdateNode(
            items.def(),
            new Expr[] {key},
            null,
            new int[] {2},
            new Expr[] {plusOne},
            new Expr[] {new ColumnExpr(2, PgType.INT8)});
    assertEquals(List.of(List.of(2L)), session.run(update));
    assertEquals(List.of(List.of(3L)), session.run(update));
    assertEquals(1, session.affected);
    checkIndexes(items);
    session.ctx.eval.parameters[0].setLong(8);
    assertEquals(List.of(), session.run(update));
    assertEquals(0, session.affected);
    session.ctx.eval.parameters[0].setLong(7);
    PlanNode delete = new PointDeleteNode(items.def(), new Expr[] {key}, null, null);
    session.run(delete);
    assertEquals(1, session.affected);
    assertEquals(List.of(), session.all(items));
  }

  @Test
  void insertFromItselfEnds() {
    Builder table = database.table("log").column("a", PgType.INT8).index("log_a_idx", false, 0);
    database.open();
    session = database.session();
    session.insert(table, 1L);
    for (int i = 0; i < 5; i++) {
      session.run(
          new InsertNode(
              table.def(),
              new io.gauss.compute.sql.exec.node.FullScanNode(
                  table.def(), new int[] {0}, table.handle().types(), null),
              null,
              null));
    }
    assertEquals(32, session.all(table).size());
    checkIndexes(table);
  }

  @Test
  void onConflict() {
    Builder items = items();
    session.insert(items, 1L, "a", 10L);
    List<List<Object>> rows = List.of(List.of(1L, "z", 5L), List.of(2L, "b", 6L));
    InsertNode.OnConflict nothing = new InsertNode.OnConflict(true, null, null, null, null);
    session.run(TestDatabase.insertPlan(items, rows, nothing, null));
    assertEquals(1, session.affected);
    assertEquals(List.of(List.of(1L, "a", 10L), List.of(2L, "b", 6L)), session.all(items));

    // Conflicts through the secondary index, after the row is in the table.
    session.run(TestDatabase.insertPlan(items, List.of(List.of(9L, "a", 1L)), nothing, null));
    assertEquals(0, session.affected);
    checkIndexes(items);

    Expr sum = Plans.expr(PgType.INT8, row -> (Long) row.get(2) + (Long) row.get(5));
    InsertNode.OnConflict byCode =
        new InsertNode.OnConflict(
            false, items.def().indexes().get(0), new int[] {2}, new Expr[] {sum}, null);
    Expr[] returning = {new ColumnExpr(0, PgType.INT4), new ColumnExpr(2, PgType.INT8)};
    assertEquals(
        List.of(List.of(1L, 11L), List.of(3L, 7L)),
        session.run(
            TestDatabase.insertPlan(
                items, List.of(List.of(9L, "a", 1L), List.of(3L, "c", 7L)), byCode, returning)));
    checkIndexes(items);
    InsertNode.OnConflict byKey =
        new InsertNode.OnConflict(
            false,
            null,
            new int[] {2},
            new Expr[] {sum},
            Plans.condition(row -> (Long) row.get(2) > 100));
    session.run(TestDatabase.insertPlan(items, List.of(List.of(1L, "q", 1L)), byKey, null));
    assertEquals(0, session.affected);
    GaussException twice =
        fails(
            "21000",
            () ->
                session.run(
                    TestDatabase.insertPlan(
                        items,
                        List.of(List.of(50L, "q", 1L), List.of(51L, "q", 1L)),
                        byCode,
                        null)));
    assertEquals(
        "ON CONFLICT DO UPDATE command cannot affect row a second time", twice.getMessage());
    // Another constraint than the arbiter is an error.
    fails(
        "23505",
        () ->
            session.run(
                TestDatabase.insertPlan(items, List.of(List.of(1L, "new", 1L)), byCode, null)));
    checkIndexes(items);
  }

  private Builder parent;
  private Builder child;

  private void family(Action onDelete, Action onUpdate) {
    parent = database.table("parent").column("id", PgType.INT8).primaryKey(0);
    child =
        database
            .table("child")
            .column("id", PgType.INT4)
            .column("pid", PgType.INT4)
            .primaryKey(0)
            .index("child_pid_idx", false, 1)
            .defaultValue(1, TestDatabase.constant(PgType.INT4, 1L));
    child.references("child_pid_fkey", 1, parent, 0, onDelete, onUpdate);
    database.open();
    session = database.session();
    session.insert(parent, 1L);
    session.insert(parent, 2L);
    session.insert(child, 10L, 2L);
    session.insert(child, 11L, 2L);
    session.insert(child, 12L, 1L);
    session.insert(child, 13L, null);
  }

  @Test
  void foreignKeyWithoutAction() {
    family(Action.NO_ACTION, Action.NO_ACTION);
    GaussException insert = fails("23503", () -> session.insert(child, 14L, 5L));
    assertEquals(
        "insert or update on table \"child\" violates foreign key constraint"
            + " \"child_pid_fkey\"",
        insert.getMessage());
    assertEquals("Key (pid)=(5) is not present in table \"parent\".", insert.detail());
    assertEquals("child", insert.table());
    GaussException delete =
        fails("23503", () -> session.delete(parent, row -> (Long) row.get(0) == 2));
    assertEquals(
        "update or delete on table \"parent\" violates foreign key constraint"
            + " \"child_pid_fkey\" on table \"child\"",
        delete.getMessage());
    assertEquals("Key (id)=(2) is still referenced from table \"child\".", delete.detail());
    assertEquals("child", delete.table());
    fails("23503", () -> session.update(parent, row -> true, 0, row -> (Long) row.get(0) + 5));
    fails("23503", () -> session.update(child, row -> true, 1, row -> 77L));
    // Key 1 goes and comes back within the statement: only its end counts.
    session.delete(child, row -> row.get(1) != null && (Long) row.get(1) == 2);
    assertEquals(
        2, session.update(parent, row -> true, 0, row -> (Long) row.get(0) == 1 ? 3L : 1L));
    assertEquals(List.of(List.of(1L), List.of(3L)), session.all(parent));
  }

  @Test
  void keysThatAreThereAgainAtTheEnd() {
    family(Action.NO_ACTION, Action.NO_ACTION);
    // 2 -> 1 would collide with 1; 1 -> 2 after 2 -> 3 would leave 1: only a swap through free keys
    // works.
    session.insert(parent, 0L);
    fails("23505", () -> session.update(parent, row -> true, 0, row -> (Long) row.get(0) + 1));
    assertEquals(3, session.all(parent).size());
  }

  @Test
  void cascades() {
    family(Action.CASCADE, Action.CASCADE);
    session.update(parent, row -> (Long) row.get(0) == 2, 0, row -> 20L);
    assertEquals(
        List.of(List.of(10L, 20L), List.of(11L, 20L), List.of(12L, 1L), Arrays.asList(13L, null)),
        session.all(child));
    session.delete(parent, row -> (Long) row.get(0) == 20);
    assertEquals(1, session.affected);
    assertEquals(List.of(List.of(12L, 1L), Arrays.asList(13L, null)), session.all(child));
    checkIndexes(child);
    fails("22003", () -> session.update(parent, row -> true, 0, row -> 1L << 40));
  }

  @Test
  void setNullAndSetDefault() {
    family(Action.SET_NULL, Action.SET_DEFAULT);
    session.update(parent, row -> (Long) row.get(0) == 2, 0, row -> 20L);
    assertEquals(
        List.of(List.of(10L, 1L), List.of(11L, 1L), List.of(12L, 1L), Arrays.asList(13L, null)),
        session.all(child));
    session.delete(parent, row -> (Long) row.get(0) == 1);
    session.all(child).forEach(row -> assertEquals(null, row.get(1)));
    checkIndexes(child);
  }

  @Test
  void ownTableAsParent() {
    Builder tree =
        database
            .table("tree")
            .column("id", PgType.INT4)
            .column("up", PgType.INT4)
            .primaryKey(0)
            .index("tree_up_idx", false, 1);
    tree.references("tree_up_fkey", 1, tree, 0, Action.RESTRICT, Action.NO_ACTION);
    database.open();
    session = database.session();
    // Child before parent within one statement.
    session.run(
        TestDatabase.insertPlan(
            tree, List.of(List.of(2L, 1L), Arrays.asList(1L, null)), null, null));
    fails("23503", () -> session.insert(tree, 5L, 6L));
    fails("23503", () -> session.delete(tree, row -> (Long) row.get(0) == 1));
    assertEquals(2, session.delete(tree, row -> true));
    assertEquals(List.of(), session.all(tree));
  }

  @Test
  void manyRanges() {
    Builder items = items();
    for (long i = 0; i < 100; i++) {
      session.insert(items, i, "c" + i, i / 10);
    }
    BiFunction<Long, Long, KeyRange> between =
        (low, high) ->
            new KeyRange(
                new Expr[0],
                TestDatabase.constant(PgType.INT4, low),
                true,
                TestDatabase.constant(PgType.INT4, high),
                false);
    KeyRange[] ranges = {
      between.apply(50L, 60L), between.apply(5L, 10L), between.apply(8L, 12L),
      between.apply(55L, 57L), between.apply(70L, 70L), between.apply(90L, 80L)
    };
    List<Object> found = new ArrayList<>();
    for (List<Object> row :
        session.run(
            new RangeScanNode(
                items.def(),
                null,
                ranges,
                false,
                new int[] {0},
                new PgType[] {PgType.INT4},
                null))) {
      found.add(row.getFirst());
    }
    List<Object> expected = new ArrayList<>();
    for (long i = 5; i < 12; i++) {
      expected.add(i);
    }
    for (long i = 50; i < 60; i++) {
      expected.add(i);
    }
    assertEquals(expected, found);
  }

  @Test
  void pointUpdateOfPlainColumnsTakesTheShortWay() {
    Builder stock =
        database
            .table("stock")
            .column("id", PgType.INT4)
            .column("data", PgType.TEXT)
            .notNull("quantity", PgType.INT4)
            .column("ytd", PgType.numeric(8, 2))
            .primaryKey(0);
    database.open();
    session = database.session();
    session.insert(stock, 1L, "abc", 10L, new java.math.BigDecimal("1.50"));
    session.ctx.eval.parameters[0].setLong(1);
    Expr[] key = {new ParamExpr(0, PgType.INT4)};
    Expr[] values = {
      Plans.expr(PgType.INT4, row -> (Long) row.get(2) + 5),
      Plans.expr(PgType.TEXT, row -> (Long) row.get(2) % 10 == 0 ? "xyz" : "longer")
    };
    Expr filter = Plans.condition(row -> (Long) row.get(2) < 20);
    PlanNode update = new PointUpdateNode(stock.def(), key, filter, new int[] {2, 1}, values, null);
    session.run(update);
    assertEquals(1, session.affected);
    assertEquals(
        List.of(List.of(1L, "xyz", 15L, new java.math.BigDecimal("1.50"))), session.all(stock));
    session.run(update);
    assertEquals(
        List.of(List.of(1L, "longer", 20L, new java.math.BigDecimal("1.50"))), session.all(stock));
    session.run(update);
    assertEquals(0, session.affected);
    Expr[] toNull = {TestDatabase.constant(PgType.INT4, null)};
    PlanNode violation = new PointUpdateNode(stock.def(), key, null, new int[] {2}, toNull, null);
    GaussException error = fails("23502", () -> session.run(violation));
    assertEquals("Failing row contains (1, longer, null, 1.50).", error.detail());
  }
}
