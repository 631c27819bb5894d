package io.gauss.compute.sql.plan.rewrite;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.algebra.CommonTable;
import io.gauss.compute.sql.algebra.PgAggregate;
import io.gauss.compute.sql.algebra.PgCommonTableScan;
import io.gauss.compute.sql.algebra.PgLockRows;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgSubQuery;
import io.gauss.compute.sql.algebra.PlanningWatch;
import io.gauss.compute.sql.algebra.SubQueries;
import io.gauss.compute.sql.exec.node.ApplyNode;
import io.gauss.compute.sql.exec.node.InternalAggregates;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Replaces sub-queries in expressions, before any other step of planning:
 *
 * <ul>
 *   <li>one that does not refer to outer rows becomes a parameter whose value is computed
 *       beforehand;
 *   <li>EXISTS, IN, ANY, ALL as a whole condition of WHERE become semi and anti joins, with the
 *       conditions on the outer row pulled up into the join condition where possible ({@link
 *       Decorrelation});
 *   <li>everything else becomes a correlate, which opens the sub-query for each outer row.
 * </ul>
 *
 * <p>One planning, one thread.
 */
public final class SubQueryRewriter {
  private final InitialQueries initials;

  /**
   * Queries of sub-queries. One is asked for again when it does not become a join, and where an
   * operand is used twice: that would double with each level of sub-queries.
   */
  private final Map<PgSubQuery, RelNode> rewritten = new IdentityHashMap<>();

  /** Repeated common table expressions around the node that is rewritten. */
  private int inlined;

  public SubQueryRewriter(InitialQueries initials) {
    this.initials = initials;
  }

  public RelNode rewrite(RelNode rel) {
    if (rel instanceof PgCommonTableScan scan) {
      return commonTable(scan);
    }
    if (inlined > 0) {
      PlanningWatch.of(rel).expandRelation();
    } else {
      PlanningWatch.of(rel).checkCancel();
    }
    List<RelNode> inputs = new ArrayList<>();
    boolean changed = false;
    for (RelNode input : rel.getInputs()) {
      RelNode rewritten = rewrite(input);
      changed |= rewritten != input;
      inputs.add(rewritten);
    }
    RelNode node = changed ? rel.copy(rel.getTraitSet(), inputs) : rel;
    return switch (node) {
      case Filter filter when SubQueries.isIn(filter.getCondition()) -> filter(filter);
      case Project project when project.getProjects().stream().anyMatch(SubQueries::isIn) ->
          project(project);
      case PgLockRows lock when SubQueries.isIn(lock.recheck()) ->
          lock.withRecheck(withoutSubQueries(lock.recheck()));
      default -> node;
    };
  }

  /** The query itself, or the scan of its kept rows. */
  private RelNode commonTable(PgCommonTableScan scan) {
    CommonTable table = scan.table();
    if (table.write() != null || initials.keeps(table)) {
      return scan;
    }
    inlined += table.isRepeated() ? 1 : 0;
    RelNode query = rewrite(table.rel());
    inlined -= table.isRepeated() ? 1 : 0;
    boolean dependent = dependsOnOuterRows(query);
    if (table.isLocking() && dependent) {
      throw GaussException.notSupported("FOR UPDATE in a sub-query that refers to outer rows");
    }
    if (table.isInlined() || dependent) {
      return query;
    }
    // By now its own sub-queries are initial values, and come before those that read from it.
    initials.keep(table, query);
    return scan;
  }

  /**
   * The parts of a condition that can be evaluated again on a changed row alone: those without
   * sub-queries.
   */
  public static RexNode withoutSubQueries(RexNode condition) {
    List<RexNode> kept = new ArrayList<>();
    for (RexNode conjunct : PgRex.conjuncts(condition)) {
      if (!SubQueries.isIn(conjunct)) {
        kept.add(conjunct);
      }
    }
    return PgRex.and(kept);
  }

  // ------------------------------------------------------------------ WHERE

