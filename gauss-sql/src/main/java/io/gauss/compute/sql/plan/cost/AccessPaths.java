package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.TableDef;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Finds the ways to read a table under conditions, and chooses among them. One planning, one
 * thread.
 */
public final class AccessPaths {
  /** Maximum number of key ranges into which IN lists are multiplied out. */
  private static final int RANGES_MAX = 256;

  /** Conditions that are never true for NULL. */
  private static final Set<Sarg.Kind> COMPARISONS =
      EnumSet.of(
          Sarg.Kind.EQUAL,
          Sarg.Kind.LESS,
          Sarg.Kind.LESS_OR_EQUAL,
          Sarg.Kind.GREATER,
          Sarg.Kind.GREATER_OR_EQUAL);

  private final CostModel costs;
  private final IndexMeaning indexes;

  public AccessPaths(CostModel costs, IndexMeaning indexes) {
    this.costs = costs;
    this.indexes = indexes;
  }

  /**
   * The cheapest way, including the cost of a sort on top where the way does not give the wanted
   * order.
   *
   * @param conditions over the scan's fields; everything else that they refer to is known when the
   *     scan is opened
   * @param wanted its fields are numbers of {@link KeyColumns}
   */
  public AccessPath best(TableDef table, List<RexNode> conditions, Wanted wanted) {
    KeyColumns keys = indexes.keys(table);
    List<Sarg> sargs = new ArrayList<>();
    for (RexNode condition : conditions) {
      Sarg sarg = Sarg.of(condition, keys);
      if (sarg != null) {
        sargs.add(sarg);
      }
    }
    double rows = costs.rows(table);
    double selectivity = selectivity(table, conditions, keys);
    AccessPath best = null;
    double bestCost = Double.POSITIVE_INFINITY;
    for (AccessPath path : candidates(table, conditions, sargs, rows, selectivity)) {
      double cost = cost(path, wanted);
      if (cost < bestCost) {
        best = path;
        bestCost = cost;
      }
      if (!wanted.order().isEmpty() && path.kind() != AccessPath.Kind.FULL) {
        AccessPath reversed = path.reversed();
        double reversedCost = cost(reversed, wanted);
        if (reversedCost < bestCost) {
          best = reversed;
          bestCost = reversedCost;
        }
      }
    }
    return best;
  }

  private static double cost(AccessPath path, Wanted wanted) {
    Estimate estimate = path.estimate();
    if (path.ordering().satisfies(wanted.order())) {
      double fraction = Math.min(1, wanted.limit() / Math.max(1, estimate.rows()));
      // A backward scan costs slightly more, so that it is chosen only when it gives the wanted
      // order.
      double penalty = path.reverse() ? 1e-6 : 0;
      return estimate.startup() + (estimate.total() - estimate.startup()) * fraction + penalty;
    }
    return estimate.total() + CostModel.sort(estimate.rows());
  }

  private double selectivity(TableDef table, List<RexNode> conditions, KeyColumns keys) {
    double selectivity = 1;
    Map<Integer, List<Sarg>> ranges = new LinkedHashMap<>();
    for (RexNode condition : conditions) {
      Sarg sarg = Sarg.of(condition, keys);
      if (sarg == null) {
        selectivity *= CostModel.selectivity(condition);
        continue;
      }
      switch (sarg.kind()) {
        case GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL ->
            ranges.computeIfAbsent(sarg.column(), column -> new ArrayList<>()).add(sarg);
        default -> selectivity *= costs.selectivity(table, sarg);
      }
    }
    for (List<Sarg> range : ranges.values()) {
      selectivity *= RangeSelectivity.of(table, range);
    }
    return selectivity;
  }

  private List<AccessPath> candidates(
      TableDef table, List<RexNode> conditions, List<Sarg> sargs, double rows, double selectivity) {
    List<AccessPath> paths = new ArrayList<>();
    double estimated = Math.max(rows * selectivity, Math.min(rows, 1e-3));
    if (!table.hasRowId()) {
      AccessPath path = byKey(table, null, conditions, sargs, rows, estimated);
      paths.add(path);
      if (path.kind() == AccessPath.Kind.POINT) {
        return paths;
      }
    }
    AccessPath lookup = null;
    for (TableDef.IndexDef index : table.indexes()) {
      if (index.isPartial() && !implied(table, index, conditions, sargs)) {
        continue;
      }
      AccessPath path = byKey(table, index, conditions, sargs, rows, estimated);
      paths.add(path);
      if (path.kind() == AccessPath.Kind.INDEX_LOOKUP) {
        lookup = path;
      }
    }
    if (lookup != null) {
      return List.of(lookup);
    }
    paths.add(full(table, conditions, rows, estimated));
    return paths;
  }

