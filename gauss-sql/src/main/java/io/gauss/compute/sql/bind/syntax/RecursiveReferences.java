package io.gauss.compute.sql.bind.syntax;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;

/**
 * Where a common table expression refers to itself, by its name in FROM clauses, and whether
 * PostgreSQL allows it there. Stateless.
 */
public final class RecursiveReferences {
  private RecursiveReferences() {}

  /** References anywhere in a query. */
  public static int count(SqlNode node, String name) {
    return switch (node) {
      case null -> 0;
      case SqlSelect select -> from(select.getFrom(), name) + inside(select, name);
      case SqlCall call when call.getKind() == SqlKind.EXPLICIT_TABLE ->
          from(call.operand(0), name);
      case SqlCall call -> inside(call, name);
      case SqlNodeList list -> {
        int found = 0;
        for (SqlNode item : list) {
          found += count(item, name);
        }
        yield found;
      }
      default -> 0;
    };
  }

  private static int inside(SqlCall call, String name) {
    int found = 0;
    for (SqlNode operand : call.getOperandList()) {
      found += count(operand, name);
    }
    return found;
  }

  /** Names that are items of a FROM clause themselves. */
  private static int from(SqlNode item, String name) {
    return switch (item) {
      case null -> 0;
      case SqlIdentifier id -> id.names.size() == 1 && id.getSimple().equals(name) ? 1 : 0;
      case SqlJoin join -> from(join.getLeft(), name) + from(join.getRight(), name);
      case SqlCall call when isWrapper(call) -> from(call.operand(0), name);
      default -> 0;
    };
  }

  private static boolean isWrapper(SqlCall call) {
    return call.getKind() == SqlKind.AS
        || call.getKind() == SqlKind.LATERAL
        || call.getOperator() == io.gauss.compute.sql.parse.PgOperators.ONLY;
  }

  /**
   * @throws GaussException 42P19 when a reference is not allowed where it is
   */
  public static void check(SqlNode seed, SqlNode step, String name, int position) {
    if (count(seed, name) > 0) {
      throw refused(name, "within its non-recursive term", position);
    }
    int reached = reached(step, name, position);
    int all = count(step, name);
    if (all > reached) {
      throw refused(name, "within a subquery", position);
    }
    if (all > 1) {
      throw refused(name, "more than once", position);
    }
  }

  private static GaussException refused(String name, String where, int position) {
    return new GaussException(
            SqlState.INVALID_RECURSION,
            "recursive reference to query \"%s\" must not appear %s".formatted(name, where))
        .position(position);
  }

  /** References that are reached without going through an expression. */
  private static int reached(SqlNode query, String name, int position) {
    return switch (query) {
      case SqlSelect select -> reachedFrom(select.getFrom(), name, position);
      case SqlOrderBy order -> reached(order.query, name, position);
      case SqlWith with -> {
        int found = reached(with.body, name, position);
        for (SqlNode item : with.withList) {
          found += reached(((org.apache.calcite.sql.SqlWithItem) item).query, name, position);
        }
        yield found;
      }
      case SqlCall call ->
          switch (call.getKind()) {
            case UNION ->
                reached(call.operand(0), name, position) + reached(call.operand(1), name, position);
            case INTERSECT, EXCEPT -> {
              boolean intersect = call.getKind() == SqlKind.INTERSECT;
              int left = reached(call.operand(0), name, position);
              int right = reached(call.operand(1), name, position);
              if (right > 0 || (left > 0 && intersect)) {
                throw refused(name, intersect ? "within INTERSECT" : "within EXCEPT", position);
              }
              yield left;
            }
            case EXPLICIT_TABLE -> from(call.operand(0), name);
            default -> 0;
          };
      default -> 0;
    };
  }

  private static int reachedFrom(SqlNode item, String name, int position) {
    return switch (item) {
      case null -> 0;
      case SqlIdentifier id -> from(id, name);
      case SqlJoin join -> {
        int left = reachedFrom(join.getLeft(), name, position);
        int right = reachedFrom(join.getRight(), name, position);
        JoinType type = join.getJoinType();
        boolean outer =
            (left > 0 && (type == JoinType.RIGHT || type == JoinType.FULL))
                || (right > 0 && (type == JoinType.LEFT || type == JoinType.FULL));
        if (outer) {
          throw refused(name, "within an outer join", position);
        }
        yield left + right;
      }
      case SqlCall call when isWrapper(call) -> reachedFrom(call.operand(0), name, position);
      default -> reached(item, name, position);
    };
  }
}
