package io.gauss.compute.sql.parse;

import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;

/**
 * One element of SET: {@code a = 1}, {@code (a, b) = (1, DEFAULT)}, {@code (a, b) = (SELECT ...)}.
 *
 * @param columns one identifier, or several when the target was in parentheses
 * @param value an expression or DEFAULT call for one column; for several a ROW call with as many
 *     operands, or a query
 * @param multiple whether the target was in parentheses (also around a single column)
 * @param subscript of {@code a[1] = 2}: an expression, or a SLICE call of two bounds, or a list of
 *     several of these; null = none
 */
public record Assignment(
    List<SqlIdentifier> columns, SqlNode value, boolean multiple, SqlNode subscript) {
  public Assignment {
    columns = List.copyOf(columns);
  }
}
