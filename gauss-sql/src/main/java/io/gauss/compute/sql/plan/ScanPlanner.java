package io.gauss.compute.sql.plan;

import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.SystemTables;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.sql.algebra.Fields;
import io.gauss.compute.sql.exec.node.FilterNode;
import io.gauss.compute.sql.exec.node.FullScanNode;
import io.gauss.compute.sql.exec.node.IndexLookupNode;
import io.gauss.compute.sql.exec.node.KeyRange;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.node.PointReadNode;
import io.gauss.compute.sql.exec.node.ProducerNode;
import io.gauss.compute.sql.exec.node.RangeScanNode;
import io.gauss.compute.sql.plan.cost.AccessPath;
import io.gauss.compute.sql.plan.cost.CostModel;
import io.gauss.compute.sql.plan.cost.Estimate;
import io.gauss.compute.sql.plan.cost.Sarg;
import io.gauss.compute.sql.system.SystemTableRows;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/** Makes access nodes for chosen access paths. One planning, one thread. */
final class ScanPlanner {
  private final Planning planning;

  ScanPlanner(Planning planning) {
    this.planning = planning;
  }

  /**
   * @param needed scan fields to emit; those of the filter are added
   */
  Planned build(TableDef table, AccessPath path, ImmutableBitSet needed) {
    ImmutableBitSet emitted = needed.union(Fields.of(path.filter()));
    int rowKey = table.columns().size();
    int[] columns = new int[emitted.cardinality()];
    PgType[] types = new PgType[columns.length];
    int[] positions = new int[rowKey + 1];
    Arrays.fill(positions, -1);
    int at = 0;
    for (int field : emitted) {
      columns[at] = field == rowKey ? PlanNode.ROW_KEY : field;
      types[at] = field == rowKey ? PgType.BYTEA : table.columns().get(field).type();
      positions[field] = at++;
    }
    ColumnMap map = ColumnMap.of(positions);
    Expr filter = planning.filter(path.filter(), map);
    PlanNode node =
        switch (path.kind()) {
          case POINT -> new PointReadNode(table, key(table, path), columns, types, filter);
          case INDEX_LOOKUP ->
              new IndexLookupNode(table, path.index(), key(table, path), columns, types, filter);
          case RANGE ->
              new RangeScanNode(
                  table, path.index(), ranges(table, path), path.reverse(), columns, types, filter);
          case FULL ->
              SystemTables.isSystem(table)
                  ? systemTable(table, columns, types, filter)
                  : new FullScanNode(table, columns, types, filter);
        };
    Estimate estimate =
        new Estimate(
            path.estimate().startup(),
            path.estimate().total(),
            path.estimate().rows(),
            CostModel.width(types));
    planning.note(node, estimate);
    List<RexNode> keyConditions = new ArrayList<>();
    path.prefix().forEach(sarg -> keyConditions.add(sarg.condition()));
    path.range().forEach(sarg -> keyConditions.add(sarg.condition()));
    planning.notes.put(
        node,
        new Planning.Notes(
            keyConditions,
            path.filter(),
            table.columns().stream().map(TableDef.ColumnDef::name).toList()));
    return new Planned(node, map, estimate, path.ordering());
  }

  private static PlanNode systemTable(TableDef table, int[] columns, PgType[] types, Expr filter) {
    for (int column : columns) {
      if (column == PlanNode.ROW_KEY) {
        throw GaussException.notSupported("locking or changing rows of a system table");
      }
    }
    ProducerNode rows =
        new ProducerNode(table.name(), types, SystemTableRows.of(table, columns), new Expr[0]);
    return filter == null ? rows : new FilterNode(rows, filter);
  }

  /** Values of the whole key, in key order. */
  Expr[] key(TableDef table, AccessPath path) {
    Expr[] key = new Expr[path.prefix().size()];
    for (int i = 0; i < key.length; i++) {
      key[i] = value(table, path.prefix().get(i), 0);
    }
    return key;
  }

  private Expr value(TableDef table, Sarg sarg, int i) {
    RexNode node = sarg.values().get(i);
    if (node == null) {
      return null;
    }
    Expr value = planning.compiler.compile(node, null);
    PgType column = sarg.type(table);
    return column.isInteger() && !value.type().sameType(column)
        ? io.gauss.compute.expr.ConstantFolder.fold(new Saturate(value, column))
        : value;
  }

  private KeyRange[] ranges(TableDef table, AccessPath path) {
    List<Expr[]> prefixes = new ArrayList<>();
    prefixes.add(new Expr[path.prefix().size()]);
    for (int i = 0; i < path.prefix().size(); i++) {
      Sarg sarg = path.prefix().get(i);
      if (sarg.kind() == Sarg.Kind.IS_NULL) {
        continue;
      }
      List<Expr[]> more = new ArrayList<>();
      for (int v = 0; v < sarg.values().size(); v++) {
        Expr value = value(table, sarg, v);
        for (Expr[] prefix : prefixes) {
          Expr[] longer = prefix.clone();
          longer[i] = value;
          more.add(longer);
        }
      }
      prefixes = more;
    }
    Expr low = null;
    Expr high = null;
    boolean lowInclusive = false;
    boolean highInclusive = false;
    for (Sarg sarg : path.range()) {
      switch (sarg.kind()) {
        case GREATER, GREATER_OR_EQUAL -> {
          low = value(table, sarg, 0);
          // A value clamped to the column's range may have become the bound itself.
          lowInclusive = sarg.kind() == Sarg.Kind.GREATER_OR_EQUAL || !sarg.exact();
        }
        case LESS, LESS_OR_EQUAL -> {
          high = value(table, sarg, 0);
          highInclusive = sarg.kind() == Sarg.Kind.LESS_OR_EQUAL || !sarg.exact();
        }
        case PREFIX -> {
          low = value(table, sarg, 0);
          lowInclusive = true;
          high = value(table, sarg, 1);
        }
        default -> throw new IllegalStateException("range of " + sarg);
      }
    }
    KeyRange[] ranges = new KeyRange[prefixes.size()];
    for (int i = 0; i < ranges.length; i++) {
      ranges[i] = new KeyRange(prefixes.get(i), low, lowInclusive, high, highInclusive);
    }
    return ranges;
  }
}
