package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;

/**
 * A statement's text as it may be written to a log: without the values in it. A log is read by
 * others than those who may read the tables, and a password in {@code ALTER ROLE} is a value, too.
 */
public final class TextWithoutValues {
  /** Reading longer ones again would take too long; most of them are values anyway. */
  private static final int MAX_READ = 100_000;

  private static final char VALUE = '?';

  private TextWithoutValues() {}

  /**
   * The text with {@code ?} for each literal, one blank for blanks, and no comments. Names, words
   * and parameters stay, on one line: a quoted name may have line ends, which could forge lines of
   * the log. Of a text that has no tokens, since a quote is missing for example, only the length is
   * told.
   *
   * @param most characters of the result; a longer one is cut
   */
  public static String of(String sql, int most) {
    if (sql.length() > MAX_READ) {
      return "(a text of " + sql.length() + " characters)";
    }
    PgLexer lexer;
    try {
      lexer = new PgLexer().scan(sql);
    } catch (GaussException e) {
      return "(a malformed text of " + sql.length() + " characters)";
    }
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < lexer.count() && shown.length() <= most; i++) {
      if (i > 0 && lexer.start(i) > lexer.end(i - 1)) {
        shown.append(' ');
      }
      switch (lexer.kind(i)) {
        case PgLexer.STRING,
            PgLexer.INTEGER,
            PgLexer.DECIMAL,
            PgLexer.SCIENTIFIC,
            PgLexer.BIT_STRING ->
            shown.append(VALUE);
        default -> appendPrintable(shown, sql, lexer.start(i), lexer.end(i));
      }
    }
    return shown.length() > most ? shown.substring(0, most) + "..." : shown.toString();
  }

  private static void appendPrintable(StringBuilder shown, String sql, int start, int end) {
    for (int i = start; i < end; i++) {
      char c = sql.charAt(i);
      boolean isPrintable =
          switch (Character.getType(c)) {
            case Character.CONTROL,
                Character.FORMAT,
                Character.LINE_SEPARATOR,
                Character.PARAGRAPH_SEPARATOR ->
                false;
            default -> true;
          };
      shown.append(isPrintable ? c : VALUE);
    }
  }
}
