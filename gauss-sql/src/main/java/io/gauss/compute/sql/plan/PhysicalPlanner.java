package io.gauss.compute.sql.plan;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.algebra.Fields;
import io.gauss.compute.sql.algebra.PgCommonTableScan;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgLockRows;
import io.gauss.compute.sql.algebra.PgProducer;
import io.gauss.compute.sql.algebra.PgRecursion;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgValues;
import io.gauss.compute.sql.algebra.PgWindow;
import io.gauss.compute.sql.exec.node.DistinctNode;
import io.gauss.compute.sql.exec.node.FilterNode;
import io.gauss.compute.sql.exec.node.LimitNode;
import io.gauss.compute.sql.exec.node.LockRowsNode;
import io.gauss.compute.sql.exec.node.OneRowNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.ProducerNode;
import io.gauss.compute.sql.exec.node.ProjectNode;
import io.gauss.compute.sql.exec.node.RecursionNode;
import io.gauss.compute.sql.exec.node.SetOpNode;
import io.gauss.compute.sql.exec.node.SortNode;
import io.gauss.compute.sql.exec.node.SpoolNode;
import io.gauss.compute.sql.exec.node.UnionAllNode;
import io.gauss.compute.sql.exec.node.ValuesNode;
import io.gauss.compute.sql.exec.row.SortKey;
import io.gauss.compute.sql.plan.cost.CostModel;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.sql.plan.cost.KeyColumns;
import io.gauss.compute.sql.plan.cost.Ordering;
import io.gauss.compute.sql.plan.cost.Wanted;
import io.gauss.compute.sql.plan.rewrite.JoinBlock;
import io.gauss.compute.sql.plan.rewrite.LogicalRewriter;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Minus;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.Union;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Turns algebra into a physical plan, from the top down: each node gets the fields that are needed
 * and the wanted order. It returns a plan, the positions of its fields in the plan's rows, and the
 * order of these rows. One planning, one thread.
 */
final class PhysicalPlanner {
  /** PostgreSQL's estimate for functions. */
  private static final double PRODUCED_ROWS = 1000;

  private final Planning planning;
  private final ScanPlanner scans;
  private final JoinOrder joinOrder;
  private final JoinPlanner joins;
  private final AggregatePlanner aggregates;
  private final WindowPlanner windows;

  PhysicalPlanner(Planning planning) {
    this.planning = planning;
    this.scans = new ScanPlanner(planning);
    this.joins = new JoinPlanner(planning, this);
    this.joinOrder = new JoinOrder(planning, this, scans, joins);
    this.aggregates = new AggregatePlanner(planning, this);
    this.windows = new WindowPlanner(planning, this);
  }

  ScanPlanner scans() {
    return scans;
  }

  /** A plan whose rows are exactly the node's fields, in order. */
  Planned root(RelNode rel) {
    int width = rel.getRowType().getFieldCount();
    return layout(plan(rel, ImmutableBitSet.range(width), Wanted.NOTHING), width);
  }

  Planned plan(RelNode rel, ImmutableBitSet needed, Wanted wanted) {
    planning.watch.checkCancel();
    return switch (rel) {
      case Filter f -> block(f, needed, wanted);
      case TableScan s -> block(s, needed, wanted);
      case Project p -> block(p, needed, wanted);
      case Join j ->
          j.getJoinType() == JoinRelType.INNER
              ? block(j, needed, wanted)
              : joins.outerJoin(j, needed, wanted);
      case Correlate c -> joins.correlate(c, needed, wanted);
      case Aggregate a -> aggregates.plan(a, needed);
      case Sort s -> sort(s, needed, wanted);
      case Union u -> union(u);
      case SetOp s -> setOperation(s);
      case PgValues v -> values(v);
      case Values v -> emptyValues(v);
      case PgProducer p -> producer(p);
      case PgRecursion r -> recursion(r);
      case PgCommonTableScan c -> commonTable(c);
      case PgWindow w -> windows.plan(w, needed);
      case PgLockRows l -> lockRows(l, needed, wanted);
      default -> throw GaussException.notSupported("planning of " + rel.getRelTypeName());
    };
  }

  // ------------------------------------------------------------------ joins, filters, projections

