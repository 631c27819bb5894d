package io.gauss.jdbc.routing.statement;

import java.util.List;

/** Joins tokens into a text again, with a list of values of any length as one. */
final class TemplateText {
  private TemplateText() {}

  static String of(List<Token> tokens) {
    StringBuilder text = new StringBuilder();
    int i = 0;
    while (i < tokens.size()) {
      int end = endOfValues(tokens, i);
      String piece = end > i ? "( ?+ )" : tokens.get(i).text();
      boolean again = end > i && endsWithList(text);
      if (again) {
        // VALUES (?, ?), (?, ?): one row stands for all; the comma between them is also removed.
        text.setLength(text.length() - 2);
      } else {
        text.append(text.isEmpty() ? "" : " ").append(piece);
      }
      i = end > i ? end : i + 1;
    }
    return text.toString();
  }

  private static boolean endsWithList(StringBuilder text) {
    String tail = "( ?+ ) ,";
    return text.length() >= tail.length() && text.indexOf(tail, text.length() - tail.length()) >= 0;
  }

  /** End of the list of values in parentheses that begins at {@code from}; {@code from} if none. */
  private static int endOfValues(List<Token> tokens, int from) {
    if (!tokens.get(from).is("(")
        || from == 0
        || !(tokens.get(from - 1).is("in")
            || tokens.get(from - 1).is("values")
            || tokens.get(from - 1).is(","))) {
      return from;
    }
    int i = from + 1;
    while (i + 1 < tokens.size() && (tokens.get(i).isValue() || isSpread(tokens, i))) {
      i += isSpread(tokens, i) ? 2 : 1;
      if (i < tokens.size() && tokens.get(i).is(")")) {
        return i + 1;
      } else if (i == tokens.size() || !tokens.get(i).is(",")) {
        return from;
      }
      i++;
    }
    return from;
  }

  /** The mark that a template has for a list of values, when it is read again. */
  static boolean isSpread(List<Token> tokens, int i) {
    return i + 1 < tokens.size() && tokens.get(i).isValue() && tokens.get(i + 1).is("+");
  }
}
