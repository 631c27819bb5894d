package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.expr.call.CastContext;
import io.gauss.compute.sql.algebra.BoundQuery;
import io.gauss.compute.sql.algebra.PgProducer;
import io.gauss.compute.sql.algebra.PgRecursion;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.sql.algebra.PgTypeFactory;
import io.gauss.compute.sql.bind.syntax.RecursiveReferences;
import io.gauss.compute.sql.exec.WorkTable;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSetOperator;
import org.apache.calcite.sql.SqlWithItem;

/** Binds common table expressions that refer to themselves. One statement, one thread. */
final class RecursiveBinder {
  private final QueryBinder queries;

  RecursiveBinder(QueryBinder queries) {
    this.queries = queries;
  }

  /** Whether an item of WITH RECURSIVE is recursive: other items are bound as in a plain WITH. */
  static boolean isRecursive(SqlWithItem item) {
    return item.recursive != null
        && item.recursive.booleanValue()
        && RecursiveReferences.count(item.query, item.name.getSimple()) > 0;
  }

  /**
   * @param scope names that the item sees: the items before it, and the outer levels
   */
  BoundQuery bind(SqlWithItem item, Scope scope) {
    if (item.query.getKind().belongsTo(SqlKind.DML)) {
      throw new GaussException(
              SqlState.INVALID_RECURSION,
              "recursive query \"%s\" must not contain data-modifying statements"
                  .formatted(item.name.getSimple()))
          .position(ExprBinder.position(item.name));
    }
    String name = item.name.getSimple();
    int position = ExprBinder.position(item.name);
    SqlCall union = union(item, name, position);
    SqlNode stepNode = union.operand(1);
    RecursiveReferences.check(union.operand(0), stepNode, name, position);
    BoundQuery seed = queries.subQuery(union.operand(0), scope);
    if (item.columnList != null) {
      seed = QueryBinder.renamed(seed, item.columnList, name, position);
    }
    RelDataType rowType = rowType(seed);
    WorkTable workTable = new WorkTable();
    Scope inside = new Scope(scope, queries.context.cluster);
    RelNode scan = new PgProducer(queries.context.cluster, name, rowType, workTable, List.of());
    inside.ctes.put(name, Scope.Cte.ofItself(name, new BoundQuery(scan, outputs(seed))));
    BoundQuery step = queries.query(stepNode, inside, QueryBinder.Tail.NONE, true);
    PgType[] types = checkTypes(seed, step, name, position, union);
    RelNode typed = queries.coerced(step.rel(), types, CastContext.IMPLICIT, null);
    boolean all = ((SqlSetOperator) union.getOperator()).isAll();
    if (!all) {
      for (PgType type : types) {
        Sortable.requireEquality(type, position);
      }
    }
    RelNode rel =
        new PgRecursion(queries.context.cluster, rowType, seed.rel(), typed, all, workTable);
    return new BoundQuery(rel, outputs(seed));
  }

  private static SqlCall union(SqlWithItem item, String name, int position) {
    SqlNode body = item.query;
    if (body instanceof SqlOrderBy order) {
      throw new GaussException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "%s in a recursive query is not implemented"
                  .formatted(
                      !order.orderList.isEmpty()
                          ? "ORDER BY"
                          : order.offset != null ? "OFFSET" : "LIMIT"))
          .position(position);
    }
    if (body.getKind() != SqlKind.UNION) {
      throw new GaussException(
              SqlState.INVALID_RECURSION,
              "recursive query \"%s\" does not have the form non-recursive-term UNION [ALL]"
                      .formatted(name)
                  + " recursive-term")
          .position(position);
    }
    return (SqlCall) body;
  }

  private static List<BoundQuery.Output> outputs(BoundQuery seed) {
    List<BoundQuery.Output> outputs = new ArrayList<>();
    for (BoundQuery.Output output : seed.columns()) {
      outputs.add(new BoundQuery.Output(output.name(), output.type(), 0, 0));
    }
    return outputs;
  }

  private static RelDataType rowType(BoundQuery seed) {
    var builder = PgTypeFactory.INSTANCE.builder();
    for (int i = 0; i < seed.columns().size(); i++) {
      builder.add("f" + i, PgRex.rel(seed.columns().get(i).type()));
    }
    return builder.build();
  }

  /** The recursive term must have the types of the non-recursive one. */
  private PgType[] checkTypes(
      BoundQuery seed, BoundQuery step, String name, int position, SqlNode union) {
    int columns = seed.columns().size();
    if (step.columns().size() != columns) {
      throw new GaussException(
              SqlState.SYNTAX_ERROR, "each UNION query must have the same number of columns")
          .position(position);
    }
    PgType[] types = new PgType[columns];
    for (int i = 0; i < columns; i++) {
      types[i] = seed.columns().get(i).type();
      if (types[i].equals(step.columns().get(i).type())) {
        continue;
      }
      RexNode left = PgRex.input(i, seed.rel().getRowType());
      RexNode right = PgRex.input(i, step.rel().getRowType());
      PgType overall =
          queries
              .expressions
              .coercion
              .common("UNION", List.of(left, right), ExprBinder.position(union))
              .withTypmod(-1);
      if (!overall.sameType(types[i]) || types[i].typmod() >= 0) {
        throw new GaussException(
                SqlState.DATATYPE_MISMATCH,
                ("recursive query \"%s\" column %d has type %s in non-recursive term"
                        + " but type %s overall")
                    .formatted(name, i + 1, types[i].displayName(), overall.displayName()))
            .hint("Cast the output of the non-recursive term to the correct type.")
            .position(position);
      }
    }
    return types;
  }
}