  private RelNode filter(Filter filter) {
    RelNode input = filter.getInput();
    int width = input.getRowType().getFieldCount();
    List<RexNode> plain = new ArrayList<>();
    List<RexNode> rest = new ArrayList<>();
    for (RexNode conjunct : PgRex.conjuncts(filter.getCondition())) {
      (SubQueries.isIn(conjunct) ? rest : plain).add(conjunct);
    }
    RelNode rel = plain.isEmpty() ? input : LogicalFilter.create(input, PgRex.and(plain));
    List<RexNode> values = new ArrayList<>();
    for (RexNode conjunct : rest) {
      RelNode joined = asJoin(rel, conjunct);
      if (joined == null) {
        values.add(conjunct);
      } else {
        rel = joined;
      }
    }
    if (values.isEmpty()) {
      return rel;
    }
    Applied applied = apply(rel, values);
    rel = LogicalFilter.create(applied.rel, PgRex.and(applied.expressions));
    return firstColumns(rel, width, input);
  }

  private static RelNode firstColumns(RelNode rel, int width, RelNode like) {
    if (rel.getRowType().getFieldCount() == width) {
      return rel;
    }
    List<RexNode> columns = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      columns.add(PgRex.input(i, rel.getRowType()));
    }
    return LogicalProject.create(rel, List.of(), columns, like.getRowType().getFieldNames());
  }

  /** A semi or anti join for a condition that consists only of a sub-query; null for others. */
  private RelNode asJoin(RelNode left, RexNode conjunct) {
    boolean negated = false;
    RexNode node = conjunct;
    while (node.isA(SqlKind.NOT)) {
      negated = !negated;
      node = ((RexCall) node).operands.getFirst();
    }
    if (!(node instanceof RexCall call) || !(call.op instanceof PgSubQuery subQuery)) {
      return null;
    }
    if (call.operands.stream().anyMatch(SubQueries::isIn)) {
      return null;
    }
    RelNode query = query(subQuery);
    boolean correlated = dependsOnOuterRows(query);
    switch (subQuery.subKind()) {
      case SCALAR:
        return null;
      case EXISTS:
        if (!correlated) {
          return null;
        }
        return join(
            left,
            negated ? JoinRelType.ANTI : JoinRelType.SEMI,
            query,
            subQuery.correlation(),
            right -> PgRex.TRUE);
      case ANY:
        boolean anti = negated;
        return join(
            left,
            anti ? JoinRelType.ANTI : JoinRelType.SEMI,
            query,
            subQuery.correlation(),
            right -> {
              RexNode compared = subQuery.comparison().of(call.operands, right);
              return anti ? unlessFalse(compared) : compared;
            });
      case ALL:
        boolean some = negated;
        return join(
            left,
            some ? JoinRelType.SEMI : JoinRelType.ANTI,
            query,
            subQuery.correlation(),
            right -> {
              RexNode compared = subQuery.comparison().of(call.operands, right);
              return some
                  ? PgRex.not(compared)
                  : PgRex.bool(SqlStdOperatorTable.IS_NOT_TRUE, compared);
            });
      default:
        throw new IllegalStateException("kind " + subQuery.subKind());
    }
  }

  /** NOT IN is false for a row as soon as the comparison with one element is not false. */
  private static RexNode unlessFalse(RexNode compared) {
    return PgRex.bool(SqlStdOperatorTable.IS_NOT_FALSE, compared);
  }

  /** Makes the join condition from the columns of the right side. */
  private interface Condition {
    RexNode of(List<RexNode> right);
  }

  private RelNode join(
      RelNode left,
      JoinRelType type,
      RelNode query,
      CorrelationId correlation,
      Condition condition) {
    int width = left.getRowType().getFieldCount();
    RelNode sub =
        query instanceof Sort sort && sort.fetch == null && sort.offset == null
            ? sort.getInput()
            : query;
    if (correlation == null || !SubQueries.useOuterRow(sub, correlation)) {
      List<RexNode> right = new ArrayList<>();
      for (int i = 0; i < sub.getRowType().getFieldCount(); i++) {
        right.add(new RexInputRef(width + i, sub.getRowType().getFieldList().get(i).getType()));
      }
      return LogicalJoin.create(left, sub, List.of(), condition.of(right), Set.of(), type);
    }
    Decorrelation pulled = Decorrelation.of(sub, correlation, width);
    if (pulled != null) {
      List<RexNode> conditions = new ArrayList<>(pulled.conditions());
      conditions.add(condition.of(pulled.outputs()));
      return LogicalJoin.create(
          left, pulled.rel(), List.of(), PgRex.and(conditions), Set.of(), type);
    }
    // Each outer row opens the sub-query; the comparison becomes a filter on top of it.
    List<RexNode> own = new ArrayList<>();
    for (int i = 0; i < sub.getRowType().getFieldCount(); i++) {
      own.add(PgRex.input(i, sub.getRowType()));
    }
    RexNode compared = outerAccess(condition, own, left, correlation, width);
    RelNode right = PgRex.isTrue(compared) ? sub : LogicalFilter.create(sub, compared);
    return LogicalCorrelate.create(
        left, right, List.of(), correlation, SubQueries.outerFields(right, correlation), type);
  }

  /**
   * The condition with the left columns as fields of the correlation variable and the right ones as
   * the input's.
   */
  private static RexNode outerAccess(
      Condition condition, List<RexNode> own, RelNode left, CorrelationId correlation, int width) {
    List<RexNode> marked = new ArrayList<>();
    for (RexNode node : own) {
      marked.add(PgRex.shift(node, width));
    }
    RexNode variable = PgRex.BUILDER.makeCorrel(left.getRowType(), correlation);
    return condition
        .of(marked)
        .accept(
            new RexShuttle() {
              @Override
              public RexNode visitInputRef(RexInputRef ref) {
                return ref.getIndex() >= width
                    ? new RexInputRef(ref.getIndex() - width, ref.getType())
                    : PgRex.BUILDER.makeFieldAccess(variable, ref.getIndex());
              }
            });
  }

  // ------------------------------------------------------------------ sub-queries as values

  /** Expressions whose sub-queries have become columns or parameters. */
  public static final class Applied {
    private RelNode rel;
    private final List<RexNode> expressions = new ArrayList<>();

    public RelNode rel() {
      return rel;
    }

    public List<RexNode> expressions() {
      return expressions;
    }
  }

  private RelNode project(Project project) {
    Applied applied = apply(project.getInput(), project.getProjects());
    return LogicalProject.create(
        applied.rel, List.of(), applied.expressions, project.getRowType().getFieldNames());
  }

  /** Replaces sub-queries by columns that are added after the input's. */
  public Applied apply(RelNode input, List<RexNode> expressions) {
    Applied applied = new Applied();
    applied.rel = input;
    for (RexNode expression : expressions) {
      applied.expressions.add(
          expression.accept(
              new RexShuttle() {
                @Override
                public RexNode visitCall(RexCall call) {
                  if (call.op instanceof PgSubQuery subQuery) {
                    RexCall operands = (RexCall) super.visitCall(call);
                    return value(applied, subQuery, operands.operands, call);
                  }
                  return super.visitCall(call);
                }
              }));
    }
    return applied;
  }

  private RelNode query(PgSubQuery subQuery) {
    RelNode query = rewritten.get(subQuery);
    if (query == null) {
      query = rewrite(subQuery.rel());
      rewritten.put(subQuery, query);
    }
    return query;
  }

  private RexNode value(
      Applied applied, PgSubQuery subQuery, List<RexNode> operands, RexCall call) {
    RelNode query = query(subQuery);
    boolean correlated = dependsOnOuterRows(query);
    CorrelationId correlation =
        subQuery.correlation() != null
            ? subQuery.correlation()
            : applied.rel.getCluster().createCorrel();
    switch (subQuery.subKind()) {
      case SCALAR:
        return correlated
            ? column(applied, single(query), correlation)
            : initial(ApplyNode.Kind.SCALAR, query, PgRex.type(call));
      case EXISTS:
        return correlated
            ? isTrue(column(applied, exists(query), correlation))
            : initial(ApplyNode.Kind.EXISTS, query, PgType.BOOL);
      case ANY, ALL:
        return quantified(applied, subQuery, query, operands, correlation);
      default:
        throw new IllegalStateException("kind " + subQuery.subKind());
    }
  }

  private RexNode initial(ApplyNode.Kind kind, RelNode query, PgType type) {
    return new RexDynamicParam(PgRex.rel(type), initials.add(kind, query));
  }

  private static RexNode isTrue(RexNode node) {
    return PgRex.bool(SqlStdOperatorTable.IS_TRUE, node);
  }

  /** One row with the sub-query's value, also when it has no row; several rows are an error. */
  private static RelNode single(RelNode query) {
    if (query instanceof Aggregate aggregate && aggregate.getGroupSet().isEmpty()) {
      return query;
    }
    if (query instanceof Project project
        && project.getInput() instanceof Aggregate aggregate
        && aggregate.getGroupSet().isEmpty()) {
      return query;
    }
    PgType type = PgRex.type(PgRex.input(0, query.getRowType()));
    PgAggregate function = new PgAggregate(InternalAggregates.singleValue(type));
    return aggregate(query, function, List.of(0));
  }

  private static RelNode aggregate(RelNode query, PgAggregate function, List<Integer> arguments) {
    AggregateCall call =
        AggregateCall.create(
            function,
            false,
            false,
            arguments,
            -1,
            org.apache.calcite.rel.RelCollations.EMPTY,
            PgRex.rel(function.result()),
            "value");
    return LogicalAggregate.create(query, List.of(), ImmutableBitSet.of(), null, List.of(call));
  }

  /** One row: true when the query has a row, else NULL. */
  private static RelNode exists(RelNode query) {
    RelNode marked =
        LogicalProject.create(
            query,
            List.of(),
            List.of(io.gauss.compute.sql.algebra.PgConstant.ofLong(PgType.BOOL, 1)),
            List.of("found"));
    RelNode first =
        org.apache.calcite.rel.logical.LogicalSort.create(
            marked,
            org.apache.calcite.rel.RelCollations.EMPTY,
            null,
            io.gauss.compute.sql.algebra.PgConstant.ofLong(PgType.INT8, 1));
    return aggregate(first, new PgAggregate(InternalAggregates.anyValue(PgType.BOOL)), List.of(0));
  }

  /** Adds the query's single column after the input's. */
  private static RexNode column(Applied applied, RelNode query, CorrelationId correlation) {
    int width = applied.rel.getRowType().getFieldCount();
    applied.rel =
        LogicalCorrelate.create(
            applied.rel,
            query,
            List.of(),
            correlation,
            SubQueries.outerFields(query, correlation),
            JoinRelType.LEFT);
    return new RexInputRef(width, query.getRowType().getFieldList().getFirst().getType());
  }

  /**
   * {@code x op ANY (q)} as a value: true when a row compares true; else NULL when a comparison is
   * unknown; else false. ALL is the negation of ANY with the negated comparison.
   */
  private RexNode quantified(
      Applied applied,
      PgSubQuery subQuery,
      RelNode query,
      List<RexNode> operands,
      CorrelationId correlation) {
    boolean all = subQuery.subKind() == PgSubQuery.Kind.ALL;
    int width = applied.rel.getRowType().getFieldCount();
    List<RexNode> own = new ArrayList<>();
    for (int i = 0; i < query.getRowType().getFieldCount(); i++) {
      own.add(PgRex.input(i, query.getRowType()));
    }
    RexNode compared =
        outerAccess(
            right -> subQuery.comparison().of(operands, right),
            own,
            applied.rel,
            correlation,
            width);
    RexNode hit = all ? PgRex.bool(SqlStdOperatorTable.IS_FALSE, compared) : compared;
    RexNode unknown = PgRex.bool(SqlStdOperatorTable.IS_NULL, compared);
    RexNode found = isTrue(column(applied, exists(LogicalFilter.create(query, hit)), correlation));
    RexNode doubt =
        isTrue(column(applied, exists(LogicalFilter.create(query, unknown)), correlation));
    return PgRex.call(
        SqlStdOperatorTable.CASE,
        PgType.BOOL,
        List.of(
            found,
            all ? PgRex.FALSE : PgRex.TRUE,
            doubt,
            io.gauss.compute.sql.algebra.PgConstant.ofNull(PgType.BOOL),
            all ? PgRex.TRUE : PgRex.FALSE));
  }

  // ------------------------------------------------------------------ correlation

  /** Whether it refers to an outer row, of the next level or of one further out. */
  private static boolean dependsOnOuterRows(RelNode rel) {
    Set<CorrelationId> used = new HashSet<>();
    Set<CorrelationId> own = new HashSet<>();
    variables(rel, used, own);
    used.removeAll(own);
    return !used.isEmpty();
  }

  private static void variables(RelNode rel, Set<CorrelationId> used, Set<CorrelationId> own) {
    if (rel instanceof Correlate correlate) {
      own.add(correlate.getCorrelationId());
    }
    rel.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCorrelVariable(RexCorrelVariable variable) {
            used.add(variable.id);
            return variable;
          }
        });
    for (RelNode input : rel.getInputs()) {
      variables(input, used, own);
    }
  }
}
