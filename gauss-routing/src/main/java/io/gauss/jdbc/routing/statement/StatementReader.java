package io.gauss.jdbc.routing.statement;

import io.gauss.jdbc.routing.statement.StatementTemplate.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads a statement's text. Takes microseconds; {@link StatementCache} caches the results. */
public final class StatementReader {
  /**
   * Of longer texts only so much is read, so that nothing big is read or kept. As long as what
   * compute nodes sample of a text, so that both see the same template.
   */
  public static final int MAX_CHARS = 4096;

  private static final Set<String> TELL_NOTHING =
      Set.of(
          "set", "show", "reset", "begin", "start", "discard", "listen", "unlisten", "savepoint");

  private StatementReader() {}

  /** Reads the first statement of a text. Never fails. */
  public static ReadStatement read(String sql) {
    List<Token> tokens = withoutReturning(tokens(sql));
    String text = readable(TemplateText.of(tokens));
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

  /** The part of a text that is read. */
  static String cut(String sql) {
    return sql.length() < MAX_CHARS ? sql : sql.substring(0, MAX_CHARS);
  }

  private static List<Token> tokens(String sql) {
    List<Token> tokens = Tokens.of(cut(sql));
    if (sql.length() >= MAX_CHARS && !tokens.isEmpty()) {
      // Its end may be missing, of which a text that was cut by somebody else shows nothing.
      tokens.remove(tokens.size() - 1);
      closeList(tokens);
    }
    return tokens;
  }

  /** A template's text is read as a whole when it is read again: it ends with a token before. */
  private static String readable(String text) {
    if (text.length() < MAX_CHARS) {
      return text;
    }
    String part = text.substring(0, text.lastIndexOf(' ', MAX_CHARS - 1));
    return part.endsWith(" ( ?+") ? part.substring(0, part.length() - 5) : part;
  }

  /** A list of values that is cut off is a list of values all the same. */
  private static void closeList(List<Token> tokens) {
    int end = tokens.size();
    while (end > 0 && tokens.get(end - 1).is(",")) {
      end--;
    }
    int open = end;
    while (open > 0 && (tokens.get(open - 1).isValue() || tokens.get(open - 1).is(","))) {
      open--;
    }
    if (open > 0 && open < end && tokens.get(open - 1).is("(")) {
      tokens.subList(end, tokens.size()).clear();
      tokens.add(Token.symbol(")"));
    }
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
