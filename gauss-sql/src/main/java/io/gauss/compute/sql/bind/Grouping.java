package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgSubQuery;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rel.logical.LogicalUnion;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Turns a grouped query's expressions, bound over the FROM row, into expressions over the row of
 * the aggregation: grouping expressions, then aggregates, then calls of GROUPING. A column that is
 * none of these, and does not depend on a grouped primary key, is an error. One query level.
 */
final class Grouping {
  private final Scope scope;
  private final List<RexNode> groups;
  private final List<AggregateCollector.Item> aggregates;

  /** Positions in {@link #groups}; null = one set, of all. */
  private final List<List<Integer>> sets;

  /** Positions in {@link #groups} of the arguments of each call of GROUPING. */
  private final List<List<Integer>> groupings = new ArrayList<>();

  Grouping(Scope scope, GroupingSets groupBy, AggregateCollector collector) {
    this.scope = scope;
    this.groups = new ArrayList<>(groupBy.groups());
    this.aggregates = collector.items();
    this.sets = groupBy.sets();
    for (List<RexNode> arguments : collector.groupings()) {
      groupings.add(arguments.stream().map(this::groupingArgument).toList());
    }
    if (sets == null) {
      addDependentColumns();
    }
  }

  private int groupingArgument(RexNode argument) {
    int group = groups.indexOf(argument);
    if (group < 0) {
      throw new GaussException(
          SqlState.GROUPING_ERROR,
          "arguments to GROUPING must be grouping expressions of the associated query level");
    }
    return group;
  }

  static boolean hasAggregate(RexNode node) {
    boolean[] found = new boolean[1];
    node.accept(
        new RexVisitorImpl<Void>(true) {
          @Override
          public Void visitCall(RexCall call) {
            found[0] |= AggregateCollector.reference(call) != null;
            return super.visitCall(call);
          }
        });
    return found[0];
  }

  /**
   * Columns of a table whose whole primary key is in GROUP BY may be used as if they were in it.
   */
  private void addDependentColumns() {
    for (Relation relation : scope.relations) {
      if (relation.table == null || relation.table.hasRowId()) {
        continue;
      }
      boolean wholeKey = true;
      for (int column : relation.table.primaryKey()) {
        wholeKey &= groups.contains(PgRex.input(relation.base + column, scope.rowType()));
      }
      if (!wholeKey) {
        continue;
      }
      for (int i = 0; i < relation.table.columns().size(); i++) {
        RexNode column = PgRex.input(relation.base + i, scope.rowType());
        if (!groups.contains(column)) {
          groups.add(column);
        }
      }
      if (scope.use(relation.rowKey) > 0) {
        // The row as a whole, of which an outer join may have none.
        groups.add(PgRex.input(relation.rowKey, scope.rowType()));
      }
    }
  }

  /** An expression over the aggregation's row. */
  RexNode rewrite(RexNode node) {
    int group = groups.indexOf(node);
    if (group >= 0) {
      return new RexInputRef(group, node.getType());
    }
    AggregateCollector.Reference reference = AggregateCollector.reference(node);
    if (reference != null) {
      return new RexInputRef(groups.size() + reference.index, node.getType());
    }
    if (AggregateCollector.groupingReference(node) != null) {
      return groupingColumn(node);
    }
    return node.accept(
        new RexShuttle() {
          @Override
          public RexNode visitCall(RexCall call) {
            int found = groups.indexOf(call);
            if (found >= 0) {
              return new RexInputRef(found, call.getType());
            }
            AggregateCollector.Reference aggregate = AggregateCollector.reference(call);
            if (aggregate != null) {
              return new RexInputRef(groups.size() + aggregate.index, call.getType());
            }
            if (AggregateCollector.groupingReference(call) != null) {
              return groupingColumn(call);
            }
            if (call.op instanceof PgSubQuery subQuery) {
              RexCall operands = (RexCall) super.visitCall(call);
              return PgRex.BUILDER.makeCall(
                  call.getType(), outerRow(subQuery), operands.getOperands());
            }
            return super.visitCall(call);
          }

          @Override
          public RexNode visitInputRef(RexInputRef ref) {
            int found = groups.indexOf(ref);
            if (found >= 0) {
              return new RexInputRef(found, ref.getType());
            }
            throw notGrouped(ref.getIndex());
          }
        });
  }

  private RexNode groupingColumn(RexNode reference) {
    int index = AggregateCollector.groupingReference(reference).index;
    return new RexInputRef(groups.size() + aggregates.size() + index, reference.getType());
  }

  /** A sub-query that referred to the FROM row now refers to the aggregation's row. */
  private PgSubQuery outerRow(PgSubQuery subQuery) {
    CorrelationId id = subQuery.correlation();
    if (id == null) {
      return subQuery;
    }
    RelDataType type = rowType();
    CorrelationId newId = scope.newCorrelation();
    RexNode variable = PgRex.BUILDER.makeCorrel(type, newId);
    RexShuttle fields =
        new RexShuttle() {
          @Override
          public RexNode visitFieldAccess(RexFieldAccess access) {
            boolean ours =
                access.getReferenceExpr() instanceof RexCorrelVariable v && v.id.equals(id);
            if (!ours) {
              return super.visitFieldAccess(access);
            }
            int index = access.getField().getIndex();
            int found = groups.indexOf(PgRex.input(index, scope.rowType()));
            if (found < 0) {
              throw notGrouped(index);
            }
            return PgRex.BUILDER.makeFieldAccess(variable, found);
          }
        };
    RelNode rel =
        subQuery
            .rel()
            .accept(
                new RelHomogeneousShuttle() {
                  @Override
                  public RelNode visit(RelNode other) {
                    return super.visit(other).accept(fields);
                  }
                });
    return subQuery.with(rel, newId);
  }