  private Planned block(RelNode rel, ImmutableBitSet needed, Wanted wanted) {
    JoinBlock block = JoinBlock.of(rel);
    if (block.leaves().size() == 1 && block.leaves().getFirst().rel() == rel) {
      // A projection of volatile functions must stay where it is.
      if (rel instanceof Project project) {
        return fixedProject(project, needed);
      }
    }
    KeyColumns keys = keys(block);
    int[] outputFields = block.outputFields();
    for (int i = 0; i < outputFields.length && keys != null; i++) {
      outputFields[i] = keys.of(block.outputs().get(i));
    }
    Planned inner = joinOrder.plan(block, block.needed(needed), wanted.mapped(outputFields));
    return outputs(block.outputs(), needed, inner, keys);
  }

  /** Of a block that is one table; null for others. */
  private KeyColumns keys(JoinBlock block) {
    return block.leaves().size() == 1 && block.leaves().getFirst().rel() instanceof TableScan scan
        ? planning.indexes.keys(JoinOrder.table(scan))
        : null;
  }

  private Planned fixedProject(Project project, ImmutableBitSet needed) {
    RelNode input = project.getInput();
    Planned planned = plan(input, Fields.of(project.getProjects()), Wanted.NOTHING);
    return outputs(project.getProjects(), withVolatile(project, needed), planned);
  }

  /**
   * Volatile functions may have effects: they are called although nobody needs what they return.
   */
  private static ImmutableBitSet withVolatile(Project project, ImmutableBitSet needed) {
    ImmutableBitSet all = needed;
    for (int i = 0; i < project.getProjects().size(); i++) {
      all = RexUtil.isDeterministic(project.getProjects().get(i)) ? all : all.set(i);
    }
    return all;
  }

  Planned outputs(List<RexNode> outputs, ImmutableBitSet needed, Planned input) {
    return outputs(outputs, needed, input, null);
  }

  /**
   * Computes the needed ones of some expressions over a plan; plain columns cost nothing.
   *
   * @param keys what fields of the input's order stand for that it does not emit; null = none
   */
  private Planned outputs(
      List<RexNode> outputs, ImmutableBitSet needed, Planned input, KeyColumns keys) {
    int[] positions = new int[outputs.size()];
    Arrays.fill(positions, -1);
    boolean computed = false;
    for (int output : needed) {
      computed |= !(outputs.get(output) instanceof RexInputRef);
    }
    PlanNode node = input.node();
    Estimate estimate = input.estimate();
    if (computed) {
      List<RexNode> expressions = new ArrayList<>();
      int at = 0;
      for (int output : needed) {
        expressions.add(outputs.get(output));
        positions[output] = at++;
      }
      Expr[] columns = planning.compiler.compile(expressions, input.columns());
      node = new ProjectNode(input.node(), columns);
      estimate =
          new Estimate(
              estimate.startup(),
              estimate.total() + estimate.rows() * columns.length * CostModel.OPERATOR,
              estimate.rows(),
              CostModel.width(node.types()));
      planning.note(node, estimate);
    } else {
      for (int output : needed) {
        positions[output] =
            input.columns().position(((RexInputRef) outputs.get(output)).getIndex());
      }
    }
    int fields = input.columns().fields();
    int[] newFields = new int[keys == null ? fields : Math.max(fields, keys.end())];
    Arrays.fill(newFields, -1);
    for (int output : needed.toList().reversed()) {
      if (outputs.get(output) instanceof RexInputRef ref) {
        newFields[ref.getIndex()] = output;
      } else if (keys != null && keys.of(outputs.get(output)) >= 0) {
        newFields[keys.of(outputs.get(output))] = output;
      }
    }
    return new Planned(node, ColumnMap.of(positions), estimate, input.ordering().mapped(newFields));
  }

  /** Makes the rows exactly the first {@code width} fields, in order. */
  Planned layout(Planned planned, int width) {
    if (planned.columns().isIdentity(planned.node().types().length)
        && planned.columns().fields() == width) {
      return planned;
    }
    Expr[] columns = new Expr[width];
    for (int i = 0; i < width; i++) {
      int position = planned.columns().position(i);
      columns[i] = new io.gauss.compute.expr.ColumnExpr(position, planned.node().types()[position]);
    }
    PlanNode node = new ProjectNode(planned.node(), columns);
    planning.note(node, planned.estimate());
    return new Planned(node, ColumnMap.identity(width), planned.estimate(), planned.ordering());
  }

