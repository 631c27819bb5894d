package io.gauss.jdbc.routing.statement;

import io.gauss.jdbc.routing.statement.StatementTemplate.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Finds the comparisons of columns with values that hold for every row of a statement: conjuncts of
 * its outermost WHERE, and the values of an INSERT. Conditions with OR or NOT, expressions and
 * sub-queries are left out.
 */
final class PredicateReader {
  private static final Set<String> AFTER_WHERE =
      Set.of(
          "group",
          "order",
          "limit",
          "offset",
          "for",
          "having",
          "union",
          "intersect",
          "except",
          "window",
          "fetch",
          "on");

  private final List<Token> tokens;
  private final List<Predicate> predicates = new ArrayList<>();
  private final List<Operand> operands = new ArrayList<>();
  private TableNames tables = TableNames.NONE;

  PredicateReader(List<Token> tokens) {
    this.tokens = tokens;
  }

  List<Predicate> predicates() {
    return predicates;
  }

  List<Operand> operands() {
    return operands;
  }

  /** SELECT, UPDATE and DELETE: the named tables, then WHERE. */
  void readConditions(Kind kind) {
    int where = atDepthZero(0, Set.of("where"));
    if (where == tokens.size()) {
      return;
    }
    tables = TableNames.of(kind, tokens.subList(0, where));
    conjuncts(where + 1, atDepthZero(where + 1, AFTER_WHERE));
  }

  /** INSERT INTO table [(columns)] VALUES (values) ...: the first row. */
  void readInsert() {
    int at = 2;
    if (tokens.size() < 5 || !tokens.get(1).is("into") || !tokens.get(at).isWord()) {
      return;
    }
    while (at + 2 < tokens.size() && tokens.get(at + 1).is(".")) {
      at += 2;
    }
    String table = tokens.get(at++).text();
    if (tokens.get(at).is("as")) {
      at += 2;
    }
    int values = atDepthZero(at, Set.of("values", "select", "default", "with"));
    if (values + 1 >= tokens.size() || !tokens.get(values).is("values")) {
      return;
    }
    List<String> columns = new ArrayList<>();
    for (Token t : tokens.get(at).is("(") ? tokens.subList(at, values) : List.<Token>of()) {
      if (t.isWord()) {
        columns.add(t.text());
      }
      if (t.is(")")) {
        break;
      }
    }
    if (columns.isEmpty()) {
      // Only the catalog knows which columns these are; the first is usually the key.
      columns.add("#1");
    }
    List<Operand> row = row(values + 1);
    for (int i = 0; i < columns.size(); i++) {
      add(table + '.' + columns.get(i), Operator.EQUAL, i < row.size() ? row.get(i) : null);
    }
  }

  /**
   * The values in the parentheses at {@code from}; UNKNOWN for anything that is not a plain value.
   */
  private List<Operand> row(int from) {
    List<Operand> row = new ArrayList<>();
    if (from >= tokens.size() || !tokens.get(from).is("(")) {
      return row;
    }
    int start = from + 1;
    int depth = 0;
    for (int i = start; i < tokens.size(); i++) {
      Token t = tokens.get(i);
      boolean end = depth == 0 && t.is(")");
      if (end || depth == 0 && t.is(",")) {
        row.add(valueOf(tokens.subList(start, i)));
        start = i + 1;
      }
      if (end) {
        break;
      }
      depth += t.is("(") ? 1 : t.is(")") ? -1 : 0;
    }
    return row;
  }

  private static Operand valueOf(List<Token> item) {
    Operand operand = value(item);
    return operand == null ? Operand.UNKNOWN : operand;
  }

  private int atDepthZero(int from, Set<String> words) {
    int depth = 0;
    for (int i = from; i < tokens.size(); i++) {
      Token t = tokens.get(i);
      if (t.is("(")) {
        depth++;
      } else if (t.is(")")) {
        depth--;
      } else if (depth == 0 && t.isWord() && words.contains(t.text())) {
        return i;
      }
    }
    return tokens.size();
  }

  /**
   * Reads a condition. Parentheses are as deep as a text is long: no call for each of them, and
   * what is in them is not looked through at each level around it.
   */
  private void conjuncts(int from, int to) {
    int[] closing = closing(from, to);
    Deque<Range> open = new ArrayDeque<>();
    open.push(new Range(from, to));
    while (!open.isEmpty()) {
      Range range = open.pop();
      int start = range.from;
      int end = range.to;
      while (start < end && tokens.get(start).is("(") && closing[start - from] == end - 1) {
        start++;
        end--;
      }
      if (start == range.from && range.isConjunct) {
        conjunct(tokens.subList(start, end));
      } else if (start == range.from || !tokens.get(start).is("select")) {
        List<Range> parts = split(start, end, closing, from);
        for (int i = parts.size() - 1; i >= 0; i--) {
          open.push(parts.get(i));
        }
      }
    }
  }

  /**
   * A part of the tokens.
   *
   * @param isConjunct whether it has no AND or OR outside of parentheses
   */
  private record Range(int from, int to, boolean isConjunct) {
    Range(int from, int to) {
      this(from, to, false);
    }
  }

