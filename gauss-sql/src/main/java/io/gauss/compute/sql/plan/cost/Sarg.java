package io.gauss.compute.sql.plan.cost;

import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.algebra.Fields;
import io.gauss.compute.sql.algebra.PgCast;
import io.gauss.compute.sql.algebra.PgConstant;
import io.gauss.compute.sql.algebra.PgFunction;
import io.gauss.compute.sql.algebra.PgOperator;
import io.gauss.compute.sql.algebra.PgRex;
import io.gauss.compute.type.PgType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/**
 * A condition that an index can answer: a column, or an expression that is a key, against values
 * that do not depend on the table's row.
 *
 * @param condition from which it was made
 * @param column by {@link KeyColumns}: of the table, or an expression of an index
 * @param expression that it is; null for a column of the table
 * @param values one for comparisons, several for IN, two for a prefix (lower bound inclusive, upper
 *     bound exclusive; the latter may be null), none for IS NULL
 * @param exact whether the key range alone decides; else the condition is checked again on the rows
 */
public record Sarg(
    RexNode condition,
    int column,
    KeyExpression expression,
    Kind kind,
    List<RexNode> values,
    boolean exact) {
  public enum Kind {
    EQUAL,
    IN,
    IS_NULL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    PREFIX;

    boolean isEquality() {
      return this == EQUAL || this == IN || this == IS_NULL;
    }

    Kind swapped() {
      return switch (this) {
        case LESS -> GREATER;
        case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
        case GREATER -> LESS;
        case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
        default -> this;
      };
    }
  }

  /** The condition over a scan's fields as a sarg; null when it is none. */
  static Sarg of(RexNode condition, KeyColumns keys) {
    if (!(condition instanceof RexCall call)) {
      return null;
    }
    if (call.op == PgOperator.IN_LIST) {
      return inList(call, keys);
    }
    if (call.op instanceof PgFunction function) {
      return function.function().operator() && function.function().name().equals("~~")
          ? prefix(call, keys)
          : null;
    }
    Kind kind =
        switch (call.getKind()) {
          case EQUALS -> Kind.EQUAL;
          case LESS_THAN -> Kind.LESS;
          case LESS_THAN_OR_EQUAL -> Kind.LESS_OR_EQUAL;
          case GREATER_THAN -> Kind.GREATER;
          case GREATER_THAN_OR_EQUAL -> Kind.GREATER_OR_EQUAL;
          case IS_NULL -> Kind.IS_NULL;
          case OR -> null;
          default -> null;
        };
    if (call.getKind() == SqlKind.OR) {
      return alternatives(call, keys);
    }
    if (kind == null) {
      return null;
    }
    if (kind == Kind.IS_NULL) {
      Operand operand = operand(call.operands.get(0), keys);
      return operand == null ? null : operand.sarg(call, kind, List.of(), true);
    }
    RexNode left = call.operands.get(0);
    RexNode right = call.operands.get(1);
    Sarg sarg = comparison(call, kind, left, right, keys);
    return sarg != null ? sarg : comparison(call, kind.swapped(), right, left, keys);
  }

  private static Sarg comparison(
      RexNode condition, Kind kind, RexNode left, RexNode right, KeyColumns keys) {
    Operand operand = operand(left, keys);
    if (operand == null || !Fields.of(right).isEmpty()) {
      return null;
    }
    Fit fit = fit(operand.type(), PgRex.type(right));
    return fit == Fit.NO ? null : operand.sarg(condition, kind, List.of(right), fit == Fit.EXACT);
  }

  private static Sarg inList(RexCall call, KeyColumns keys) {
    Operand operand = operand(call.operands.getFirst(), keys);
    if (operand == null) {
      return null;
    }
    boolean exact = true;
    List<RexNode> values = new ArrayList<>();
    for (RexNode item : call.operands.subList(1, call.operands.size())) {
      Fit fit = fit(operand.type(), PgRex.type(item));
      if (fit == Fit.NO || !Fields.of(item).isEmpty()) {
        return null;
      }
      exact &= fit == Fit.EXACT;
      values.add(item);
    }
    return operand.sarg(call, Kind.IN, values, exact);
  }

  /** {@code c = 1 OR c = 2} is an IN list. */
  private static Sarg alternatives(RexCall call, KeyColumns keys) {
    Sarg first = null;
    boolean exact = true;
    List<RexNode> values = new ArrayList<>();
    for (RexNode operand : call.operands) {
      Sarg one = of(operand, keys);
      boolean fits =
          one != null
              && (one.kind == Kind.EQUAL || one.kind == Kind.IN)
              && (first == null || first.column == one.column);
      if (!fits) {
        return null;
      }
      first = one;
      exact &= one.exact;
      values.addAll(one.values);
    }
    return new Sarg(call, first.column, first.expression, Kind.IN, values, exact);
  }

  /** {@code c LIKE 'abc%'} with a constant pattern lies between 'abc' and 'abd' in byte order. */
  private static Sarg prefix(RexCall call, KeyColumns keys) {
    Operand operand = operand(call.operands.get(0), keys);
    PgConstant pattern = PgConstant.of(stripCast(call.operands.get(1)));
    if (operand == null || pattern == null || pattern.isNull() || !pattern.type().isString()) {
      return null;
    }
    PgType type = operand.type();
    if (type.is(PgType.BPCHAR)) {
      return null;
    }
    String text = pattern.text();
    StringBuilder literal = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%' || c == '_') {
        break;
      }
      if (c == '\\') {
        i++;
        if (i == text.length()) {
          return null;
        }
        c = text.charAt(i);
      }
      literal.append(c);
    }
    if (literal.isEmpty()) {
      return null;
    }
    String low = literal.toString();
    List<RexNode> values = new ArrayList<>();
    values.add(PgConstant.ofText(type.withTypmod(-1), low));
    values.add(successor(low, type.withTypmod(-1)));
    return operand.sarg(call, Kind.PREFIX, values, false);
  }

  /**
   * The smallest string above all with this prefix: the last byte that can be incremented is
   * incremented. Null = none.
   */
  private static RexNode successor(String prefix, PgType type) {
    char last = prefix.charAt(prefix.length() - 1);
    // Only ASCII is incremented here: other characters would have to stay valid UTF-8.
    if (last >= 0x7E) {
      return null;
    }
    return PgConstant.ofText(type, prefix.substring(0, prefix.length() - 1) + (char) (last + 1));
  }

  private static RexNode stripCast(RexNode node) {
    return node instanceof RexCall call
            && call.op instanceof PgCast cast
            && sameRepresentation(PgRex.type(call.operands.getFirst()), cast.target())
        ? call.operands.getFirst()
        : node;
  }

  private static boolean sameRepresentation(PgType from, PgType to) {
    return (from.is(PgType.VARCHAR) || from.is(PgType.TEXT))
        && (to.is(PgType.TEXT) || to.is(PgType.VARCHAR))
        && to.typmod() == -1;
  }

  /** A side of a condition that is a column or a key. */
  private record Operand(int column, KeyExpression expression, PgType type) {
    Sarg sarg(RexNode condition, Kind kind, List<RexNode> values, boolean exact) {
      return new Sarg(condition, column, expression, kind, values, exact);
    }
  }

  /** What an operand is, also below a conversion that changes nothing; null when it is no key. */
  private static Operand operand(RexNode node, KeyColumns keys) {
    RexNode key = keys.of(node) < 0 ? stripCast(node) : node;
    int column = keys.of(key);
    return column < 0 ? null : new Operand(column, keys.expression(column), PgRex.type(key));
  }

  /** Type of the key's values. */
  public PgType type(TableDef table) {
    return expression == null ? table.columns().get(column).type() : expression.type();
  }

  /** Whether no row has NULL there. */
  boolean isNeverNull(TableDef table) {
    return expression == null && table.columns().get(column).notNull();
  }

  private enum Fit {
    NO,
    EXACT,
    SATURATED
  }

  /** Whether a value's type can be a key of a column's type. */
  private static Fit fit(PgType column, PgType value) {
    if (column.sameType(value) || sameRepresentation(column, value.withTypmod(-1))) {
      return Fit.EXACT;
    }
    if (column.isInteger() && value.isInteger()) {
      return column.typlen() >= value.typlen() ? Fit.EXACT : Fit.SATURATED;
    }
    return Fit.NO;
  }
}
