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
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
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
    int level = 0;
    for (Relation.Column column : relation.columns) {
      if (Relation.isField(column.name())) {
        throw refused(position);
      }
      Scope.Found found = in.scope().found(relation, column);
      level = found.level();
      names.add(column.name());
      fields.add(expressions.noted(found, position, in));
    }
    if (relation.isScalar) {
      return fields.getFirst();
    }
    RexNode row = row(names, fields);
    if (!relation.isNullable) {
      return row;
    }
    if (relation.rowKey < 0 || level > 0) {
      throw GaussException.notSupported("the row of a sub-query of an outer join as a value")
          .position(position);
    }
    RexNode key = new RexInputRef(relation.rowKey, PgRex.rel(PgType.BYTEA));
    if (in.aggregates() != null) {
      in.scope().noteUse(relation.rowKey, position);
    }
    return PgRex.call(
        SqlStdOperatorTable.CASE,
        PgType.RECORD,
        List.of(
            PgRex.bool(SqlStdOperatorTable.IS_NULL, key), PgConstant.ofNull(PgType.RECORD), row));
  }
}