  /** Whether rows that fulfil the conditions are in a partial index. */
  private boolean implied(
      TableDef table, TableDef.IndexDef index, List<RexNode> conditions, List<Sarg> sargs) {
    for (RexNode part : indexes.predicate(table, index)) {
      if (!conditions.contains(part) && !isImpliedNotNull(part, sargs, indexes.keys(table))) {
        return false;
      }
    }
    return true;
  }

  /** {@code a IS NOT NULL} follows from a comparison of a. */
  private static boolean isImpliedNotNull(RexNode part, List<Sarg> sargs, KeyColumns keys) {
    int column = part.isA(SqlKind.IS_NOT_NULL) ? keys.of(((RexCall) part).operands.getFirst()) : -1;
    return column >= 0
        && sargs.stream()
            .anyMatch(sarg -> sarg.column() == column && COMPARISONS.contains(sarg.kind()));
  }

  private AccessPath full(TableDef table, List<RexNode> conditions, double rows, double estimated) {
    double total =
        costs.pages(table) + rows * (CostModel.ROW + conditions.size() * CostModel.OPERATOR);
    return new AccessPath(
        AccessPath.Kind.FULL,
        null,
        List.of(),
        List.of(),
        conditions,
        false,
        rows,
        new Estimate(0, total, estimated, 0),
        table.hasRowId() ? Ordering.NONE : keyOrder(table, null, table.primaryKey(), List.of()));
  }

  /**
   * @param index null = the clustered tree
   */
  private AccessPath byKey(
      TableDef table,
      TableDef.IndexDef index,
      List<RexNode> conditions,
      List<Sarg> sargs,
      double rows,
      double estimated) {
    int[] key = indexes.keys(table).key(index);
    boolean unique = index == null || index.unique();
    List<Sarg> prefix = new ArrayList<>();
    List<Sarg> range = List.of();
    int ranges = 1;
    boolean single = true;
    for (int column : key) {
      Sarg equality = equality(sargs, column, RANGES_MAX / ranges);
      if (equality == null) {
        range = range(sargs, column);
        break;
      }
      prefix.add(equality);
      if (equality.kind() == Sarg.Kind.IN) {
        ranges *= equality.values().size();
      }
      single &= equality.kind() == Sarg.Kind.EQUAL;
    }
    List<RexNode> filter = filter(table, conditions, prefix, range);
    boolean wholeKey = prefix.size() == key.length;
    double matched = matched(table, key, unique, prefix, range, rows, ranges);
    matched = Math.max(matched, estimated);
    double perRow = CostModel.ROW + filter.size() * CostModel.OPERATOR;
    double descents = ranges * CostModel.DESCENT;
    double total;
    if (index == null) {
      double pages = costs.pages(table) * Math.min(1, matched / rows);
      total = descents + pages + matched * perRow;
    } else {
      // Entries are read in order, rows at random; few rows of a table can mean few pages.
      double lookups = matched * CostModel.ROW_LOOKUP;
      total = descents + matched * (perRow + CostModel.ROW / 2) + lookups;
    }
    AccessPath.Kind kind = AccessPath.Kind.RANGE;
    if (wholeKey && unique && single) {
      kind = index == null ? AccessPath.Kind.POINT : AccessPath.Kind.INDEX_LOOKUP;
    }
    return new AccessPath(
        kind,
        index,
        prefix,
        range,
        filter,
        false,
        matched,
        new Estimate(descents, total, Math.min(matched, estimated), 0),
        keyOrder(table, index, key, prefix));
  }

