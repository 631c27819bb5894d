package io.gauss.compute.sql.parse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/** Finds the columns that the text of an expression over one table refers to. */
public final class ColumnReferences {
  private static final Pattern PLAIN_NAME = Pattern.compile("[a-z_][a-z0-9_$]*");

  private ColumnReferences() {}

  /** Names of the columns, in the order of the text. */
  public static Set<String> of(String expression) {
    return of(PgParser.parseExpression(expression));
  }

  static Set<String> of(SqlNode expression) {
    List<SqlIdentifier> found = new ArrayList<>();
    collect(expression, found);
    Set<String> names = new LinkedHashSet<>();
    found.forEach(identifier -> names.add(identifier.names.getLast()));
    return names;
  }

  /**
   * The text with other column names, and without table names before them, since tables are also
   * renamed.
   *
   * @param newName from a column's name to its new one
   */
  public static String rename(String expression, UnaryOperator<String> newName) {
    List<SqlIdentifier> found = new ArrayList<>();
    collect(PgParser.parseExpression(expression), found);
    // From the end, so that offsets stay valid.
    found.sort(Comparator.comparingInt(ColumnReferences::start).reversed());
    PgLexer lexer = new PgLexer().scan(expression);
    StringBuilder text = new StringBuilder(expression);
    int before = Integer.MAX_VALUE;
    for (SqlIdentifier identifier : found) {
      int start = start(identifier);
      if (start == before) {
        continue; // One place of the text may be in the tree twice.
      }
      before = start;
      int token = 0;
      while (lexer.start(token) != start) {
        token++;
      }
      int last = token + 2 * (identifier.names.size() - 1);
      text.replace(start, lexer.end(last), written(newName.apply(identifier.names.getLast())));
    }
    return text.toString();
  }

  /** The column that an expression is, nothing else; null for others. */
  public static String columnOrNull(String expression) {
    return PgParser.parseExpression(expression) instanceof SqlIdentifier column
        ? column.names.getLast()
        : null;
  }

  private static int start(SqlIdentifier identifier) {
    return identifier.getParserPosition().getColumnNum() - 1;
  }

  /** A column's name in a form that is valid in an expression, even if it is a reserved word. */
  public static String written(String name) {
    boolean plain = PLAIN_NAME.matcher(name).matches();
    if (plain) {
      try {
        plain =
            PgParser.parseExpression(name) instanceof SqlIdentifier identifier
                && identifier.isSimple()
                && identifier.getSimple().equals(name);
      } catch (io.gauss.common.error.GaussException e) {
        plain = false; // a reserved word
      }
    }
    return plain ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  private static void collect(SqlNode node, List<SqlIdentifier> found) {
    switch (node) {
      case SqlIdentifier column -> found.add(column);
      case SqlCall call when call.getOperator() == PgOperators.COLLATE ->
          collect(call.operand(0), found);
      case SqlCall call ->
          call.getOperandList().stream()
              .filter(Objects::nonNull)
              .forEach(operand -> collect(operand, found));
      case SqlNodeList list -> list.forEach(item -> collect(item, found));
      default -> {}
    }
  }
}
