package io.gauss.jdbc.routing.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The tokens of a statement's text, normalised: names in lower case, literals and parameters with
 * their values, a minus before a number as part of it.
 */
final class Tokens {
  /** A minus after these is a sign. */
  private static final Set<String> BEFORE_SIGN =
      Set.of(
          "where",
          "and",
          "or",
          "not",
          "between",
          "in",
          "then",
          "else",
          "when",
          "limit",
          "offset",
          "select",
          "values",
          "by",
          "returning",
          "on",
          "having",
          "case",
          "like");

  private final SqlLexer lexer;
  private final List<Token> tokens = new ArrayList<>();
  private int questions;

  private Tokens(String sql) {
    this.lexer = new SqlLexer(sql);
  }

  /** The tokens of the first statement in {@code sql}; the text after its semicolon is left out. */
  static List<Token> of(String sql) {
    Tokens t = new Tokens(sql);
    while (t.next()) {}
    return t.tokens;
  }

  private boolean next() {
    switch (lexer.next()) {
      case END -> {
        return false;
      }
      case SEMICOLON -> {
        return tokens.isEmpty();
      }
      case WORD -> tokens.add(Token.word(lexer.text().toLowerCase(Locale.ROOT)));
      case QUOTED -> tokens.add(Token.word(quotedName(lexer.value())));
      case STRING -> tokens.add(Token.literal(lexer.value()));
      case NUMBER -> tokens.add(Token.literal(RoutingNumbers.parse(lexer.text())));
      case PARAMETER -> tokens.add(Token.parameter(position()));
      case SYMBOL -> symbol();
      case HINT -> {
        // For the driver, before it asks a router.
      }
    }
    return true;
  }

  private void symbol() {
    char after = lexer.following();
    boolean isSign = lexer.is("-") && (after >= '0' && after <= '9' || after == '.');
    if (!isSign || !isSignPlace()) {
      tokens.add(Token.symbol(lexer.text()));
      return;
    }
    if (lexer.next() != SqlLexer.Kind.NUMBER) {
      tokens.add(Token.literal(null)); // a dot without digits: no number, and no SQL
      return;
    }
    Object value = RoutingNumbers.parse(lexer.text());
    if (value instanceof Long l) {
      value = -l;
    } else if (value instanceof Double d) {
      value = -d;
    }
    tokens.add(Token.literal(value));
  }

  private boolean isSignPlace() {
    if (tokens.isEmpty()) {
      return false;
    }
    Token last = tokens.get(tokens.size() - 1);
    return switch (last.kind()) {
      case VALUE -> false;
      case WORD -> BEFORE_SIGN.contains(last.text());
      case SYMBOL -> !last.text().equals(")") && !last.text().equals("]");
    };
  }

  /** "id" is the name that id is; anything else keeps its quotes, and doubled ones inside. */
  private static String quotedName(String name) {
    boolean isPlain = true;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      isPlain &= c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9';
    }
    return isPlain ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  private int position() {
    if (lexer.is("?")) {
      return questions++;
    }
    String number = lexer.text().substring(1);
    return number.length() > 5 ? Integer.MAX_VALUE : Integer.parseInt(number) - 1;
  }
}