  /**
   * The conjuncts of a condition.
   *
   * @param base of the first token that {@code closing} is about
   * @return none when it has an OR
   */
  private List<Range> split(int from, int to, int[] closing, int base) {
    List<Range> parts = new ArrayList<>();
    int start = from;
    boolean between = false;
    for (int i = from; i < to; i++) {
      Token t = tokens.get(i);
      if (t.is("(")) {
        i = Math.min(closing[i - base], to);
      } else if (t.is(")") || t.is("or")) {
        return List.of();
      } else if (t.is("between")) {
        between = true;
      } else if (t.is("and") && between) {
        between = false;
      } else if (t.is("and")) {
        parts.add(new Range(start, i, true));
        start = i + 1;
      }
    }
    parts.add(new Range(start, to, true));
    return parts;
  }

  /** Of each token from a place on that opens a parenthesis, where it is closed, or {@code to}. */
  private int[] closing(int from, int to) {
    int[] closing = new int[to - from];
    int[] open = new int[to - from];
    int depth = 0;
    for (int i = from; i < to; i++) {
      closing[i - from] = to;
      if (tokens.get(i).is("(")) {
        open[depth++] = i - from;
      } else if (tokens.get(i).is(")") && depth > 0) {
        closing[open[--depth]] = i;
      }
    }
    return closing;
  }

  private void conjunct(List<Token> part) {
    if (part.size() < 3) {
      return;
    }
    int end = columnEnd(part, 0);
    if (end > 0 && end < part.size()) {
      comparison(column(part.subList(0, end)), part.get(end), part.subList(end + 1, part.size()));
      return;
    }
    // 5 = column
    for (int i = 1; i + 1 < part.size(); i++) {
      Operator turned = operator(part.get(i).text(), true);
      if (turned != null && part.get(i).kind() == Token.Kind.SYMBOL) {
        Operand operand = value(part.subList(0, i));
        if (operand != null && columnEnd(part, i + 1) == part.size()) {
          add(column(part.subList(i + 1, part.size())), turned, operand);
        }
        return;
      }
    }
  }

  private void comparison(String column, Token operator, List<Token> rest) {
    Operator simple = operator(operator.text(), false);
    if (simple != null && operator.kind() == Token.Kind.SYMBOL) {
      Operand operand = value(rest);
      if (operand != null) {
        add(column, simple, operand);
      } else if (simple == Operator.EQUAL && rest.size() > 2 && rest.get(0).is("any")) {
        add(column, Operator.IN, Operand.UNKNOWN);
      }
    } else if (operator.is("between")) {
      int and = 0;
      while (and < rest.size() && !rest.get(and).is("and")) {
        and++;
      }
      Operand low = value(rest.subList(0, and));
      Operand high = value(rest.subList(Math.min(and + 1, rest.size()), rest.size()));
      if (low != null && high != null) {
        add(column, Operator.FROM, low);
        add(column, Operator.TO, high);
      }
    } else if (operator.is("in") && rest.size() > 2 && rest.get(1).isValue()) {
      boolean spread = TemplateText.isSpread(rest, 1);
      add(column, Operator.IN, spread ? Operand.UNKNOWN : rest.get(1).operand());
    }
  }

  private static Operator operator(String symbol, boolean turned) {
    return switch (symbol) {
      case "=" -> Operator.EQUAL;
      case "<", "<=" -> turned ? Operator.FROM : Operator.TO;
      case ">", ">=" -> turned ? Operator.TO : Operator.FROM;
      default -> null;
    };
  }

  /** A literal or parameter with or without a cast; null for anything else. */
  private static Operand value(List<Token> item) {
    if (item.isEmpty()) {
      return null;
    }
    Token first = item.get(0);
    if (first.isValue() && (item.size() == 1 || isCast(item))) {
      return first.operand();
    }
    if (item.size() == 2 && first.isWord() && item.get(1).isValue()) {
      return item.get(1).operand(); // date '2026-11-22'
    }
    boolean cast = first.is("cast") && item.size() >= 6 && item.get(1).is("(");
    if (cast && item.get(2).isValue() && item.get(3).is("as")) {
      return closing(item, 1) == item.size() - 1 ? item.get(2).operand() : null;
    }
    return null;
  }

  /** {@code ?::varchar(10)} and the like. */
  private static boolean isCast(List<Token> item) {
    return item.size() >= 3
        && item.get(1).is("::")
        && item.get(2).isWord()
        && item.stream().skip(3).allMatch(t -> t.is("(") || t.is(")") || t.isValue() || t.isWord());
  }

  private static int closing(List<Token> part, int open) {
    int depth = 0;
    for (int i = open; i < part.size(); i++) {
      depth += part.get(i).is("(") ? 1 : part.get(i).is(")") ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  /** End of a column's name that begins at {@code from}; {@code from} when there is none. */
  private static int columnEnd(List<Token> part, int from) {
    if (!part.get(from).isWord() || part.get(from).is("not") || part.get(from).is("exists")) {
      return from;
    }
    int end = from + 1;
    while (end + 1 < part.size() && part.get(end).is(".") && part.get(end + 1).isWord()) {
      end += 2;
    }
    return end;
  }

  private String column(List<Token> name) {
    String column = name.get(name.size() - 1).text();
    return tables.of(name.size() >= 3 ? name.get(name.size() - 3).text() : null) + '.' + column;
  }

  private void add(String column, Operator operator, Operand operand) {
    if (predicates.size() < StatementTemplate.MAX_PREDICATES) {
      predicates.add(new Predicate(column, operator));
      operands.add(operand == null ? Operand.UNKNOWN : operand);
    }
  }
}
