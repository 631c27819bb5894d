package io.gauss.compute.sql.plan;

import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.algebra.Fields;
import io.gauss.compute.sql.algebra.GaussTable;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.exec.node.JoinType;
import io.gauss.compute.sql.plan.cost.AccessPath;
import io.gauss.compute.sql.plan.cost.CostModel;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.sql.plan.cost.KeyColumns;
import io.gauss.compute.sql.plan.cost.Ordering;
import io.gauss.compute.sql.plan.cost.Sarg;
import io.gauss.compute.sql.plan.cost.Wanted;
import io.gauss.compute.sql.plan.rewrite.JoinBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Decides order and methods of a block of inner joins: all left-deep orders by dynamic programming
 * up to {@link #EXHAUSTIVE_MAX} tables, above that greedily the cheapest next table. For each set
 * of tables it keeps the cheapest plan, and the cheapest one in the wanted order. One planning, one
 * thread.
 *
 * <p>The first phase only computes costs; nodes are made only for the chosen plan. In the first
 * phase, a column of the outer row is a parameter numbered from {@link #OUTER}; slots are allocated
 * when the node is made.
 */
final class JoinOrder {
  private static final int EXHAUSTIVE_MAX = 10;
  private static final int OUTER = 1 << 24;

  private final Planning planning;
  private final PhysicalPlanner physical;
  private final ScanPlanner scans;
  private final JoinPlanner joins;

  JoinOrder(Planning planning, PhysicalPlanner physical, ScanPlanner scans, JoinPlanner joins) {
    this.planning = planning;
    this.physical = physical;
    this.scans = scans;
    this.joins = joins;
  }

  private enum Method {
    LEAF,
    INDEX_LOOP,
    LOOP,
    /** The hash table is built from the new leaf. */
    HASH_LEAF_BUILT,
    /** The hash table is built from the rows joined so far. */
    HASH_LEAF_PROBES
  }

  /** A partial plan: a set of leaves and how they are joined. */
  private record Step(
      long set,
      Method method,
      Step outer,
      int leaf,
      AccessPath access,
      List<RexNode> conditions,
      double cost,
      double startup,
      double rows,
      boolean ordered) {}

  /** Result fields are those of all leaves side by side. */
  Planned plan(JoinBlock block, ImmutableBitSet needed, Wanted wanted) {
    if (block.leaves().size() == 1) {
      return leafAlone(block, needed, wanted);
    }
    Run run = new Run(block, needed, wanted);
    return run.build(run.choose());
  }

  private Planned leafAlone(JoinBlock block, ImmutableBitSet needed, Wanted wanted) {
    JoinBlock.Leaf leaf = block.leaves().getFirst();
    if (leaf.rel() instanceof TableScan scan) {
      TableDef table = table(scan);
      AccessPath path = planning.accessPaths.best(table, block.conditions(), wanted);
      return scans.build(table, path, needed);
    }
    ImmutableBitSet all = needed.union(Fields.of(block.conditions()));
    Planned planned =
        physical.plan(leaf.rel(), all, block.conditions().isEmpty() ? wanted : wanted.unlimited());
    return physical.filtered(planned, block.conditions());
  }

  static TableDef table(TableScan scan) {
    return scan.getTable().unwrap(GaussTable.class).table();
  }

  /** The work on one block. */
  private final class Run {
    private final JoinBlock block;
    private final Wanted wanted;
    private final int count;
    private final long[] conditionLeaves;
    private final double[] conditionSelectivity;
    private final double[] leafRows;
    private final Planned[] subPlans;
    private final Map<Long, Double> rowsOf = new HashMap<>();
    private final Map<Long, Step> cheapest = new HashMap<>();
    private final Map<Long, Step> inOrder = new HashMap<>();

    /** Fields that leaves must emit: wanted above, or used by a condition over several leaves. */
    private final ImmutableBitSet emitted;

    Run(JoinBlock block, ImmutableBitSet needed, Wanted wanted) {
      this.block = block;
      this.wanted = wanted;
      this.count = block.leaves().size();
      int conditions = block.conditions().size();
      this.conditionLeaves = new long[conditions];
      this.conditionSelectivity = new double[conditions];
      this.leafRows = new double[count];
      this.subPlans = new Planned[count];
      ImmutableBitSet all = needed;
      for (int i = 0; i < conditions; i++) {
        RexNode condition = block.conditions().get(i);
        conditionLeaves[i] = block.leavesOf(condition);
        if (conditionLeaves[i] == 0) {
          // A condition without columns can be decided anywhere: with the first leaf.
          conditionLeaves[i] = 1;
        }
        if (Long.bitCount(conditionLeaves[i]) > 1) {
          all = all.union(Fields.of(condition));
        }
      }
      this.emitted = all;
      for (int leaf = 0; leaf < count; leaf++) {
        prepareLeaf(leaf);
      }
      for (int i = 0; i < conditions; i++) {
        conditionSelectivity[i] = joinSelectivity(block.conditions().get(i), conditionLeaves[i]);
      }
    }

    private void prepareLeaf(int leaf) {
      JoinBlock.Leaf l = block.leaves().get(leaf);
      if (l.rel() instanceof TableScan) {
        return;
      }
      List<RexNode> local = local(leaf);
      ImmutableBitSet fields =
          emitted
              .intersect(ImmutableBitSet.range(l.base(), l.base() + l.width()))
              .shift(-l.base())
              .union(Fields.of(local));
      subPlans[leaf] = physical.filtered(physical.plan(l.rel(), fields, Wanted.NOTHING), local);
    }

    /** Conditions on one leaf alone, over its own fields. */
    private List<RexNode> local(int leaf) {
      List<RexNode> local = new ArrayList<>();
      int base = block.leaves().get(leaf).base();
      for (int i = 0; i < conditionLeaves.length; i++) {
        if (conditionLeaves[i] == 1L << leaf) {
          local.add(PgRex.shift(block.conditions().get(i), -base));
        }
      }
      return local;
    }

    private double joinSelectivity(RexNode condition, long leaves) {
      if (Long.bitCount(leaves) != 2 || !condition.isA(SqlKind.EQUALS)) {
        return CostModel.selectivity(condition);
      }
      double selectivity = 1;
      for (RexNode side : ((RexCall) condition).operands) {
        selectivity = Math.min(selectivity, keySelectivity(side));
      }
      return selectivity == 1 ? CostModel.selectivity(condition) : selectivity;
    }

    /**
     * Fraction of a table's rows with one value of a column or of a key; 1 for other expressions.
     */
    private double keySelectivity(RexNode side) {
      long leaves = block.leavesOf(side);
      JoinBlock.Leaf leaf =
          Long.bitCount(leaves) == 1
              ? block.leaves().get(Long.numberOfTrailingZeros(leaves))
              : null;
      if (leaf == null || !(leaf.rel() instanceof TableScan scan)) {
        return 1;
      }
      TableDef table = table(scan);
      KeyColumns keys = planning.indexes.keys(table);
      int key = keys.of(PgRex.shift(side, -leaf.base()));
      boolean known = key >= 0 && key != table.columns().size();
      return known ? planning.costs.equality(table, keys, key) : 1;
    }

    // ---------------------------------------------------------------- search

    Step choose() {
      for (int leaf = 0; leaf < count; leaf++) {
        startWith(leaf);
      }
      long all = (1L << count) - 1;
      if (count <= EXHAUSTIVE_MAX) {
        exhaustive();
      } else {
        greedy();
      }
      Step best = cheapest.get(all);
      Step ordered = inOrder.get(all);
      if (ordered == null || wanted.order().isEmpty()) {
        return best;
      }
      double fraction = Math.min(1, wanted.limit() / Math.max(1, ordered.rows()));
      double orderedCost = ordered.startup() + (ordered.cost() - ordered.startup()) * fraction;
      double sortedCost = best.cost() + (best.ordered() ? 0 : CostModel.sort(best.rows()));
      return orderedCost < sortedCost ? ordered : best;
    }

    private void startWith(int leaf) {
      JoinBlock.Leaf l = block.leaves().get(leaf);
      long set = 1L << leaf;
      if (!(l.rel() instanceof TableScan scan)) {
        Estimate estimate = subPlans[leaf].estimate();
        leafRows[leaf] = estimate.rows();
        rowsOf.put(set, estimate.rows());
        cheapest.put(
            set,
            new Step(
                set,
                Method.LEAF,
                null,
                leaf,
                null,
                List.of(),
                estimate.total(),
                estimate.startup(),
                estimate.rows(),
                false));
        return;
      }
      TableDef table = table(scan);
      List<RexNode> local = local(leaf);
      AccessPath path = planning.accessPaths.best(table, local, Wanted.NOTHING);
      leafRows[leaf] = path.estimate().rows();
      rowsOf.put(set, leafRows[leaf]);
      Wanted own = leafWanted(l);
      cheapest.put(set, leafStep(set, leaf, path, own));
      if (!own.order().isEmpty()) {
        AccessPath ordered = planning.accessPaths.best(table, local, new Wanted(own.order(), 1));
        if (ordered.ordering().satisfies(own.order())) {
          inOrder.put(set, leafStep(set, leaf, ordered, own));
        }
      }
    }

    private Step leafStep(long set, int leaf, AccessPath path, Wanted own) {
      return new Step(
          set,
          Method.LEAF,
          null,
          leaf,
          path,
          List.of(),
          path.estimate().total(),
          path.estimate().startup(),
          leafRows[leaf],
          !own.order().isEmpty() && path.ordering().satisfies(own.order()));
    }

    /** The wanted order when all its fields are of one leaf. */
    private Wanted leafWanted(JoinBlock.Leaf leaf) {
      int[] fields = new int[block.fields()];
      Arrays.setAll(fields, f -> leaf.owns(f) ? f - leaf.base() : -1);
      return wanted.mapped(fields);
    }

    private void exhaustive() {
      for (int size = 1; size < count; size++) {
        for (long set = 1; set < 1L << count; set++) {
          if (Long.bitCount(set) == size && cheapest.containsKey(set)) {
            extend(set);
          }
        }
      }
    }

    private void greedy() {
      long set = 0;
      for (int leaf = 0; leaf < count; leaf++) {
        if (set == 0 || cheapest.get(1L << leaf).rows() < cheapest.get(set).rows()) {
          set = 1L << leaf;
        }
      }
      while (Long.bitCount(set) < count) {
        extend(set);
        long next = 0;
        for (int leaf = 0; leaf < count; leaf++) {
          long candidate = set | 1L << leaf;
          if (candidate == set || !cheapest.containsKey(candidate)) {
            continue;
          }
          if (next == 0 || cheapest.get(candidate).cost() < cheapest.get(next).cost()) {
            next = candidate;
          }
        }
        set = next;
      }
    }

    /**
     * Joins each further leaf; a leaf without a condition that links it to the set only when there
     * are no others.
     */
    private void extend(long set) {
      boolean connected = false;
      for (int leaf = 0; leaf < count; leaf++) {
        if ((set & 1L << leaf) == 0 && !linking(set, leaf).isEmpty()) {
          connected = true;
          join(set, leaf);
        }
      }
      if (!connected || crossIsCheap(set)) {
        for (int leaf = 0; leaf < count; leaf++) {
          if ((set & 1L << leaf) == 0 && linking(set, leaf).isEmpty()) {
            join(set, leaf);
          }
        }
      }
    }

    /**
     * At most one row: a product with it costs nothing, and may complete a key of another table.
     */
    private boolean crossIsCheap(long set) {
      return cheapest.get(set).rows() <= 1;
    }

    /** Positions of conditions that can be decided when the leaf joins the set. */
    private List<Integer> linking(long set, int leaf) {
      List<Integer> found = new ArrayList<>();
      long both = set | 1L << leaf;
      for (int i = 0; i < conditionLeaves.length; i++) {
        long leaves = conditionLeaves[i];
        if ((leaves & 1L << leaf) != 0 && (leaves & set) != 0 && (leaves & ~both) == 0) {
          found.add(i);
        }
      }
      return found;
    }

    private double rows(long set) {
      return rowsOf.computeIfAbsent(
          set,
          s -> {
            double rows = 1;
            for (int leaf = 0; leaf < count; leaf++) {
              if ((s & 1L << leaf) != 0) {
                rows *= leafRows[leaf];
              }
            }
            for (int i = 0; i < conditionLeaves.length; i++) {
              if (Long.bitCount(conditionLeaves[i]) > 1 && (conditionLeaves[i] & ~s) == 0) {
                rows *= conditionSelectivity[i];
              }
            }
            return Math.max(rows, 1e-3);
          });
    }

    private void join(long set, int leaf) {
      List<RexNode> conditions = new ArrayList<>();
      for (int i : linking(set, leaf)) {
        conditions.add(block.conditions().get(i));
      }
      long both = set | 1L << leaf;
      double rows = rows(both);
      joinWith(cheapest.get(set), leaf, conditions, both, rows);
      Step ordered = inOrder.get(set);
      if (ordered != null && ordered != cheapest.get(set)) {
        joinWith(ordered, leaf, conditions, both, rows);
      }
    }

    private void joinWith(Step outer, int leaf, List<RexNode> conditions, long both, double rows) {
      Step alone = cheapest.get(1L << leaf);
      JoinBlock.Leaf l = block.leaves().get(leaf);
      double outerRows = Math.max(1, outer.rows());
      if (l.rel() instanceof TableScan scan && !conditions.isEmpty()) {
        List<RexNode> all = local(leaf);
        for (RexNode condition : conditions) {
          all.add(parameterised(condition, l));
        }
        AccessPath path = planning.accessPaths.best(table(scan), all, Wanted.NOTHING);
        if (path.kind() != AccessPath.Kind.FULL) {
          double cost = outer.cost() + outerRows * path.estimate().total();
          keep(
              new Step(
                  both,
                  Method.INDEX_LOOP,
                  outer,
                  leaf,
                  path,
                  conditions,
                  cost,
                  outer.startup(),
                  rows,
                  outer.ordered()));
        }
      }
      boolean hashable = conditions.stream().anyMatch(c -> hashable(c, leaf));
      if (hashable) {
        double inputs = outer.cost() + alone.cost() + rows * CostModel.OPERATOR;
        keep(
            new Step(
                both,
                Method.HASH_LEAF_BUILT,
                outer,
                leaf,
                null,
                conditions,
                inputs + JoinPlanner.hashCost(outerRows, alone.rows()),
                alone.cost(),
                rows,
                false));
        keep(
            new Step(
                both,
                Method.HASH_LEAF_PROBES,
                outer,
                leaf,
                null,
                conditions,
                inputs + JoinPlanner.hashCost(alone.rows(), outerRows),
                outer.cost(),
                rows,
                false));
      }
      // The inner rows are kept when they are read, and read again for each outer row.
      double loops =
          outer.cost() + alone.cost() + (outerRows + 1) * Math.max(1, alone.rows()) * CostModel.ROW;
      keep(
          new Step(
              both,
              Method.LOOP,
              outer,
              leaf,
              null,
              conditions,
              loops,
              alone.cost(),
              rows,
              outer.ordered()));
    }

    private boolean hashable(RexNode condition, int leaf) {
      if (!condition.isA(SqlKind.EQUALS)) {
        return false;
      }
      List<RexNode> operands = ((RexCall) condition).operands;
      long a = block.leavesOf(operands.get(0));
      long b = block.leavesOf(operands.get(1));
      long own = 1L << leaf;
      boolean sides =
          (a == own && (b & own) == 0 && b != 0) || (b == own && (a & own) == 0 && a != 0);
      return sides
          && PgRex.type(operands.get(0)).category() == PgRex.type(operands.get(1)).category();
    }

    private void keep(Step step) {
      Step before = cheapest.get(step.set());
      if (before == null || step.cost() < before.cost()) {
        cheapest.put(step.set(), step);
      }
      if (step.ordered()) {
        Step ordered = inOrder.get(step.set());
        if (ordered == null || step.cost() < ordered.cost()) {
          inOrder.put(step.set(), step);
        }
      }
    }

    /** Over the leaf's own fields; all others are parameters. */
    private RexNode parameterised(RexNode condition, JoinBlock.Leaf leaf) {
      return condition.accept(
          new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef ref) {
              int field = ref.getIndex();
              return leaf.owns(field)
                  ? new RexInputRef(field - leaf.base(), ref.getType())
                  : new RexDynamicParam(ref.getType(), OUTER + field);
            }
          });
    }

    // ---------------------------------------------------------------- nodes

    Planned build(Step step) {
      if (step.method() == Method.LEAF) {
        return global(step.leaf(), leafPlan(step.leaf(), step.access()));
      }
      Planned outer = build(step.outer());
      int width = block.fields();
      if (step.method() == Method.INDEX_LOOP) {
        Map<Integer, Integer> slots = new LinkedHashMap<>();
        AccessPath access = withSlots(step.access(), slots);
        Planned inner = leafPlan(step.leaf(), access);
        return merged(
            joins.loop(JoinType.INNER, outer, inner, width, slots, List.of()), step, outer);
      }
      Planned inner = leafPlan(step.leaf(), cheapest.get(1L << step.leaf()).access());
      int base = block.leaves().get(step.leaf()).base();
      int leafWidth = block.leaves().get(step.leaf()).width();
      if (step.method() == Method.HASH_LEAF_PROBES) {
        // Left fields: the leaf's; right fields: all, of which the rest is joined already.
        int[] moved = new int[width];
        Arrays.setAll(
            moved, f -> block.leaves().get(step.leaf()).owns(f) ? f - base : leafWidth + f);
        Planned joined =
            joins.hash(
                JoinType.INNER, inner, outer, leafWidth, mapped(step.conditions(), moved), false);
        if (joined == null) {
          return lastResort(step, outer, inner);
        }
        int[] positions = new int[width];
        for (int f = 0; f < width; f++) {
          positions[f] = joined.columns().positionOrNone(moved[f]);
        }
        return result(joined, positions, step, Ordering.NONE);
      }
      int[] moved = new int[width];
      Arrays.setAll(moved, f -> block.leaves().get(step.leaf()).owns(f) ? width + f - base : f);
      List<RexNode> conditions = mapped(step.conditions(), moved);
      Planned joined =
          step.method() == Method.HASH_LEAF_BUILT
              ? joins.hash(JoinType.INNER, outer, inner, width, conditions, false)
              : joins.loop(JoinType.INNER, outer, inner, width, Map.of(), conditions);
      if (joined == null) {
        return lastResort(step, outer, inner);
      }
      return merged(joined, step, outer);
    }

    /** Fallback for sides whose types cannot be hashed together. */
    private Planned lastResort(Step step, Planned outer, Planned inner) {
      int width = block.fields();
      JoinBlock.Leaf leaf = block.leaves().get(step.leaf());
      int[] moved = new int[width];
      Arrays.setAll(moved, f -> leaf.owns(f) ? width + f - leaf.base() : f);
      return merged(
          joins.loop(
              JoinType.INNER, outer, inner, width, Map.of(), mapped(step.conditions(), moved)),
          step,
          outer);
    }

    private static List<RexNode> mapped(List<RexNode> conditions, int[] fields) {
      List<RexNode> result = new ArrayList<>();
      for (RexNode condition : conditions) {
        result.add(Fields.mapped(condition, fields));
      }
      return result;
    }

    /**
     * Fields after the block's are the new leaf's: they are moved to their positions in the block.
     */
    private Planned merged(Planned joined, Step step, Planned outer) {
      JoinBlock.Leaf leaf = block.leaves().get(step.leaf());
      int[] positions = new int[block.fields()];
      for (int f = 0; f < positions.length; f++) {
        positions[f] =
            joined.columns().positionOrNone(leaf.owns(f) ? block.fields() + f - leaf.base() : f);
      }
      return result(joined, positions, step, outer.ordering());
    }

    private Planned result(Planned joined, int[] positions, Step step, Ordering ordering) {
      Estimate made = joined.estimate();
      Estimate estimate = new Estimate(made.startup(), step.cost(), step.rows(), made.width());
      planning.note(joined.node(), estimate);
      Ordering kept =
          step.method() == Method.INDEX_LOOP || step.method() == Method.LOOP
              ? ordering
              : Ordering.NONE;
      return new Planned(joined.node(), ColumnMap.of(positions), estimate, kept);
    }

    private Planned leafPlan(int leaf, AccessPath access) {
      if (access == null) {
        return subPlans[leaf];
      }
      JoinBlock.Leaf l = block.leaves().get(leaf);
      ImmutableBitSet own =
          emitted.intersect(ImmutableBitSet.range(l.base(), l.base() + l.width())).shift(-l.base());
      return scans.build(table((TableScan) l.rel()), access, own);
    }

    /** A leaf's plan in the numbering of the block. */
    private Planned global(int leaf, Planned planned) {
      JoinBlock.Leaf l = block.leaves().get(leaf);
      int[] positions = new int[block.fields()];
      Arrays.fill(positions, -1);
      int[] fields = new int[l.width()];
      for (int i = 0; i < l.width(); i++) {
        positions[l.base() + i] = planned.columns().positionOrNone(i);
        fields[i] = l.base() + i;
      }
      return new Planned(
          planned.node(),
          ColumnMap.of(positions),
          planned.estimate(),
          planned.ordering().mapped(fields));
    }

    private AccessPath withSlots(AccessPath path, Map<Integer, Integer> slots) {
      RexShuttle shuttle =
          new RexShuttle() {
            @Override
            public RexNode visitDynamicParam(RexDynamicParam param) {
              if (param.getIndex() < OUTER) {
                return param;
              }
              int slot =
                  slots.computeIfAbsent(param.getIndex() - OUTER, f -> planning.slots.allocate());
              return new RexDynamicParam(param.getType(), slot);
            }
          };
      List<RexNode> filter = new ArrayList<>();
      for (RexNode condition : path.filter()) {
        filter.add(condition.accept(shuttle));
      }
      return new AccessPath(
          path.kind(),
          path.index(),
          sargs(path.prefix(), shuttle),
          sargs(path.range(), shuttle),
          filter,
          path.reverse(),
          path.matched(),
          path.estimate(),
          path.ordering());
    }

    private static List<Sarg> sargs(List<Sarg> sargs, RexShuttle shuttle) {
      List<Sarg> result = new ArrayList<>();
      for (Sarg sarg : sargs) {
        List<RexNode> values = new ArrayList<>();
        for (RexNode value : sarg.values()) {
          values.add(value == null ? null : value.accept(shuttle));
        }
        result.add(
            new Sarg(
                sarg.condition().accept(shuttle),
                sarg.column(),
                sarg.expression(),
                sarg.kind(),
                values,
                sarg.exact()));
      }
      return result;
    }
  }
}
