package io.gauss.compute.sql.plan;

import io.gauss.compute.expr.ColumnExpr;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.algebra.Fields;
import io.gauss.compute.sql.algebra.PgCast;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.exec.node.HashJoinNode;
import io.gauss.compute.sql.exec.node.JoinType;
import io.gauss.compute.sql.exec.node.NestedLoopJoinNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.ProjectNode;
import io.gauss.compute.sql.exec.node.RangeScanNode;
import io.gauss.compute.sql.plan.cost.CostModel;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.sql.plan.cost.Ordering;
import io.gauss.compute.sql.plan.cost.Wanted;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Plans single joins: outer, semi, anti and correlated ones, and the parts that all joins share.
 * One planning, one thread.
 */
final class JoinPlanner {
  private final Planning planning;
  private final PhysicalPlanner physical;

  JoinPlanner(Planning planning, PhysicalPlanner physical) {
    this.planning = planning;
    this.physical = physical;
  }

  // ------------------------------------------------------------------ outer, semi and anti joins

  Planned outerJoin(Join join, ImmutableBitSet needed, Wanted wanted) {
    int leftWidth = join.getLeft().getRowType().getFieldCount();
    int rightWidth = join.getRight().getRowType().getFieldCount();
    List<RexNode> conditions = PgRex.conjuncts(join.getCondition());
    if (join.getJoinType() == JoinRelType.RIGHT) {
      return mirrored(join, conditions, needed, leftWidth, rightWidth);
    }
    JoinType type = type(join.getJoinType());
    ImmutableBitSet used = Fields.of(conditions).union(needed);
    ImmutableBitSet leftNeeded = used.intersect(ImmutableBitSet.range(leftWidth));
    ImmutableBitSet rightNeeded =
        used.intersect(ImmutableBitSet.range(leftWidth, leftWidth + rightWidth)).shift(-leftWidth);
    Planned left =
        physical.plan(
            join.getLeft(),
            leftNeeded,
            type == JoinType.FULL ? Wanted.NOTHING : side(wanted, leftWidth));
    return join(type, left, join.getRight(), leftWidth, rightNeeded, conditions);
  }

  private static Wanted side(Wanted wanted, int width) {
    int[] fields = new int[Math.max(width, maxField(wanted) + 1)];
    Arrays.setAll(fields, i -> i < width ? i : -1);
    return wanted.mapped(fields).unlimited();
  }

  private static int maxField(Wanted wanted) {
    return wanted.order().stream().mapToInt(Ordering.Key::field).max().orElse(-1);
  }

  static JoinType type(JoinRelType type) {
    return switch (type) {
      case INNER -> JoinType.INNER;
      case LEFT -> JoinType.LEFT;
      case RIGHT -> JoinType.RIGHT;
      case FULL -> JoinType.FULL;
      case SEMI -> JoinType.SEMI;
      case ANTI -> JoinType.ANTI;
      default -> throw new IllegalStateException("join " + type);
    };
  }

