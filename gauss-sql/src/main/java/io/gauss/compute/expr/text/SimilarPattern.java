package io.gauss.compute.expr.text;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;

/**
 * Patterns of {@code SIMILAR TO} and {@code SUBSTRING ... SIMILAR}: SQL's regular expressions,
 * translated to PostgreSQL's own, which do the matching.
 */
final class SimilarPattern {
  private SimilarPattern() {}

  /**
   * Two separators (escape and double quote) divide the pattern in three: the middle part is the
   * only group, the first part matches as little as possible.
   *
   * @param escape one character, or nothing for none
   * @throws GaussException 22025 for a longer escape, 2200C for more than two separators
   */
  static String toRegex(String pattern, String escape) {
    return toRegex(pattern, escape, false);
  }

  /** For SUBSTRING: makes each quantifier of the first of three parts non-greedy. */
  static String forSubstring(String pattern, String escape) {
    return toRegex(pattern, escape, !escape.isEmpty() && pattern.contains(escape + '"'));
  }

  private static String toRegex(String pattern, String escape, boolean parts) {
    if (escape.codePointCount(0, escape.length()) > 1) {
      throw new GaussException(SqlState.INVALID_ESCAPE_SEQUENCE, "invalid escape string")
          .hint("Escape string must be empty or one character.");
    }
    int escapeCharacter = escape.isEmpty() ? -1 : escape.codePointAt(0);
    StringBuilder regex = new StringBuilder("^(?:");
    boolean escaped = false;
    boolean inBrackets = false;
    int separators = 0;
    for (int i = 0; i < pattern.length(); ) {
      int c = pattern.codePointAt(i);
      i += Character.charCount(c);
      if (escaped) {
        if (c == '"' && !inBrackets) {
          regex.append(separator(++separators));
        } else {
          regex.append('\\').appendCodePoint(c);
        }
        escaped = false;
      } else if (c == escapeCharacter) {
        escaped = true;
      } else if (inBrackets) {
        regex.append(c == '\\' ? "\\\\" : Character.toString(c));
        inBrackets = c != ']';
      } else {
        inBrackets = c == '[';
        boolean lazy = parts && separators == 0;
        switch (c) {
          case '%' -> regex.append(lazy ? ".*?" : ".*");
          case '*', '+', '?', '}' -> regex.appendCodePoint(c).append(lazy ? "?" : "");
          case '_' -> regex.append('.');
          case '(' -> regex.append("(?:");
          case '\\', '.', '^', '$' -> regex.append('\\').appendCodePoint(c);
          default -> regex.appendCodePoint(c);
        }
      }
    }
    return regex.append(")$").toString();
  }

  private static String separator(int number) {
    return switch (number) {
      case 1 -> "){1,1}?(";
      case 2 -> "){1,1}(?:";
      default ->
          throw new GaussException(
              SqlState.INVALID_USE_OF_ESCAPE_CHARACTER,
              "SQL regular expression may not contain more than two escape-double-quote"
                  + " separators");
    };
  }
}
