package io.gauss.compute.sql.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.error.GaussException;
import io.gauss.compute.engine.Seeds;
import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.ConstExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.ParamExpr;
import io.gauss.compute.sql.exec.node.AggregateCall;
import io.gauss.compute.sql.exec.node.AggregateNode;
import io.gauss.compute.sql.exec.node.ApplyNode;
import io.gauss.compute.sql.exec.node.DistinctNode;
import io.gauss.compute.sql.exec.node.FilterNode;
import io.gauss.compute.sql.exec.node.HashJoinNode;
import io.gauss.compute.sql.exec.node.InitPlansNode;
import io.gauss.compute.sql.exec.node.JoinType;
import io.gauss.compute.sql.exec.node.LimitNode;
import io.gauss.compute.sql.exec.node.NestedLoopJoinNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.ProjectNode;
import io.gauss.compute.sql.exec.node.SetOpNode;
import io.gauss.compute.sql.exec.node.SortNode;
import io.gauss.compute.sql.exec.node.SpoolNode;
import io.gauss.compute.sql.exec.node.UnionAllNode;
import io.gauss.compute.sql.exec.row.JoinTypes;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.sql.exec.run.Execution;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operators over random rows against what plain Java says, with plenty of memory and with hardly
 * any.
 */
class OperatorFuzzTest {
  private static final PgType[] TYPES = {
    PgType.INT8, PgType.TEXT, PgType.NUMERIC, PgType.FLOAT8, PgType.INT4
  };
  private static final long PLENTY = 64 << 20;
  private static final long LITTLE = 12 << 10;

  @TempDir Path directory;

  private final Random random = new Random(Seeds.next());