  /** A right join is a left join seen from the other side. */
  private Planned mirrored(
      Join join, List<RexNode> conditions, ImmutableBitSet needed, int leftWidth, int rightWidth) {
    int[] swap = new int[leftWidth + rightWidth];
    Arrays.setAll(swap, i -> i < leftWidth ? i + rightWidth : i - leftWidth);
    List<RexNode> swapped = new ArrayList<>();
    for (RexNode condition : conditions) {
      swapped.add(Fields.mapped(condition, swap));
    }
    ImmutableBitSet used = Fields.of(conditions).union(needed);
    ImmutableBitSet leftNeeded = used.intersect(ImmutableBitSet.range(leftWidth));
    ImmutableBitSet rightNeeded =
        used.intersect(ImmutableBitSet.range(leftWidth, leftWidth + rightWidth)).shift(-leftWidth);
    Planned outer = physical.plan(join.getRight(), rightNeeded, Wanted.NOTHING);
    Planned joined = join(JoinType.LEFT, outer, join.getLeft(), rightWidth, leftNeeded, swapped);
    int[] positions = new int[leftWidth + rightWidth];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = joined.columns().positionOrNone(swap[i]);
    }
    return new Planned(joined.node(), ColumnMap.of(positions), joined.estimate(), Ordering.NONE);
  }

  /**
   * Joins a planned left side with a right side that can still be planned to be opened for each
   * left row.
   */
  private Planned join(
      JoinType type,
      Planned left,
      RelNode right,
      int leftWidth,
      ImmutableBitSet rightNeeded,
      List<RexNode> conditions) {
    List<RexNode> nullAware = new ArrayList<>();
    List<RexNode> plain = unwrapped(type, conditions, nullAware);
    Planned hashed = null;
    List<RexNode> rightOnly = new ArrayList<>();
    List<RexNode> others = new ArrayList<>();
    for (RexNode condition : plain) {
      ImmutableBitSet fields = Fields.of(condition);
      boolean onlyRight = type != JoinType.FULL && !fields.isEmpty() && fields.nth(0) >= leftWidth;
      (onlyRight ? rightOnly : others).add(condition);
    }
    RelNode filteredRight = right;
    if (!rightOnly.isEmpty() && nullAware.isEmpty()) {
      List<RexNode> shifted = new ArrayList<>();
      for (RexNode condition : rightOnly) {
        shifted.add(PgRex.shift(condition, -leftWidth));
      }
      filteredRight = LogicalFilter.create(right, PgRex.and(shifted));
    } else {
      others.addAll(rightOnly);
    }
    boolean hashable = hasKey(others, leftWidth) && (nullAware.isEmpty() || others.size() == 1);
    if (hashable || type == JoinType.FULL) {
      Planned build = physical.plan(filteredRight, rightNeeded, Wanted.NOTHING);
      hashed = hashable ? hash(type, left, build, leftWidth, others, !nullAware.isEmpty()) : null;
      if (type == JoinType.FULL) {
        // Right rows without a match are emitted at the end, so the right side is not opened for
        // each left row.
        return hashed != null ? hashed : loop(type, left, build, leftWidth, Map.of(), others);
      }
    }
    // An inner side that is opened for each left row takes all conditions with the left columns as
    // parameters.
    Planned looped = looped(type, left, filteredRight, leftWidth, rightNeeded, others, nullAware);
    if (hashed == null || looped.estimate().total() < hashed.estimate().total()) {
      return looped;
    }
    return hashed;
  }

  /**
   * NOT IN arrives as {@code (x = y) IS NOT FALSE}. A hash table can answer it only if it is the
   * sole condition of an anti join.
   */
  private static List<RexNode> unwrapped(
      JoinType type, List<RexNode> conditions, List<RexNode> nullAware) {
    if (type == JoinType.ANTI
        && conditions.size() == 1
        && conditions.getFirst().isA(SqlKind.IS_NOT_FALSE)) {
      RexNode inner = ((RexCall) conditions.getFirst()).operands.getFirst();
      if (inner.isA(SqlKind.EQUALS)) {
        nullAware.add(conditions.getFirst());
        return List.of(inner);
      }
    }
    return conditions;
  }

  private Planned looped(
      JoinType type,
      Planned left,
      RelNode right,
      int leftWidth,
      ImmutableBitSet rightNeeded,
      List<RexNode> conditions,
      List<RexNode> nullAware) {
    Map<Integer, Integer> slots = new LinkedHashMap<>();
    List<RexNode> inside = new ArrayList<>();
    for (RexNode condition : nullAware.isEmpty() ? conditions : nullAware) {
      inside.add(parameterised(condition, leftWidth, slots));
    }
    RelNode inner = inside.isEmpty() ? right : LogicalFilter.create(right, PgRex.and(inside));
    Planned planned =
        slots.isEmpty()
            ? physical.plan(inner, rightNeeded, Wanted.NOTHING)
            : physical.plan(
                inner,
                rightNeeded,
                type == JoinType.SEMI || type == JoinType.ANTI
                    ? new Wanted(List.of(), 1)
                    : Wanted.NOTHING);
    return loop(type, left, planned, leftWidth, slots, List.of());
  }

  /** Replaces columns of the outer row by parameter slots. */
  RexNode parameterised(RexNode condition, int leftWidth, Map<Integer, Integer> slots) {
    return condition.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            if (ref.getIndex() >= leftWidth) {
              return new RexInputRef(ref.getIndex() - leftWidth, ref.getType());
            }
            int slot = slots.computeIfAbsent(ref.getIndex(), f -> planning.slots.allocate());
            return new RexDynamicParam(ref.getType(), slot);
          }
        });
  }

  /**
   * @param slots by left field: the slot that receives it before the inner side is opened
   */
  Planned loop(
      JoinType type,
      Planned left,
      Planned right,
      int leftWidth,
      Map<Integer, Integer> slots,
      List<RexNode> conditions) {
    int[] slotNumbers = new int[slots.size()];
    Expr[] sources = new Expr[slots.size()];
    int at = 0;
    for (Map.Entry<Integer, Integer> entry : slots.entrySet()) {
      int position = left.columns().position(entry.getKey());
      slotNumbers[at] = entry.getValue();
      sources[at++] = new ColumnExpr(position, left.node().types()[position]);
    }
    ColumnMap both = left.columns().join(right.columns(), left.node().types().length);
    PlanNode node =
        new NestedLoopJoinNode(
            type,
            left.node(),
            right.node(),
            slotNumbers,
            sources,
            planning.filter(conditions, both));
    Estimate l = left.estimate();
    Estimate r = right.estimate();
    double loops = Math.max(1, l.rows());
    // Without slots the inner rows are kept: reading them again costs little. The first entry of an
    // index range decides a semi join; a filter may have to check all of them.
    boolean firstOnly =
        (type == JoinType.SEMI || type == JoinType.ANTI)
            && right.node() instanceof RangeScanNode range
            && range.filter() == null;
    double each =
        firstOnly ? r.startup() + (r.total() - r.startup()) / Math.max(1, r.rows()) : r.total();
    double inner =
        slots.isEmpty() ? r.total() + loops * Math.max(1, r.rows()) * CostModel.ROW : loops * each;
    Estimate estimate =
        new Estimate(
            l.startup() + (slots.isEmpty() ? r.total() : r.startup()),
            l.total() + inner,
            rows(type, l.rows(), l.rows() * r.rows()),
            CostModel.width(node.types()));
    planning.note(node, estimate);
    planning.notes.put(node, new Planning.Notes(List.of(), conditions, null));
    return new Planned(node, type.emitsRight() ? both : left.columns(), estimate, left.ordering());
  }

  static double rows(JoinType type, double left, double inner) {
    return switch (type) {
      case INNER -> Math.max(1e-3, inner);
      case LEFT, RIGHT, FULL -> Math.max(left, inner);
      case SEMI -> Math.max(1e-3, Math.min(left, inner));
      case ANTI -> Math.max(1, left * 0.5);
    };
  }

  // ------------------------------------------------------------------ hash joins

  /** One equality between the two sides of a hash join. */
  private record HashKey(RexNode left, RexNode right) {}

  private static boolean hasKey(List<RexNode> conditions, int leftWidth) {
    return conditions.stream().anyMatch(c -> hashKey(c, leftWidth) != null);
  }

  private static HashKey hashKey(RexNode condition, int leftWidth) {
    if (!condition.isA(SqlKind.EQUALS)) {
      return null;
    }
    List<RexNode> operands = ((RexCall) condition).operands;
    RexNode a = operands.get(0);
    RexNode b = operands.get(1);
    ImmutableBitSet aFields = Fields.of(a);
    ImmutableBitSet bFields = Fields.of(b);
    if (aFields.isEmpty() || bFields.isEmpty()) {
      return null;
    }
    boolean straight = aFields.length() <= leftWidth && bFields.nth(0) >= leftWidth;
    boolean crossed = bFields.length() <= leftWidth && aFields.nth(0) >= leftWidth;
    if (!straight && !crossed) {
      return null;
    }
    RexNode left = straight ? a : b;
    RexNode right = straight ? b : a;
    PgType common = commonKey(PgRex.type(left), PgRex.type(right));
    return common == null
        ? null
        : new HashKey(cast(left, common), cast(PgRex.shift(right, -leftWidth), common));
  }

  /** The type in which both sides of a hash key are compared; null when there is none. */
  private static PgType commonKey(PgType left, PgType right) {
    if (left.sameType(right)) {
      return left.withTypmod(-1);
    }
    if (left.isInteger() && right.isInteger()) {
      return left.typlen() > right.typlen() ? left : right;
    }
    boolean texts =
        (left.is(PgType.TEXT) || left.is(PgType.VARCHAR))
            && (right.is(PgType.TEXT) || right.is(PgType.VARCHAR));
    return texts ? PgType.TEXT : null;
  }

  private static RexNode cast(RexNode node, PgType type) {
    return PgRex.type(node).sameType(type) ? node : PgCast.implicit(node, type);
  }

  /** A hash join on all equalities between the sides; null when there is none. */
  Planned hash(
      JoinType type,
      Planned left,
      Planned right,
      int leftWidth,
      List<RexNode> conditions,
      boolean nullAware) {
    List<RexNode> leftKeys = new ArrayList<>();
    List<RexNode> rightKeys = new ArrayList<>();
    List<RexNode> residual = new ArrayList<>();
    for (RexNode condition : conditions) {
      HashKey key = hashKey(condition, leftWidth);
      if (key == null) {
        residual.add(condition);
      } else {
        leftKeys.add(key.left());
        rightKeys.add(key.right());
      }
    }
    if (leftKeys.isEmpty()) {
      return null;
    }
    Keyed l = keyed(left, leftKeys);
    Keyed r = keyed(right, rightKeys);
    ColumnMap both = left.columns().join(right.columns(), l.node.types().length);
    PlanNode node =
        new HashJoinNode(
            type, l.node, r.node, l.keys, r.keys, planning.filter(residual, both), nullAware);
    double selectivity = 1;
    for (RexNode condition : residual) {
      selectivity *= CostModel.selectivity(condition);
    }
    Estimate le = left.estimate();
    Estimate re = right.estimate();
    double matches =
        le.rows() * re.rows() * selectivity / Math.max(1, Math.max(le.rows(), re.rows()));
    double total =
        le.total() + re.total() + hashCost(le.rows(), re.rows()) + matches * CostModel.OPERATOR;
    Estimate estimate =
        new Estimate(
            le.startup() + re.total(),
            total,
            rows(type, le.rows(), matches),
            CostModel.width(node.types()));
    planning.note(node, estimate);
    planning.notes.put(node, new Planning.Notes(List.of(), residual, null));
    return new Planned(node, type.emitsRight() ? both : left.columns(), estimate, Ordering.NONE);
  }

  static double hashCost(double probe, double build) {
    return probe * CostModel.ROW + build * CostModel.ROW * 2;
  }

  private static final class Keyed {
    final PlanNode node;
    final int[] keys;

    Keyed(PlanNode node, int[] keys) {
      this.node = node;
      this.keys = keys;
    }
  }

  /** Adds columns for keys that are not columns already. */
  private Keyed keyed(Planned side, List<RexNode> keys) {
    int[] columns = new int[keys.size()];
    List<Expr> added = new ArrayList<>();
    PgType[] types = side.node().types();
    for (int i = 0; i < columns.length; i++) {
      Expr key = planning.compiler.compile(keys.get(i), side.columns());
      if (key instanceof ColumnExpr column) {
        columns[i] = column.column();
      } else {
        columns[i] = types.length + added.size();
        added.add(key);
      }
    }
    if (added.isEmpty()) {
      return new Keyed(side.node(), columns);
    }
    Expr[] all = new Expr[types.length + added.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i < types.length ? new ColumnExpr(i, types[i]) : added.get(i - types.length);
    }
    PlanNode node = new ProjectNode(side.node(), all);
    planning.note(node, side.estimate());
    return new Keyed(node, columns);
  }

  // ------------------------------------------------------------------ correlated sub-queries

  Planned correlate(Correlate correlate, ImmutableBitSet needed, Wanted wanted) {
    int leftWidth = correlate.getLeft().getRowType().getFieldCount();
    int rightWidth = correlate.getRight().getRowType().getFieldCount();
    ImmutableBitSet leftNeeded =
        needed.intersect(ImmutableBitSet.range(leftWidth)).union(correlate.getRequiredColumns());
    ImmutableBitSet rightNeeded =
        needed
            .intersect(ImmutableBitSet.range(leftWidth, leftWidth + rightWidth))
            .shift(-leftWidth);
    Planned left = physical.plan(correlate.getLeft(), leftNeeded, side(wanted, leftWidth));
    Map<Integer, Integer> before = planning.slots.enter(correlate.getCorrelationId());
    Planned right = physical.plan(correlate.getRight(), rightNeeded, Wanted.NOTHING);
    Map<Integer, Integer> used = planning.slots.exit(correlate.getCorrelationId(), before);
    return loop(type(correlate.getJoinType()), left, right, leftWidth, used, List.of());
  }
}