  Planned filtered(Planned input, List<RexNode> conditions) {
    if (conditions.isEmpty()) {
      return input;
    }
    double selectivity = 1;
    for (RexNode condition : conditions) {
      selectivity *= CostModel.selectivity(condition);
    }
    PlanNode node = new FilterNode(input.node(), planning.filter(conditions, input.columns()));
    Estimate before = input.estimate();
    Estimate estimate =
        new Estimate(
            before.startup(),
            before.total() + before.rows() * conditions.size() * CostModel.OPERATOR,
            Math.max(1e-3, before.rows() * selectivity),
            before.width());
    planning.note(node, estimate);
    planning.notes.put(node, new Planning.Notes(List.of(), conditions, null));
    return input.with(node, estimate);
  }

  // ------------------------------------------------------------------ order and limit

  private static double count(RexNode node, double otherwise) {
    PgConstant constant = node == null ? null : PgConstant.of(node);
    if (constant == null) {
      return otherwise;
    }
    return constant.isNull() ? Double.POSITIVE_INFINITY : constant.value().l;
  }

  private Planned sort(Sort sort, ImmutableBitSet needed, Wanted wanted) {
    List<Ordering.Key> order = Ordering.keys(sort.getCollation().getFieldCollations());
    if (sort.getInput() instanceof Project project
        && !withVolatile(project, ImmutableBitSet.of()).isEmpty()) {
      List<Ordering.Key> below = below(project, order);
      if (below != null) {
        // Volatile functions are called in order, and only for the rows that remain.
        ImmutableBitSet fields = Fields.of(project.getProjects());
        Planned sorted = sort(sort, project.getInput(), below, fields, Wanted.NOTHING);
        return outputs(project.getProjects(), withVolatile(project, needed), sorted);
      }
    }
    return sort(sort, sort.getInput(), order, needed, wanted);
  }

  /** The same order of the projection's input; null when it has none. */
  private static List<Ordering.Key> below(Project project, List<Ordering.Key> order) {
    List<Ordering.Key> keys = new ArrayList<>();
    for (Ordering.Key key : order) {
      if (!(project.getProjects().get(key.field()) instanceof RexInputRef ref)) {
        return null;
      }
      keys.add(new Ordering.Key(ref.getIndex(), key.descending(), key.nullsFirst()));
    }
    return keys;
  }

  private Planned sort(
      Sort sort, RelNode of, List<Ordering.Key> order, ImmutableBitSet needed, Wanted wanted) {
    boolean limited = sort.fetch != null || sort.offset != null;
    ImmutableBitSet inputNeeded = needed;
    for (Ordering.Key key : order) {
      inputNeeded = inputNeeded.set(key.field());
    }
    // A limit given as a parameter is usually small.
    double limit =
        sort.fetch == null
            ? Double.POSITIVE_INFINITY
            : count(sort.fetch, 20) + (sort.offset == null ? 0 : count(sort.offset, 20));
    Wanted inner = order.isEmpty() && !limited ? wanted : new Wanted(order, limit);
    Planned input = plan(of, inputNeeded, inner);
    Expr fetch = sort.fetch == null ? null : planning.compiler.compile(sort.fetch, null);
    Expr offset = sort.offset == null ? null : planning.compiler.compile(sort.offset, null);
    Planned sorted = input;
    if (!order.isEmpty() && !input.ordering().satisfies(order)) {
      sorted = sorted(input, order, fetch, offset);
    }
    if (!limited) {
      return sorted;
    }
    PlanNode node = new LimitNode(sorted.node(), fetch, offset);
    Estimate before = sorted.estimate();
    double rows = Math.min(before.rows(), limit);
    double fraction = before.rows() <= 0 ? 1 : Math.min(1, rows / before.rows());
    Estimate estimate =
        new Estimate(
            before.startup(),
            before.startup() + (before.total() - before.startup()) * fraction,
            rows,
            before.width());
    planning.note(node, estimate);
    return sorted.with(node, estimate);
  }

  Planned sorted(Planned input, List<Ordering.Key> order, Expr limit, Expr offset) {
    List<SortKey> keys = new ArrayList<>();
    for (Ordering.Key key : order) {
      if (!input.ordering().constants().get(key.field())) {
        keys.add(
            new SortKey(input.columns().position(key.field()), key.descending(), key.nullsFirst()));
      }
    }
    PlanNode node =
        new SortNode(
            input.node(), keys.toArray(SortKey[]::new), limit, limit == null ? null : offset);
    Estimate before = input.estimate();
    double total = before.total() + CostModel.sort(before.rows());
    Estimate estimate = new Estimate(total, total, before.rows(), before.width());
    planning.note(node, estimate);
    Ordering ordering =
        new Ordering(order, input.ordering().constants(), input.ordering().notNull());
    return new Planned(node, input.columns(), estimate, ordering);
  }