  private RelDataType rowType() {
    var builder = PgTypeFactory.INSTANCE.builder();
    for (int i = 0; i < groups.size(); i++) {
      builder.add("g" + i, groups.get(i).getType());
    }
    for (int i = 0; i < aggregates.size(); i++) {
      builder.add("a" + i, PgRex.rel(aggregates.get(i).aggregate().result()));
    }
    for (int i = 0; i < groupings.size(); i++) {
      builder.add("s" + i, PgRex.rel(PgType.INT4));
    }
    return builder.build();
  }

  private GaussException notGrouped(int index) {
    for (Relation relation : scope.relations) {
      if (index == relation.mark || index == relation.rowKey) {
        return notGrouped(relation.name + ".*", index);
      }
      for (Relation.Column column : relation.columns) {
        boolean found = column.expression() instanceof RexInputRef ref && ref.getIndex() == index;
        if (found && relation.qualifiedVisible) {
          return notGrouped(relation.name + "." + column.name(), index);
        }
      }
    }
    return new GaussException(
        SqlState.GROUPING_ERROR,
        "a column must appear in the GROUP BY clause or be used in an aggregate function");
  }

  private GaussException notGrouped(String column, int index) {
    return new GaussException(
            SqlState.GROUPING_ERROR,
            "column \"%s\" must appear in the GROUP BY clause or be used in an aggregate function"
                .formatted(column))
        .position(scope.use(index));
  }

  /** The aggregation over an input whose row is the FROM row. */
  RelNode apply(RelNode input) {
    List<RexNode> columns = new ArrayList<>(groups);
    List<AggregateCall> calls = new ArrayList<>();
    for (AggregateCollector.Item item : aggregates) {
      List<Integer> arguments = new ArrayList<>();
      for (RexNode argument : item.arguments()) {
        arguments.add(column(argument, columns));
      }
      int filter = item.filter() == null ? -1 : column(isTrue(item.filter()), columns);
      List<RelFieldCollation> order = new ArrayList<>();
      for (AggregateCollector.Order key : item.order()) {
        order.add(
            OrderBinder.field(
                column(key.expression(), columns), key.descending(), key.nullsFirst()));
      }
      calls.add(
          AggregateCall.create(
              item.aggregate(),
              item.distinct(),
              false,
              arguments,
              filter,
              RelCollations.of(order),
              PgRex.rel(item.aggregate().result()),
              "a" + calls.size()));
    }
    RelNode projected = LogicalProject.create(input, List.of(), columns, (List<String>) null);
    if (sets == null) {
      List<Integer> all = IntStream.range(0, groups.size()).boxed().toList();
      RelNode whole = aggregate(projected, all, calls);
      return groupings.isEmpty() ? whole : aligned(whole, all);
    }
    // Each set is a separate aggregation, so the input is read once for each.
    List<RelNode> parts = new ArrayList<>();
    for (List<Integer> set : sets) {
      RelNode part = aggregate(projected, set, calls);
      parts.add(aligned(set.isEmpty() ? kept(part) : part, set));
    }
    return parts.size() == 1 ? parts.getFirst() : LogicalUnion.create(parts, true);
  }

  /**
   * Keeps conditions above an aggregation without groups. Such an aggregation has a row even for an
   * empty input, so the rewriter must not move a condition without columns below it. Nothing moves
   * through an offset.
   */
  static RelNode kept(RelNode aggregation) {
    RexNode none = PgConstant.ofLong(PgType.INT8, 0);
    return LogicalSort.create(aggregation, RelCollations.EMPTY, none, null);
  }

  private static RelNode aggregate(RelNode input, List<Integer> set, List<AggregateCall> calls) {
    return LogicalAggregate.create(input, List.of(), ImmutableBitSet.of(set), null, calls);
  }

  /**
   * Extends a set's row to the row of all sets: NULL for the expressions that are not in the set.
   */
  private RelNode aligned(RelNode part, List<Integer> set) {
    List<Integer> order = set.stream().sorted().toList();
    List<RexNode> row = new ArrayList<>();
    for (int group = 0; group < groups.size(); group++) {
      int at = order.indexOf(group);
      row.add(
          at >= 0
              ? PgRex.input(at, part.getRowType())
              : PgConstant.ofNull(PgRex.type(groups.get(group))));
    }
    for (int i = 0; i < aggregates.size(); i++) {
      row.add(PgRex.input(order.size() + i, part.getRowType()));
    }
    for (List<Integer> arguments : groupings) {
      long bits = 0;
      for (int group : arguments) {
        bits = (bits << 1) | (set.contains(group) ? 0 : 1);
      }
      row.add(PgConstant.ofLong(PgType.INT4, bits));
    }
    return LogicalProject.create(part, List.of(), row, (List<String>) null);
  }

  /** Calcite requires that a filter's type is not nullable. */
  private static RexNode isTrue(RexNode filter) {
    return PgRex.BUILDER.makeCall(
        PgTypeFactory.INSTANCE.of(PgType.BOOL, false),
        SqlStdOperatorTable.IS_TRUE,
        List.of(filter));
  }

  private static int column(RexNode node, List<RexNode> columns) {
    int index = columns.indexOf(node);
    if (index < 0) {
      index = columns.size();
      columns.add(node);
    }
    return index;
  }
}
