package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/**
 * The expressions of a GROUP BY clause, and the sets of them that GROUPING SETS, ROLLUP and CUBE
 * stand for. Several items of the clause are multiplied with each other.
 */
final class GroupingSets {
  private static final int SETS_MAX = 4096;
  private static final int CUBE_MAX = 12;

  private final List<RexNode> groups = new ArrayList<>();
  private final Function<SqlNode, RexNode> binder;
  private boolean several;
  private List<List<Integer>> sets = List.of(List.of());

  private GroupingSets(Function<SqlNode, RexNode> binder) {
    this.binder = binder;
  }

  /**
   * @param list null = no clause
   * @param binder binds one expression of the clause
   */
  static GroupingSets of(SqlNodeList list, Function<SqlNode, RexNode> binder) {
    GroupingSets result = new GroupingSets(binder);
    if (list != null) {
      for (SqlNode node : list) {
        result.multiply(result.alternatives(node), node);
      }
    }
    return result;
  }

  /** Each expression once. */
  List<RexNode> groups() {
    return groups;
  }

  /** Positions in {@link #groups}; null when there is one set, of all of them. */
  List<List<Integer>> sets() {
    return several ? sets : null;
  }

  private void multiply(List<List<Integer>> alternatives, SqlNode node) {
    List<List<Integer>> product = new ArrayList<>();
    for (List<Integer> left : sets) {
      for (List<Integer> right : alternatives) {
        product.add(union(left, right));
      }
    }
    checkCount(product.size(), node);
    sets = product;
  }

  private static void checkCount(int count, SqlNode node) {
    if (count > SETS_MAX) {
      throw new GaussException(
              SqlState.STATEMENT_TOO_COMPLEX,
              "too many grouping sets present (maximum %d)".formatted(SETS_MAX))
          .position(ExprBinder.position(node));
    }
  }

  private static List<Integer> union(List<Integer> left, List<Integer> right) {
    List<Integer> all = new ArrayList<>(left);
    for (int group : right) {
      if (!all.contains(group)) {
        all.add(group);
      }
    }
    return all;
  }

  private List<List<Integer>> alternatives(SqlNode node) {
    switch (node.getKind()) {
      case ROLLUP -> {
        several = true;
        return rollup((SqlCall) node);
      }
      case CUBE -> {
        several = true;
        return cube((SqlCall) node);
      }
      case GROUPING_SETS -> {
        several = true;
        List<List<Integer>> all = new ArrayList<>();
        for (SqlNode item : ((SqlCall) node).getOperandList()) {
          all.addAll(alternatives(item));
          checkCount(all.size(), node);
        }
        return all;
      }
      default -> {
        return List.of(element(node));
      }
    }
  }

  private List<List<Integer>> rollup(SqlCall call) {
    List<List<Integer>> result = new ArrayList<>();
    List<Integer> prefix = List.of();
    result.add(prefix);
    for (SqlNode item : call.getOperandList()) {
      prefix = union(prefix, element(item));
      result.addFirst(prefix);
    }
    return result;
  }

  private List<List<Integer>> cube(SqlCall call) {
    int count = call.operandCount();
    if (count > CUBE_MAX) {
      throw new GaussException(
              SqlState.TOO_MANY_COLUMNS, "CUBE is limited to %d elements".formatted(CUBE_MAX))
          .position(ExprBinder.position(call));
    }
    List<List<Integer>> elements = new ArrayList<>();
    for (SqlNode item : call.getOperandList()) {
      elements.add(element(item));
    }
    List<List<Integer>> result = new ArrayList<>();
    for (int chosen = (1 << count) - 1; chosen >= 0; chosen--) {
      List<Integer> set = List.of();
      for (int i = 0; i < count; i++) {
        if ((chosen & (1 << i)) != 0) {
          set = union(set, elements.get(i));
        }
      }
      result.add(set);
    }
    return result;
  }

  /** An expression, several in parentheses, or none. */
  private List<Integer> element(SqlNode node) {
    if (node instanceof SqlNodeList none && none.isEmpty()) {
      return List.of();
    }
    if (node.getKind() == SqlKind.ROW) {
      List<Integer> all = List.of();
      for (SqlNode item : ((SqlCall) node).getOperandList()) {
        all = union(all, element(item));
      }
      return all;
    }
    RexNode bound = binder.apply(node);
    int index = groups.indexOf(bound);
    if (index < 0) {
      index = groups.size();
      groups.add(bound);
    }
    return List.of(index);
  }
}