  // ------------------------------------------------------------------ set operations and VALUES

  private Planned union(Union union) {
    int width = union.getRowType().getFieldCount();
    List<PlanNode> inputs = new ArrayList<>();
    double total = 0;
    double rows = 0;
    for (RelNode input : union.getInputs()) {
      Planned planned = root(input);
      inputs.add(planned.node());
      total += planned.estimate().total();
      rows += planned.estimate().rows();
    }
    PlanNode node = new UnionAllNode(inputs);
    int bytes = CostModel.width(node.types());
    Estimate estimate = new Estimate(0, total, rows, bytes);
    planning.note(node, estimate);
    if (!union.all) {
      node = new DistinctNode(node, null, false);
      estimate = new Estimate(total, total + rows * CostModel.ROW, Math.max(1, rows / 2), bytes);
      planning.note(node, estimate);
    }
    return new Planned(node, ColumnMap.identity(width), estimate, Ordering.NONE);
  }

  private Planned recursion(PgRecursion recursion) {
    Planned seed = root(recursion.getLeft());
    Planned step = root(recursion.getRight());
    PlanNode node =
        new RecursionNode(seed.node(), step.node(), recursion.isAll(), recursion.workTable());
    // PostgreSQL assumes ten iterations too.
    double rows = seed.estimate().rows() + 10 * step.estimate().rows();
    double total = seed.estimate().total() + 10 * step.estimate().total() + rows * CostModel.ROW;
    Estimate estimate = new Estimate(0, total, rows, CostModel.width(node.types()));
    planning.note(node, estimate);
    int width = recursion.getRowType().getFieldCount();
    return new Planned(node, ColumnMap.identity(width), estimate, Ordering.NONE);
  }

  private Planned commonTable(PgCommonTableScan scan) {
    SpoolNode node = planning.spools.get(scan.table());
    if (node == null) {
      PlanNode input = root(LogicalRewriter.rewrite(planning.initials.kept(scan.table()))).node();
      node = spool(scan.table(), input);
    }
    int width = scan.getRowType().getFieldCount();
    return new Planned(
        node, ColumnMap.identity(width), planning.estimates.get(node), Ordering.NONE);
  }

  /** A result that is computed once for all its readers. */
  SpoolNode spool(CommonTable table, PlanNode input) {
    SpoolNode node = new SpoolNode(table.name(), input);
    planning.spools.put(table, node);
    Estimate before = planning.estimates.get(input);
    return planning.note(
        node,
        new Estimate(
            before.startup(),
            before.total() + before.rows() * CostModel.ROW,
            Math.max(1, before.rows()),
            CostModel.width(node.types())));
  }

  private Planned setOperation(SetOp operation) {
    SetOpNode.Kind kind =
        switch (operation) {
          case Intersect i -> SetOpNode.Kind.INTERSECT;
          case Minus m -> SetOpNode.Kind.EXCEPT;
          default -> throw new IllegalStateException("set operation " + operation);
        };
    Planned left = root(operation.getInput(0));
    for (int i = 1; i < operation.getInputs().size(); i++) {
      Planned right = root(operation.getInput(i));
      PlanNode node = new SetOpNode(kind, operation.all, left.node(), right.node());
      double total = left.estimate().total() + right.estimate().total();
      Estimate estimate =
          new Estimate(
              total,
              total + (left.estimate().rows() + right.estimate().rows()) * CostModel.ROW,
              Math.max(1, left.estimate().rows() / 2),
              left.estimate().width());
      planning.note(node, estimate);
      left = new Planned(node, left.columns(), estimate, Ordering.NONE);
    }
    return left;
  }

  private Planned values(PgValues values) {
    int width = values.getRowType().getFieldCount();
    PlanNode node;
    if (width == 0 && values.rows().size() == 1) {
      node = new OneRowNode();
    } else {
      PgType[] types = new PgType[width];
      for (int i = 0; i < width; i++) {
        types[i] = PgRex.type(PgRex.input(i, values.getRowType()));
      }
      Expr[][] rows = new Expr[values.rows().size()][];
      // All rows have the same defaults of columns that they do not give.
      Map<RexNode, Expr> compiled = new IdentityHashMap<>();
      for (int r = 0; r < rows.length; r++) {
        rows[r] = new Expr[width];
        for (int i = 0; i < width; i++) {
          RexNode value = values.rows().get(r).get(i);
          rows[r][i] = compiled.computeIfAbsent(value, one -> planning.compiler.compile(one, null));
        }
      }
      node = new ValuesNode(types, rows);
    }
    Estimate estimate =
        new Estimate(
            0,
            values.rows().size() * CostModel.ROW,
            values.rows().size(),
            CostModel.width(node.types()));
    planning.note(node, estimate);
    return new Planned(node, ColumnMap.identity(width), estimate, Ordering.NONE);
  }