  private List<List<Object>> randomRows(int count, int distinct) {
    List<List<Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<Object> row = new ArrayList<>();
      int number = random.nextInt(distinct);
      row.add(random.nextInt(10) == 0 ? null : (Long) (long) (number - distinct / 2));
      row.add(random.nextInt(10) == 0 ? null : "t" + random.nextInt(distinct));
      row.add(random.nextInt(10) == 0 ? null : randomNumeric(distinct));
      row.add(random.nextInt(10) == 0 ? null : (Double) (random.nextInt(distinct) / 4.0));
      row.add((long) i);
      rows.add(row);
    }
    return rows;
  }

  private BigDecimal randomNumeric(int distinct) {
    BigDecimal number = BigDecimal.valueOf(random.nextInt(distinct), random.nextInt(3));
    return random.nextInt(20) == 0 ? number.multiply(new BigDecimal("1" + "0".repeat(30))) : number;
  }

  private void everyWay(BiFunction<ExecContext, Long, Void> check) {
    for (long memory : new long[] {PLENTY, LITTLE}) {
      check.apply(Plans.context(directory, memory), memory);
    }
  }

  private static boolean equalKeys(Object a, Object b) {
    return a != null
        && b != null
        && (a instanceof BigDecimal x ? x.compareTo((BigDecimal) b) == 0 : a.equals(b));
  }

  /** The twin of all joins: condition null means NULL, that is no match. */
  private static List<List<Object>> naiveJoin(
      JoinType type,
      List<List<Object>> left,
      List<List<Object>> right,
      BiFunction<List<Object>, List<Object>, Boolean> condition) {
    List<List<Object>> result = new ArrayList<>();
    boolean[] rightMatched = new boolean[right.size()];
    for (List<Object> l : left) {
      boolean matched = false;
      for (int j = 0; j < right.size(); j++) {
        if (condition.apply(l, right.get(j))) {
          matched = true;
          rightMatched[j] = true;
          if (type.emitsRight()) {
            result.add(Plans.concat(l, right.get(j)));
          }
        }
      }
      if (type == JoinType.SEMI ? matched : type == JoinType.ANTI && !matched) {
        result.add(l);
      }
      if ((type == JoinType.LEFT || type == JoinType.FULL) && !matched) {
        result.add(Plans.concat(l, Plans.nulls(TYPES.length)));
      }
    }
    if (type == JoinType.RIGHT || type == JoinType.FULL) {
      for (int j = 0; j < right.size(); j++) {
        if (!rightMatched[j]) {
          result.add(Plans.concat(Plans.nulls(TYPES.length), right.get(j)));
        }
      }
    }
    return result;
  }

  @Test
  void hashJoinsAgreeWithNestedLoopsInJava() {
    for (int round = 0; round < 6; round++) {
      List<List<Object>> left = randomRows(random.nextInt(800), 1 + random.nextInt(300));
      List<List<Object>> right = randomRows(random.nextInt(800), 1 + random.nextInt(300));
      int[] keys = random.nextBoolean() ? new int[] {random.nextInt(4)} : new int[] {0, 2};
      boolean residual = random.nextBoolean();
      Expr condition =
          residual ? Plans.condition(r -> (Long) r.get(4) % 3 != (Long) r.get(9) % 3) : null;
      for (JoinType type : JoinType.values()) {
        List<List<Object>> expected =
            naiveJoin(
                type,
                left,
                right,
                (l, r) -> {
                  for (int key : keys) {
                    if (!equalKeys(l.get(key), r.get(key))) {
                      return false;
                    }
                  }
                  return !residual || (Long) l.get(4) % 3 != (Long) r.get(4) % 3;
                });
        everyWay(
            (ctx, memory) -> {
              PlanNode plan =
                  new HashJoinNode(
                      type,
                      Plans.rows(TYPES, left),
                      Plans.rows(TYPES, right),
                      keys,
                      keys,
                      condition,
                      false);
              assertEquals(
                  Plans.sorted(expected),
                  Plans.sorted(Plans.run(plan, ctx)),
                  type + " with " + memory);
              return null;
            });
      }
    }
  }

  @Test
  void manyRowsWithOneKeyJoinWithLittleMemory() {
    List<List<Object>> left = randomRows(40, 1);
    List<List<Object>> right = randomRows(600, 1);
    PlanNode plan =
        new HashJoinNode(
            JoinType.FULL,
            Plans.rows(TYPES, left),
            Plans.rows(TYPES, right),
            new int[] {0},
            new int[] {0},
            null,
            false);
    List<List<Object>> expected =
        naiveJoin(JoinType.FULL, left, right, (l, r) -> equalKeys(l.get(0), r.get(0)));
    assertEquals(
        Plans.sorted(expected), Plans.sorted(Plans.run(plan, Plans.context(directory, LITTLE))));
  }

  @Test
  void notInKnowsAboutNulls() {
    List<List<Object>> left = randomRows(50, 20);
    for (boolean withNull : new boolean[] {false, true}) {
      for (boolean empty : new boolean[] {false, true}) {
        List<List<Object>> right = new ArrayList<>(empty ? List.of() : randomRows(10, 20));
        right.removeIf(row -> row.get(0) == null && !withNull);
        if (withNull) {
          right.add(Plans.nulls(TYPES.length));
        }
        PlanNode plan =
            new HashJoinNode(
                JoinType.ANTI,
                Plans.rows(TYPES, left),
                Plans.rows(TYPES, right),
                new int[] {0},
                new int[] {0},
                null,
                true);
        List<List<Object>> expected = new ArrayList<>();
        for (List<Object> row : left) {
          boolean passes =
              right.isEmpty()
                  || (row.get(0) != null
                      && right.stream()
                          .allMatch(r -> r.get(0) != null && !r.get(0).equals(row.get(0))));
          if (passes) {
            expected.add(row);
          }
        }
        assertEquals(
            Plans.sorted(expected),
            Plans.sorted(Plans.run(plan, Plans.context(directory, PLENTY))));
      }
    }
  }

  @Test
  void nestedLoopsAgreeWithJava() {
    for (int round = 0; round < 4; round++) {
      int rightRows = round == 0 ? 1500 : random.nextInt(200);
      List<List<Object>> left = randomRows(random.nextInt(60), 10);
      List<List<Object>> right = randomRows(rightRows, 10);
      Expr condition =
          Plans.condition(
              r ->
                  r.get(0) == null || r.get(5) == null
                      ? null
                      : (Long) r.get(0) > 2 * (Long) r.get(5));
      for (JoinType type : JoinType.values()) {
        List<List<Object>> expected =
            naiveJoin(
                type,
                left,
                right,
                (l, r) ->
                    l.get(0) != null && r.get(0) != null && (Long) l.get(0) > 2 * (Long) r.get(0));
        everyWay(
            (ctx, memory) -> {
              PlanNode plan =
                  new NestedLoopJoinNode(
                      type,
                      Plans.rows(TYPES, left),
                      Plans.rows(TYPES, right),
                      new int[0],
                      new Expr[0],
                      condition);
              assertEquals(
                  Plans.sorted(expected),
                  Plans.sorted(Plans.run(plan, ctx)),
                  type + " with " + memory);
              return null;
            });
      }
    }
  }

  @Test
  void parametersOfInnerPlansComeFromTheOuterRow() {
    List<List<Object>> left = randomRows(60, 10);
    List<List<Object>> right = randomRows(90, 10);
    PlanNode inner =
        new FilterNode(Plans.rows(TYPES, right), equalsParameter(new ColumnExpr(1, TYPES[1]), 3));
    for (JoinType type :
        new JoinType[] {JoinType.INNER, JoinType.LEFT, JoinType.SEMI, JoinType.ANTI}) {
      PlanNode plan =
          new NestedLoopJoinNode(
              type,
              Plans.rows(TYPES, left),
              inner,
              new int[] {3},
              new Expr[] {new ColumnExpr(1, TYPES[1])},
              null);
      List<List<Object>> expected =
          naiveJoin(type, left, right, (l, r) -> equalKeys(l.get(1), r.get(1)));
      assertEquals(
          Plans.sorted(expected),
          Plans.sorted(Plans.run(plan, Plans.context(directory, PLENTY))),
          type.toString());
    }
  }

  /** Column = parameter over texts. */
  private static Expr equalsParameter(ColumnExpr column, int slot) {
    ParamExpr parameter = new ParamExpr(slot, PgType.TEXT);
    return new Expr() {
      @Override
      public PgType type() {
        return PgType.BOOL;
      }

      @Override
      public void eval(
          io.gauss.compute.expr.EvalContext ctx,
          io.gauss.compute.row.RowBatch in,
          int row,
          Value out) {
        Value a = new Value();
        Value b = new Value();
        column.eval(ctx, in, row, a);
        parameter.eval(ctx, in, row, b);
        if (a.isNull || b.isNull) {
          out.setNull();
        } else {
          out.setBoolean(
              java.util.Arrays.equals(
                  a.bytes, a.off, a.off + a.len, b.bytes, b.off, b.off + b.len));
        }
      }
    };
  }

  @Test
  void sortIsStableAndPutsNullsWhereAsked() {
    for (int round = 0; round < 8; round++) {
      List<List<Object>> rows = randomRows(random.nextInt(3000), 1 + random.nextInt(100));
      SortKey[] keys = new SortKey[1 + random.nextInt(3)];
      for (int i = 0; i < keys.length; i++) {
        keys[i] = new SortKey(random.nextInt(4), random.nextBoolean(), random.nextBoolean());
      }
      List<List<Object>> expected = new ArrayList<>(rows);
      expected.sort(comparator(keys));
      everyWay(
          (ctx, memory) -> {
            PlanNode input = Plans.rows(TYPES, rows);
            assertEquals(expected, Plans.run(new SortNode(input, keys, null, null), ctx));
            int limit = random.nextInt(40);
            int offset = random.nextInt(20);
            PlanNode sort = new SortNode(input, keys, number(limit), number(offset));
            PlanNode top = new LimitNode(sort, number(limit), number(offset));
            int from = Math.min(offset, expected.size());
            assertEquals(
                expected.subList(from, Math.min(from + limit, expected.size())),
                Plans.run(top, ctx));
            return null;
          });
    }
  }

  private static Expr number(long number) {
    Value value = new Value();
    value.setLong(number);
    return new ConstExpr(PgType.INT8, value);
  }

  private static Comparator<List<Object>> comparator(SortKey[] keys) {
    return (a, b) -> {
      for (SortKey key : keys) {
        Object x = a.get(key.column());
        Object y = b.get(key.column());
        if (x == null || y == null) {
          if ((x == null) != (y == null)) {
            return (x == null) == key.nullsFirst() ? -1 : 1;
          }
          continue;
        }
        @SuppressWarnings("unchecked")
        int order = ((Comparable<Object>) x).compareTo(y);
        if (order != 0) {
          return key.descending() ? -order : order;
        }
      }
      return 0;
    };
  }

  @Test
  void aggregatesAgreeWithMaps() {
    for (int round = 0; round < 6; round++) {
      List<List<Object>> rows = randomRows(random.nextInt(2500), 1 + random.nextInt(400));
      Map<String, long[]> groups = new LinkedHashMap<>();
      Map<String, TreeSet<Long>> distinct = new LinkedHashMap<>();
      for (List<Object> row : rows) {
        String key = Plans.text(List.of(row).getFirst().subList(1, 3));
        long[] state = groups.computeIfAbsent(key, k -> new long[3]);
        distinct.computeIfAbsent(key, k -> new TreeSet<>());
        state[0]++;
        if (row.get(0) != null) {
          state[1] += (Long) row.get(0);
          state[2]++;
          distinct.get(key).add((Long) row.get(0));
        }
      }
      List<String> expected = new ArrayList<>();
      groups.forEach(
          (key, state) ->
              expected.add(
                  key
                      + state[0]
                      + "|"
                      + (state[2] == 0 ? null : state[1])
                      + "|"
                      + (state[2] == 0
                          ? null
                          : distinct.get(key).stream().mapToLong(Long::longValue).sum())
                      + "|"));
      expected.sort(null);
      AggregateCall[] calls = {
        new AggregateCall(Plans.count(), new int[0], false, -1),
        new AggregateCall(Plans.sum(), new int[] {0}, false, -1),
        new AggregateCall(Plans.sum(), new int[] {0}, true, -1)
      };
      everyWay(
          (ctx, memory) -> {
            PlanNode input = Plans.rows(TYPES, rows);
            int[] columns = {1, 2};
            assertEquals(
                expected,
                Plans.sorted(Plans.run(new AggregateNode(input, columns, calls, false), ctx)));
            SortKey[] keys = {new SortKey(1, false, false), new SortKey(2, false, false)};
            PlanNode sorted = new SortNode(input, keys, null, null);
            assertEquals(
                expected,
                Plans.sorted(Plans.run(new AggregateNode(sorted, columns, calls, true), ctx)));
            return null;
          });
    }
  }

  @Test
  void aggregateOverNothingIsOneRow() {
    AggregateCall[] calls = {
      new AggregateCall(Plans.count(), new int[0], false, -1),
      new AggregateCall(Plans.sum(), new int[] {0}, false, -1)
    };
    PlanNode plan = new AggregateNode(Plans.rows(TYPES, List.of()), new int[0], calls, false);
    assertEquals(
        List.of(Plans.concat(List.of(0L), Plans.nulls(1))),
        Plans.run(plan, Plans.context(directory, PLENTY)));
  }

  @Test
  void aggregatesObeyFilterAndOrder() {
    PgType[] types = {PgType.INT8, PgType.TEXT, PgType.BOOL};
    List<List<Object>> rows =
        List.of(
            List.of(3L, "c", 1L),
            List.of(1L, "a", 1L),
            List.of(2L, "b", 0L),
            List.of(4L, "d", 1L),
            List.of(3L, "c", 1L));
    SortKey[] descending = {new SortKey(0, true, true)};
    AggregateCall[] calls = {
      new AggregateCall(Plans.join(), new int[] {1}, false, 2, descending),
      new AggregateCall(Plans.join(), new int[] {1}, true, -1, descending),
      new AggregateCall(Plans.count(), new int[0], false, 2)
    };
    PlanNode plan = new AggregateNode(Plans.rows(types, rows), new int[0], calls, false);
    assertEquals(
        List.of(List.of("d c c a ", "d c b a ", 4L)),
        Plans.run(plan, Plans.context(directory, PLENTY)));
  }

  @Test
  void distinctKeepsTheFirstOfEqualRows() {
    for (int round = 0; round < 5; round++) {
      List<List<Object>> rows = randomRows(random.nextInt(2500), 1 + random.nextInt(700));
      LinkedHashSet<String> expected = new LinkedHashSet<>();
      rows.forEach(row -> expected.add(Plans.text(row.subList(0, 2))));
      everyWay(
          (ctx, memory) -> {
            Expr[] columns = {new ColumnExpr(0, TYPES[0]), new ColumnExpr(1, TYPES[1])};
            PlanNode two = new ProjectNode(Plans.rows(TYPES, rows), columns);
            List<String> found = Plans.sorted(Plans.run(new DistinctNode(two, null, false), ctx));
            assertEquals(expected.stream().sorted().toList(), found);
            SortKey[] keys = {new SortKey(0, false, true)};
            PlanNode sorted = new SortNode(Plans.rows(TYPES, rows), keys, null, null);
            List<List<Object>> first =
                Plans.run(new DistinctNode(sorted, new int[] {0}, true), ctx);
            assertEquals(
                rows.stream().map(row -> String.valueOf(row.get(0))).distinct().count(),
                first.size());
            return null;
          });
    }
  }

  @Test
  void setOperationsCountRows() {
    for (int round = 0; round < 5; round++) {
      PgType[] types = {PgType.INT8};
      List<List<Object>> left = column(randomRows(random.nextInt(300), 30));
      List<List<Object>> right = column(randomRows(random.nextInt(300), 40));
      for (boolean all : new boolean[] {false, true}) {
        for (SetOpNode.Kind kind : SetOpNode.Kind.values()) {
          List<List<Object>> rest = new ArrayList<>(right);
          List<List<Object>> expected = new ArrayList<>();
          for (List<Object> row : all ? left : left.stream().distinct().toList()) {
            boolean inRight = all ? rest.remove(row) : rest.contains(row);
            if (inRight == (kind == SetOpNode.Kind.INTERSECT)) {
              expected.add(row);
            }
          }
          everyWay(
              (ctx, memory) -> {
                PlanNode plan =
                    new SetOpNode(kind, all, Plans.rows(types, left), Plans.rows(types, right));
                assertEquals(
                    Plans.sorted(expected), Plans.sorted(Plans.run(plan, ctx)), kind + " " + all);
                return null;
              });
        }
      }
    }
  }

  private static List<List<Object>> column(List<List<Object>> rows) {
    return rows.stream().map(row -> row.subList(0, 1)).toList();
  }

  @Test
  void spoolsServeEveryPlaceInThePlan() {
    List<List<Object>> rows = randomRows(1800, 50);
    everyWay(
        (ctx, memory) -> {
          SpoolNode spool = new SpoolNode("cte", Plans.rows(TYPES, rows));
          PlanNode plan = new UnionAllNode(List.of(spool, spool, Plans.rows(TYPES, rows)));
          List<List<Object>> expected = new ArrayList<>(rows);
          expected.addAll(rows);
          expected.addAll(rows);
          assertEquals(expected, Plans.run(plan, ctx));
          return null;
        });
  }

  @Test
  void subqueriesAsValues() {
    List<List<Object>> left = randomRows(30, 5);
    List<List<Object>> right = randomRows(30, 5);
    PlanNode inner =
        new FilterNode(Plans.rows(TYPES, right), equalsParameter(new ColumnExpr(1, TYPES[1]), 2));
    PgType[] types = JoinTypes.concat(TYPES, new PgType[] {PgType.BOOL});
    PlanNode exists =
        new ApplyNode(
            ApplyNode.Kind.EXISTS,
            Plans.rows(TYPES, left),
            inner,
            new int[] {2},
            new Expr[] {new ColumnExpr(1, TYPES[1])},
            types);
    List<List<Object>> expected = new ArrayList<>();
    for (List<Object> row : left) {
      boolean found = right.stream().anyMatch(r -> equalKeys(r.get(1), row.get(1)));
      expected.add(Plans.concat(row, List.of(found ? 1L : 0L)));
    }
    ExecContext ctx = Plans.context(directory, PLENTY);
    assertEquals(expected, Plans.run(exists, ctx));

    PlanNode several = Plans.rows(new PgType[] {PgType.INT8}, column(randomRows(2, 3)));
    InitPlansNode.InitPlan plan = new InitPlansNode.InitPlan(ApplyNode.Kind.SCALAR, several, 0);
    PlanNode withInit =
        new InitPlansNode(Plans.rows(TYPES, left), new InitPlansNode.InitPlan[] {plan});
    GaussException error = assertThrows(GaussException.class, () -> Plans.run(withInit, ctx));
    assertEquals("21000", error.state().code());
  }

  @Test
  void fetchStopsAndGoesOn() {
    List<List<Object>> rows = randomRows(2500, 50);
    Execution execution = new Execution(Plans.rows(TYPES, rows));
    execution.open(Plans.context(directory, PLENTY));
    List<List<Object>> got = new ArrayList<>();
    boolean more = true;
    while (more) {
      int before = got.size();
      int count = 1 + random.nextInt(300);
      more =
          execution.fetch(
              count,
              (batch, from, to) -> {
                for (int row = from; row < to; row++) {
                  got.add(Plans.row(batch, row));
                }
              });
      assertTrue(more ? got.size() == before + count : got.size() <= before + count);
    }
    assertEquals(rows, got);
  }
}
