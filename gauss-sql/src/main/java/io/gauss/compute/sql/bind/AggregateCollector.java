package io.gauss.compute.sql.bind;

import io.gauss.compute.sql.algebra.PgAggregate;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;

/**
 * The aggregates of one query level. {@link Reference}s stand for them in expressions until
 * grouping is known.
 */
final class AggregateCollector {
  private final List<Item> items = new ArrayList<>();
  private final List<List<RexNode>> groupings = new ArrayList<>();

  /**
   * @param filter boolean over the FROM row, or null
   * @param order order in which a group's rows are aggregated, empty = in the order of arrival
   */
  record Item(
      PgAggregate aggregate,
      List<RexNode> arguments,
      boolean distinct,
      RexNode filter,
      List<Order> order) {}

  /** A key of ORDER BY inside an aggregate. */
  record Order(RexNode expression, boolean descending, boolean nullsFirst) {}

  /** Stands for the n-th aggregate. */
  static final class Reference extends SqlFunction {
    final int index;

    Reference(int index) {
      super(
          "aggregate " + index,
          SqlKind.OTHER_FUNCTION,
          null,
          null,
          null,
          SqlFunctionCategory.SYSTEM);
      this.index = index;
    }
  }

  /** Stands for the n-th GROUPING(...). */
  static final class GroupingReference extends SqlFunction {
    final int index;

    GroupingReference(int index) {
      super(
          "grouping " + index,
          SqlKind.OTHER_FUNCTION,
          null,
          null,
          null,
          SqlFunctionCategory.SYSTEM);
      this.index = index;
    }
  }

  /** Arguments of the calls of GROUPING. */
  List<List<RexNode>> groupings() {
    return groupings;
  }

  /** A reference to a call of GROUPING with these arguments, over the FROM row. */
  RexNode addGrouping(List<RexNode> arguments) {
    int index = groupings.indexOf(arguments);
    if (index < 0) {
      index = groupings.size();
      groupings.add(arguments);
    }
    return PgRex.call(new GroupingReference(index), PgType.INT4, List.of());
  }

  List<Item> items() {
    return items;
  }

  boolean isEmpty() {
    return items.isEmpty() && groupings.isEmpty();
  }

  /** A reference to the aggregate; equal ones are computed once. */
  RexNode add(Item item) {
    int index = items.indexOf(item);
    if (index < 0) {
      index = items.size();
      items.add(item);
    }
    return PgRex.call(new Reference(index), item.aggregate().result(), List.of());
  }

  static Reference reference(RexNode node) {
    return node instanceof RexCall call && call.op instanceof Reference reference
        ? reference
        : null;
  }

  static GroupingReference groupingReference(RexNode node) {
    return node instanceof RexCall call && call.op instanceof GroupingReference reference
        ? reference
        : null;
  }
}