  private Planned producer(PgProducer producer) {
    int width = producer.getRowType().getFieldCount();
    PgType[] types = new PgType[width];
    for (int i = 0; i < width; i++) {
      types[i] = PgRex.type(PgRex.input(i, producer.getRowType()));
    }
    PlanNode node =
        new ProducerNode(
            producer.name(),
            types,
            producer.producer(),
            planning.compiler.compile(producer.arguments(), null));
    Estimate estimate = new Estimate(0, 10, PRODUCED_ROWS, CostModel.width(types));
    planning.note(node, estimate);
    return new Planned(node, ColumnMap.identity(width), estimate, Ordering.NONE);
  }

  /** Calcite's rules replace a provably empty node by VALUES without rows. */
  private Planned emptyValues(Values values) {
    if (!values.getTuples().isEmpty()) {
      throw new IllegalStateException("values " + values.getTuples());
    }
    int width = values.getRowType().getFieldCount();
    PgType[] types = new PgType[width];
    for (int i = 0; i < width; i++) {
      types[i] = PgRex.type(PgRex.input(i, values.getRowType()));
    }
    PlanNode node = new ValuesNode(types, new Expr[0][]);
    Estimate estimate = new Estimate(0, 0, 0, CostModel.width(types));
    planning.note(node, estimate);
    return new Planned(node, ColumnMap.identity(width), estimate, Ordering.NONE);
  }

  // ------------------------------------------------------------------ FOR UPDATE

  private Planned lockRows(PgLockRows lock, ImmutableBitSet needed, Wanted wanted) {
    ImmutableBitSet all = needed.union(Fields.of(lock.recheck()));
    for (PgLockRows.OuterJoin join : lock.outerJoins()) {
      all = all.union(Fields.of(join.condition()));
    }
    for (PgLockRows.Mark mark : lock.marks()) {
      all = all.set(mark.base() + mark.table().columns().size());
    }
    // The limit counts rows that were locked; the ones below may be more.
    Planned input = plan(lock.getInput(), all, wanted);
    LockRowsNode.Mark[] marks = new LockRowsNode.Mark[lock.marks().size()];
    for (int i = 0; i < marks.length; i++) {
      PgLockRows.Mark mark = lock.marks().get(i);
      int columns = mark.table().columns().size();
      int[] targets = new int[columns];
      for (int c = 0; c < columns; c++) {
        targets[c] = input.columns().positionOrNone(mark.base() + c);
      }
      LockRowsNode.Waiting waiting =
          switch (mark.policy()) {
            case BLOCK -> LockRowsNode.Waiting.WAIT;
            case NOWAIT -> LockRowsNode.Waiting.NOWAIT;
            case SKIP_LOCKED -> LockRowsNode.Waiting.SKIP_LOCKED;
          };
      marks[i] =
          new LockRowsNode.Mark(
              mark.table(), input.columns().position(mark.base() + columns), targets, waiting);
    }
    List<RexNode> recheck = PgRex.conjuncts(lock.recheck());
    PlanNode node =
        new LockRowsNode(
            input.node(),
            marks,
            outerJoins(lock.outerJoins(), input.columns()),
            planning.filter(recheck, input.columns()));
    Estimate estimate =
        input.estimate().plus(input.estimate().rows() * 0.1, input.estimate().rows());
    planning.note(node, estimate);
    return input.with(node, estimate);
  }

  private LockRowsNode.OuterJoin[] outerJoins(List<PgLockRows.OuterJoin> joins, ColumnMap columns) {
    LockRowsNode.OuterJoin[] result = new LockRowsNode.OuterJoin[joins.size()];
    for (int i = 0; i < result.length; i++) {
      PgLockRows.OuterJoin join = joins.get(i);
      int[] partner =
          IntStream.range(join.partner(), join.end())
              .map(columns::positionOrNone)
              .filter(position -> position >= 0)
              .toArray();
      List<RexNode> condition = PgRex.conjuncts(join.condition());
      result[i] = new LockRowsNode.OuterJoin(planning.filter(condition, columns), partner);
    }
    return result;
  }
}