  private static Sarg equality(List<Sarg> sargs, int column, int valuesMax) {
    Sarg found = null;
    for (Sarg sarg : sargs) {
      if (sarg.column() != column || !sarg.kind().isEquality()) {
        continue;
      }
      if (sarg.kind() == Sarg.Kind.IN && sarg.values().size() > valuesMax) {
        continue;
      }
      // One value is better than several, an exact one better than one that is checked again.
      if (found == null
          || (found.kind() == Sarg.Kind.IN && sarg.kind() != Sarg.Kind.IN)
          || (found.kind() == sarg.kind() && !found.exact() && sarg.exact())) {
        found = sarg;
      }
    }
    return found;
  }

  /** At most one lower and one upper bound, or a prefix. */
  private static List<Sarg> range(List<Sarg> sargs, int column) {
    Sarg low = null;
    Sarg high = null;
    Sarg prefix = null;
    for (Sarg sarg : sargs) {
      if (sarg.column() != column) {
        continue;
      }
      switch (sarg.kind()) {
        case GREATER, GREATER_OR_EQUAL -> low = low == null ? sarg : low;
        case LESS, LESS_OR_EQUAL -> high = high == null ? sarg : high;
        case PREFIX -> prefix = prefix == null ? sarg : prefix;
        default -> {}
      }
    }
    if (prefix != null && low == null && high == null) {
      return List.of(prefix);
    }
    List<Sarg> range = new ArrayList<>();
    if (low != null) {
      range.add(low);
    }
    if (high != null) {
      range.add(high);
    }
    return range;
  }

  /** Conditions that the key range does not decide. */
  private static List<RexNode> filter(
      TableDef table, List<RexNode> conditions, List<Sarg> prefix, List<Sarg> range) {
    List<RexNode> left = new ArrayList<>(conditions);
    for (Sarg sarg : prefix) {
      if (sarg.exact()) {
        removeSame(left, sarg.condition());
      }
    }
    for (Sarg sarg : range) {
      // A range that is open at the end where NULLs are may contain them.
      if (sarg.exact() && sarg.isNeverNull(table)) {
        removeSame(left, sarg.condition());
      }
    }
    return left;
  }

  private static void removeSame(List<RexNode> conditions, RexNode condition) {
    for (int i = 0; i < conditions.size(); i++) {
      if (conditions.get(i) == condition) {
        conditions.remove(i);
        return;
      }
    }
  }

  private double matched(
      TableDef table,
      int[] key,
      boolean unique,
      List<Sarg> prefix,
      List<Sarg> range,
      double rows,
      int ranges) {
    if (unique && prefix.size() == key.length) {
      return Math.min(rows, ranges);
    }
    double selectivity = 1;
    for (Sarg sarg : prefix) {
      selectivity *= costs.selectivity(table, sarg);
    }
    boolean bounds =
        !range.isEmpty()
            && range.stream().noneMatch(s -> s.kind() == Sarg.Kind.PREFIX || s.kind().isEquality());
    if (bounds) {
      selectivity *= RangeSelectivity.of(table, range);
    } else {
      for (Sarg sarg : range) {
        selectivity *= costs.selectivity(table, sarg);
      }
    }
    return Math.max(Math.min(rows, 1), rows * selectivity);
  }

  private static Ordering keyOrder(
      TableDef table, TableDef.IndexDef index, int[] key, List<Sarg> prefix) {
    List<Ordering.Key> keys = new ArrayList<>();
    ImmutableBitSet.Builder constants = ImmutableBitSet.builder();
    ImmutableBitSet.Builder notNull = ImmutableBitSet.builder();
    for (int i = 0; i < key.length; i++) {
      boolean descending = index != null && index.descending()[i];
      boolean nullsFirst = index != null && index.nullsFirst()[i];
      keys.add(new Ordering.Key(key[i], descending, nullsFirst));
      if (i < prefix.size() && prefix.get(i).kind() != Sarg.Kind.IN) {
        constants.set(key[i]);
      }
    }
    if (index != null) {
      // Entries with equal keys are in the order of the primary key after them.
      for (int column : table.primaryKey()) {
        keys.add(new Ordering.Key(column, false, false));
      }
    }
    for (int i = 0; i < table.columns().size(); i++) {
      if (table.columns().get(i).notNull()) {
        notNull.set(i);
      }
    }
    return new Ordering(keys, constants.build(), notNull.build());
  }
}
