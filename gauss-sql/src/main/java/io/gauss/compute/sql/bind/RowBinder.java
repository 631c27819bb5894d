package io.gauss.compute.sql.bind;

import io.gauss.common.error.GaussException;
import io.gauss.compute.expr.json.JsonBuildLibrary;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/**
 * Binds rows as values, of type record: whole rows of FROM entries, and row constructors. They are
 * for functions on JSON, and refused elsewhere. One statement, one thread.
 */
final class RowBinder {
  private final ExprBinder expressions;

  RowBinder(ExprBinder expressions) {
    this.expressions = expressions;
  }

  private static GaussException refused(int position) {
    return GaussException.notSupported("a row as a value").position(position);
  }

  /**
   * @throws GaussException 0A000 when it is a row
   */
  static void refuse(RexNode node, int position) {
    if (PgRex.type(node).is(PgType.RECORD)) {
      throw refused(position);
    }
  }

  /**
   * What is NULL where a row is, for count: it does not need what is in the row. Other values stay
   * as they are.
   */
  static RexNode presence(RexNode value) {
    if (isBuilt(value)) {
      return PgConstant.ofLong(PgType.BOOL, 1);
    }
    boolean mayBeMissing =
        value.isA(SqlKind.CASE)
            && ((RexCall) value).operands.size() == 3
            && PgRex.type(value).is(PgType.RECORD);
    if (!mayBeMissing) {
      return value;
    }
    List<RexNode> parts = ((RexCall) value).operands;
    PgConstant none = PgConstant.of(parts.get(1));
    boolean isMarked =
        parts.get(0).isA(SqlKind.IS_NULL) && none != null && none.isNull() && isBuilt(parts.get(2));
    return isMarked ? ((RexCall) parts.get(0)).operands.getFirst() : value;
  }

  /** Whether it is a row made of its fields, which is never NULL. */
  private static boolean isBuilt(RexNode value) {
    return value instanceof RexCall call
        && call.op instanceof PgFunction
        && PgRex.type(value).is(PgType.RECORD);
  }

  /** {@code ROW(a, b)}, whose fields are called f1, f2 and so on. */
  static RexNode constructed(List<RexNode> fields) {
    return row(IntStream.rangeClosed(1, fields.size()).mapToObj(i -> "f" + i).toList(), fields);
  }

  private static RexNode row(List<String> names, List<RexNode> fields) {
    List<RexNode> typed = new ArrayList<>();
    for (RexNode field : fields) {
      PgConstant literal = PgConstant.of(field);
      boolean isLiteral = literal != null && literal.type().isUnknown();
      typed.add(
          !isLiteral
              ? field
              : literal.isNull()
                  ? PgConstant.ofNull(PgType.TEXT)
                  : PgConstant.of(PgType.TEXT, literal.value()));
    }
    List<PgType> types = typed.stream().map(PgRex::type).toList();
    if (types.stream().anyMatch(PgType::isUnknown)) {
      throw GaussException.notSupported("a parameter of unknown type in a row");
    }
    return PgRex.call(new PgFunction(JsonBuildLibrary.row(names, types)), PgType.RECORD, typed);
  }

  /**
   * The row of a FROM entry; NULL where an outer join has none. The only value of a function that
   * returns single values is that value.
   */
  RexNode of(Relation relation, int position, ExprContext in) {
    List<String> names = new ArrayList<>();
    List<RexNode> fields = new ArrayList<>();
    for (Relation.Column column : relation.columns) {
      if (Relation.isField(column.name())) {
        throw refused(position);
      }
      Scope.Found found = in.scope().found(relation, column);
      names.add(column.name());
      fields.add(expressions.noted(found, position, in));
    }
    if (relation.isScalar) {
      return fields.getFirst();
    }
    RexNode row = row(names, fields);
    Relation.Column presence = relation.isNullable ? relation.presence() : null;
    if (presence == null) {
      return row; // also of a join with an alias, as in PostgreSQL
    }
    RexNode mark = expressions.noted(in.scope().found(relation, presence), position, in);
    return PgRex.call(
        SqlStdOperatorTable.CASE,
        PgType.RECORD,
        List.of(
            PgRex.bool(SqlStdOperatorTable.IS_NULL, mark), PgConstant.ofNull(PgType.RECORD), row));
  }
}
