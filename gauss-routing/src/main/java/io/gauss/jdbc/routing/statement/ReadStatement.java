package io.gauss.jdbc.routing.statement;

import java.util.List;

/** A text that was read: its template, and the places of the predicates' values. Immutable. */
public final class ReadStatement {
  private final StatementTemplate template;
  private final Operand[] operands;
  private final int[] operators;

  ReadStatement(StatementTemplate template, List<Operand> operands) {
    this.template = template;
    this.operands = operands.toArray(Operand[]::new);
    this.operators = template.operatorOrdinals();
  }

  /** The template that the text shares with others. */
  public StatementTemplate template() {
    return template;
  }

  /** Ordinals of the predicates' operators. Not to be changed. */
  public int[] operators() {
    return operators;
  }

  /**
   * The value of a predicate.
   *
   * @param predicate position in {@link StatementTemplate#predicates}
   * @param parameters values bound to the text's parameters, in order
   * @return its {@link RoutingValue}: a Long, Double or String; null for NULL and when the value is
   *     unknown
   */
  Object value(int predicate, List<?> parameters) {
    Operand operand = operands[predicate];
    if (operand.parameter() < 0) {
      return operand.literal();
    }
    return operand.parameter() < parameters.size()
        ? RoutingValue.of(parameters.get(operand.parameter()))
        : null;
  }

  /**
   * The value that most likely tells statements of this template apart: the first that is bound to
   * a parameter. Constants are usually the same in all of them, unless the application writes all
   * of its values into the text.
   *
   * @return null when no value is known
   */
  public Object key(List<?> parameters) {
    Object literal = null;
    for (int i = 0; i < operands.length; i++) {
      Object value = value(i, parameters);
      if (value != null && operands[i].parameter() >= 0) {
        return value;
      }
      literal = literal == null ? value : literal;
    }
    return literal;
  }

  /** All predicates' values, for samples. */
  public Object[] values(List<?> parameters) {
    Object[] values = new Object[operands.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(i, parameters);
    }
    return values;
  }
}
