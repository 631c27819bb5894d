package io.gauss.jdbc.routing.statement;

import io.gauss.jdbc.routing.statement.StatementTemplate.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads a statement's text. Takes microseconds; {@link StatementCache} caches the results. */
public final class StatementReader {
  /** Longer texts give a template without predicates, so that nothing big is read or kept. */
  public static final int MAX_CHARS = 16 * 1024;

  private static final Set<String> TELL_NOTHING =
      Set.of(
          "set", "show", "reset", "begin", "start", "discard", "listen", "unlisten", "savepoint");

  private StatementReader() {}

  /** Reads the first statement of a text. Never fails. */
  public static ReadStatement read(String sql) {
    if (sql.length() > MAX_CHARS) {
      String start = sql.substring(0, 64);
      String text = "too long " + StatementTemplate.hash(start);
      return new ReadStatement(
          new StatementTemplate(StatementTemplate.hash(text), text, Kind.OTHER, List.of()),
          List.of());
    }
    List<Token> tokens = withoutReturning(Tokens.of(sql));
    String text = TemplateText.of(tokens);
    Kind kind = kind(tokens);
    PredicateReader reader = new PredicateReader(tokens);
    switch (kind) {
      case SELECT, UPDATE, DELETE -> reader.readConditions(kind);
      case INSERT -> reader.readInsert();
      case TELLS_NOTHING, OTHER -> {}
    }
    return new ReadStatement(
        new StatementTemplate(StatementTemplate.hash(text), text, kind, reader.predicates()),
        reader.operands());
  }

  /**
   * RETURNING does not change which rows are touched, and pgjdbc appends it for generated keys, so
   * that the server sees it but the driver does not.
   */
  private static List<Token> withoutReturning(List<Token> tokens) {
    int depth = 0;
    for (int i = 0; i < tokens.size(); i++) {
      Token t = tokens.get(i);
      if (t.is("(")) {
        depth++;
      } else if (t.is(")")) {
        depth--;
      } else if (depth == 0 && t.is("returning")) {
        return new ArrayList<>(tokens.subList(0, i));
      }
    }
    return tokens;
  }

  private static Kind kind(List<Token> tokens) {
    if (tokens.isEmpty()) {
      return Kind.TELLS_NOTHING;
    }
    String first = tokens.get(0).text();
    if (TELL_NOTHING.contains(first)) {
      return Kind.TELLS_NOTHING;
    }
    return switch (first) {
      case "select" ->
          tokens.stream().anyMatch(t -> t.is("from")) ? Kind.SELECT : withoutFrom(tokens);
      case "insert" -> Kind.INSERT;
      case "update" -> Kind.UPDATE;
      case "delete" -> Kind.DELETE;
      default -> Kind.OTHER;
    };
  }

  /** A function call may do anything; without one, no rows are read. */
  private static Kind withoutFrom(List<Token> tokens) {
    for (int i = 1; i + 1 < tokens.size(); i++) {
      if (tokens.get(i).isWord() && tokens.get(i + 1).is("(")) {
        return Kind.OTHER;
      }
    }
    return Kind.TELLS_NOTHING;
  }
}
