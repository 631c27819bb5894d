package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.statement.Operator;
import io.gauss.jdbc.routing.statement.Predicate;
import io.gauss.jdbc.routing.statement.ReadStatement;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import io.gauss.jdbc.routing.statement.StatementTemplate.Kind;
import java.util.List;

/** The facts read from a statement, for users: the first lines of an explanation. */
final class StatementLines {
  private StatementLines() {}

  static void add(List<String> lines, ReadStatement read, Object[] values) {
    StatementTemplate template = read.template();
    lines.add("Statement: template " + Long.toHexString(template.id()));
    lines.add("  Text: " + template.text());
    if (template.kind() == Kind.TELLS_NOTHING) {
      lines.add("  It touches no rows: the next statement of the transaction decides");
      return;
    }
    List<Predicate> predicates = template.predicates();
    for (int i = 0; i < predicates.size(); i++) {
      lines.add("  Predicate: " + predicate(predicates.get(i), values[i]));
    }
    if (predicates.isEmpty()) {
      lines.add(
          template.kind() == Kind.OTHER
              ? "  No predicates: statements of this kind are not read"
              : "  No predicates: no column is surely compared with a value");
    }
  }

  static String predicate(Predicate predicate, Object value) {
    return predicate.column() + " " + symbol(predicate.operator()) + " " + text(value);
  }

  private static String symbol(Operator operator) {
    return switch (operator) {
      case EQUAL -> "=";
      case IN -> "in";
      case FROM -> ">=";
      case TO -> "<=";
    };
  }

  private static String text(Object value) {
    if (value == null) {
      return "(value not known)";
    }
    return value instanceof String s ? "'" + s.replace("'", "''") + "'" : value.toString();
  }
}
