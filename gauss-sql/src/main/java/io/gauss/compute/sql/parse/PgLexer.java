package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.Arrays;

/**
 * PostgreSQL's lexical rules (scan.l): splits a text into tokens once, for the statement splitter,
 * the literal extractor, the utility parser and the generated parser alike. Reusable; not
 * thread-safe.
 *
 * <p>Tokens are indexes into parallel arrays, so scanning allocates only when the arrays grow;
 * names and values are made on demand. After the last token comes one of kind {@link #END}.
 */
public final class PgLexer {
  /**
   * Kinds of tokens. Punctuation and operators of one or more characters are all {@link #OPERATOR},
   * except those named.
   */
  public static final int END = 0;

  public static final int WORD = 1;
  public static final int QUOTED_NAME = 2;
  public static final int STRING = 3;
  public static final int INTEGER = 4;
  public static final int DECIMAL = 5;
  public static final int SCIENTIFIC = 6;
  public static final int PARAMETER = 7;
  public static final int OPERATOR = 8;
  public static final int BIT_STRING = 9;

  /** How a {@link #STRING} or {@link #QUOTED_NAME} is written. */
  private static final byte PLAIN = 0;

  private static final byte ESCAPES = 1;
  private static final byte DOLLARS = 2;
  private static final byte UNICODE = 3;

  /** Names are cut to this many bytes of UTF-8, as NAMEDATALEN - 1 in PostgreSQL. */
  public static final int NAME_BYTES_MAX = 63;

  private static final int STEPS_PER_CHECK = 256; // a power of two

  private static final String OPERATOR_CHARACTERS = "~!@#^&|`?+-*/%<>=";

  private String text = "";
  private int at;
  private Runnable interrupts = () -> {};
  private int steps;
  private int count;
  private byte[] kinds = new byte[64];
  private byte[] styles = new byte[64];
  private int[] starts = new int[64];
  private int[] ends = new int[64];

  /**
   * Scans the whole text.
   *
   * @throws GaussException 42601 for malformed tokens: unterminated strings and comments, junk
   *     after numbers; 0A000 for bit strings is left to the user of the token
   */
  public PgLexer scan(String sql) {
    text = sql;
    at = 0;
    count = 0;
    while (skipBlanks()) {
      token();
    }
    add(END, PLAIN, text.length());
    count--;
    return this;
  }

  /** Whatever parses the tokens calls this again and again; it throws to end the parsing. */
  PgLexer interrupts(Runnable check) {
    interrupts = check;
    return this;
  }

  /** A token or a statement is parsed. */
  void step() {
    if ((++steps & (STEPS_PER_CHECK - 1)) == 0) {
      interrupts.run();
    }
  }

  String text() {
    return text;
  }

  /** Number of tokens, the end not counted. */
  public int count() {
    return count;
  }

  public int kind(int token) {
    return kinds[token];
  }

  /** Offset of the token's first character. */
  public int start(int token) {
    return starts[token];
  }

  /** Offset after the token's last character. */
  public int end(int token) {
    return ends[token];
  }

  /** As written. */
  String source(int token) {
    return text.substring(starts[token], ends[token]);
  }

  boolean isOperator(int token, String symbol) {
    return kinds[token] == OPERATOR
        && ends[token] - starts[token] == symbol.length()
        && text.startsWith(symbol, starts[token]);
  }

  public boolean isOperator(int token, char symbol) {
    return kinds[token] == OPERATOR
        && ends[token] - starts[token] == 1
        && text.charAt(starts[token]) == symbol;
  }

  /** Whether the token is this word (given in lower case), unquoted. */
  boolean isWord(int token, String word) {
    if (kinds[token] != WORD || ends[token] - starts[token] != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (lower(text.charAt(starts[token] + i)) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** An unquoted word folded to lower case, but not cut; used to look up keywords. */
  String word(int token) {
    return fold(text, starts[token], ends[token]);
  }

  /** The name that a word or quoted name stands for: folded or unquoted, and cut to 63 bytes. */
  public String name(int token) {
    if (kinds[token] == WORD) {
      return cut(word(token));
    }
    int start = starts[token];
    String inner;
    if (styles[token] == UNICODE) {
      inner =
          text.substring(
              start + 3,
              text.indexOf('"', start + 3) < 0 ? ends[token] : closingQuote(start + 2, '"'));
      inner =
          new StringEscapes(text)
              .unicode(inner.replace("\"\"", "\""), escapeCharacter(token), start);
    } else {
      inner = text.substring(start + 1, ends[token] - 1).replace("\"\"", "\"");
    }
    if (inner.isEmpty()) {
      throw error("zero-length delimited identifier", start, ends[token]);
    }
    return cut(inner);
  }

  /** The value of a string constant. */
  public String string(int token) {
    int start = starts[token];
    int end = ends[token];
    if (styles[token] == DOLLARS) {
      int tag = text.indexOf('$', start + 1) + 1 - start;
      return text.substring(start + tag, end - tag);
    }
    // The common case: one piece without escapes.
    if (styles[token] == PLAIN && text.charAt(start) == '\'') {
      int close = text.indexOf('\'', start + 1);
      if (close == end - 1) {
        return text.substring(start + 1, close);
      }
    }
    StringBuilder value = new StringBuilder(end - start);
    StringEscapes escapes = new StringEscapes(text);
    int i = start;
    int stop = end;
    while (i < stop) {
      // Pieces of a continued string: skip the prefix or the blanks between them.
      i = text.indexOf('\'', i) + 1;
      if (i == 0) {
        break;
      }
      i = styles[token] == ESCAPES ? escapes.piece(value, i) : piece(value, i);
      if (styles[token] == UNICODE && followedByUescape(i, stop)) {
        break;
      }
    }
    if (styles[token] == UNICODE) {
      return escapes.unicode(value.toString(), escapeCharacter(token), start);
    }
    return value.toString();
  }

  /** Number of a parameter: 1 for {@code $1}. */
  int parameter(int token) {
    try {
      return Integer.parseInt(text, starts[token] + 1, ends[token], 10);
    } catch (NumberFormatException e) {
      throw error("parameter number too large", starts[token], ends[token]);
    }
  }

  /** The symbol, {@code !=} as {@code <>}. */
  String operator(int token) {
    String symbol = source(token);
    return symbol.equals("!=") ? "<>" : symbol;
  }

  /** PostgreSQL's error when the grammar stops at a token. */
  GaussException syntaxError(int token) {
    if (token >= count) {
      return new GaussException(SqlState.SYNTAX_ERROR, "syntax error at end of input")
          .position(position(text.length()));
    }
    return error("syntax error", starts[token], ends[token]);
  }

  /** Position for an error response: characters, not UTF-16 units, from 1. */
  int position(int offset) {
    return text.codePointCount(0, offset) + 1;
  }

  // ------------------------------------------------------------------------------------------------------- scanning

  private void token() {
    char c = text.charAt(at);
    switch (c) {
      case '\'' -> string(at, PLAIN, '\'');
      case '"' -> quotedName(at, at, PLAIN);
      case '$' -> dollar();
      case '(', ')', '[', ']', ',', ';' -> symbol(1);
      case ':' -> symbol(next(1) == ':' || next(1) == '=' ? 2 : 1);
      case '.' -> {
        if (isDigit(next(1))) {
          number();
        } else {
          symbol(next(1) == '.' ? 2 : 1);
        }
      }
      default -> {
        if (isDigit(c)) {
          number();
        } else if (isNameStart(c)) {
          word(c);
        } else if (OPERATOR_CHARACTERS.indexOf(c) >= 0) {
          operator();
        } else {
          // Not a token of SQL: the grammar fails on it, and names it in the error.
          symbol(Character.isHighSurrogate(c) && at + 1 < text.length() ? 2 : 1);
        }
      }
    }
  }

  private void word(char c) {
    char quote = next(1);
    if (quote == '\'') {
      switch (c) {
        case 'e', 'E' -> {
          string(at + 1, ESCAPES, '\'');
          return;
        }
        case 'n', 'N' -> {
          string(at + 1, PLAIN, '\'');
          return;
        }
        case 'b', 'B', 'x', 'X' -> {
          int start = at;
          at = closingQuoteOr("unterminated bit string literal", at + 1, '\'') + 1;
          add(BIT_STRING, PLAIN, start);
          return;
        }
        default -> {}
      }
    } else if ((c == 'u' || c == 'U') && quote == '&') {
      if (next(2) == '\'') {
        string(at + 2, UNICODE, '\'');
        return;
      }
      if (next(2) == '"') {
        quotedName(at, at + 2, UNICODE);
        return;
      }
    }
    int start = at++;
    while (at < text.length() && isNamePart(text.charAt(at))) {
      at++;
    }
    add(WORD, PLAIN, start);
  }

  private void quotedName(int start, int quote, byte style) {
    at = closingQuoteOr("unterminated quoted identifier", quote, '"') + 1;
    if (style == UNICODE) {
      uescape();
    }
    add(QUOTED_NAME, style, start);
  }

  /** A string constant with its continuations; {@code quote} is the offset of the opening quote. */
  private void string(int quote, byte style, char mark) {
    int start = at;
    int open = quote;
    while (true) {
      at = stringEnd(open, style == ESCAPES, start);
      int resume = at;
      // A string continues after white space with a line break in it (comments count as white space
      // here).
      if (!skipBlanksWithNewline() || at >= text.length() || text.charAt(at) != mark) {
        at = resume;
        break;
      }
      open = at;
    }
    if (style == UNICODE) {
      uescape();
    }
    add(STRING, style, start);
  }

  /** Offset after the closing quote of the piece that opens at {@code open}. */
  private int stringEnd(int open, boolean escapes, int start) {
    int i = open + 1;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c == '\'') {
        if (i + 1 < text.length() && text.charAt(i + 1) == '\'') {
          i += 2;
          continue;
        }
        return i + 1;
      }
      i += escapes && c == '\\' ? 2 : 1;
    }
    throw error("unterminated quoted string", start, text.length());
  }

  private int closingQuoteOr(String message, int open, char quote) {
    int close = closingQuote(open, quote);
    if (close < 0) {
      throw error(message, at, text.length());
    }
    return close;
  }

  private int closingQuote(int open, char quote) {
    int i = open + 1;
    while (true) {
      i = text.indexOf(quote, i);
      if (i < 0) {
        return -1;
      }
      if (i + 1 < text.length() && text.charAt(i + 1) == quote) {
        i += 2;
        continue;
      }
      return i;
    }
  }

  /** Takes {@code UESCAPE 'c'} into the token if it follows. */
  private void uescape() {
    int resume = at;
    if (skipBlanks() && text.regionMatches(true, at, "uescape", 0, 7)) {
      at += 7;
      if (skipBlanks()
          && at + 2 < text.length()
          && text.charAt(at) == '\''
          && text.charAt(at + 2) == '\'') {
        at += 3;
        return;
      }
    }
    at = resume;
  }

  private boolean followedByUescape(int from, int end) {
    int i = from;
    while (i < end && isBlank(text.charAt(i))) {
      i++;
    }
    return text.regionMatches(true, i, "uescape", 0, 7);
  }

  private char escapeCharacter(int token) {
    int end = ends[token];
    // U&'...' UESCAPE '!' : the mark is the last but one character and the word stands before it.
    if (end - starts[token] > 12) {
      int i = end - 4;
      while (i > starts[token] && isBlank(text.charAt(i))) {
        i--;
      }
      if (i - 6 > starts[token] && text.regionMatches(true, i - 6, "uescape", 0, 7)) {
        return text.charAt(end - 2);
      }
    }
    return '\\';
  }

  private void dollar() {
    int start = at;
    if (isDigit(next(1))) {
      at++;
      while (at < text.length() && isDigit(text.charAt(at))) {
        at++;
      }
      if (at < text.length() && isNameStart(text.charAt(at))) {
        throw error("trailing junk after parameter", start, junkEnd());
      }
      add(PARAMETER, PLAIN, start);
      return;
    }
    int i = at + 1;
    if (i < text.length() && isNameStart(text.charAt(i))) {
      while (i < text.length() && isNamePart(text.charAt(i)) && text.charAt(i) != '$') {
        i++;
      }
    }
    if (i < text.length() && text.charAt(i) == '$') {
      String tag = text.substring(start, i + 1);
      int close = text.indexOf(tag, i + 1);
      if (close < 0) {
        throw error("unterminated dollar-quoted string", start, text.length());
      }
      at = close + tag.length();
      add(STRING, DOLLARS, start);
      return;
    }
    symbol(1);
  }

  private void number() {
    int start = at;
    byte kind = INTEGER;
    digits();
    if (at < text.length() && text.charAt(at) == '.' && next(1) != '.') {
      kind = DECIMAL;
      at++;
      digits();
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      int sign = next(1) == '+' || next(1) == '-' ? 2 : 1;
      if (isDigit(next(sign))) {
        kind = SCIENTIFIC;
        at += sign;
        digits();
      }
    }
    if (at < text.length() && isNameStart(text.charAt(at))) {
      throw error("trailing junk after numeric literal", start, junkEnd());
    }
    add(kind, PLAIN, start);
  }

  private int junkEnd() {
    // PostgreSQL's pattern takes one character of junk after decimals and a whole word after
    // integers; the difference is
    // not worth copying.
    int i = at;
    while (i < text.length() && isNamePart(text.charAt(i))) {
      i++;
    }
    return i;
  }

  private void digits() {
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
  }

  private void operator() {
    int start = at;
    int end = at;
    while (end < text.length() && OPERATOR_CHARACTERS.indexOf(text.charAt(end)) >= 0) {
      // A comment ends an operator.
      if (end > start || text.charAt(end) == '/' || text.charAt(end) == '-') {
        if (text.startsWith("--", end) || text.startsWith("/*", end)) {
          break;
        }
      }
      end++;
    }
    // Only operators with one of these may end in + or -, so that 1=-1 means 1 = -1.
    if (end - start > 1) {
      boolean free = false;
      for (int i = start; i < end && !free; i++) {
        free = "~!@#^&|`?%".indexOf(text.charAt(i)) >= 0;
      }
      while (!free
          && end - start > 1
          && (text.charAt(end - 1) == '+' || text.charAt(end - 1) == '-')) {
        end--;
      }
    }
    if (end - start > NAME_BYTES_MAX) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "operator too long")
          .position(position(start));
    }
    at = end;
    add(OPERATOR, PLAIN, start);
  }

  private void symbol(int length) {
    int start = at;
    at += length;
    add(OPERATOR, PLAIN, start);
  }

  /** Moves to the next character of a token; false at the end of the text. */
  private boolean skipBlanks() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (isBlank(c)) {
        at++;
      } else if (c == '-' && next(1) == '-') {
        skipLineComment();
      } else if (c == '/' && next(1) == '*') {
        skipComment();
      } else {
        return true;
      }
    }
    return false;
  }

  private boolean skipBlanksWithNewline() {
    boolean newline = false;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (isBlank(c)) {
        newline |= c == '\n' || c == '\r';
        at++;
      } else if (newline && c == '-' && next(1) == '-') {
        skipLineComment();
      } else {
        break;
      }
    }
    return newline;
  }

  private void skipLineComment() {
    while (at < text.length() && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
      at++;
    }
  }

  private void skipComment() {
    int start = at;
    int depth = 0;
    while (at < text.length()) {
      if (text.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (text.startsWith("*/", at)) {
        at += 2;
        if (--depth == 0) {
          return;
        }
      } else {
        at++;
      }
    }
    throw error("unterminated /* comment", start, text.length());
  }

  private char next(int distance) {
    return at + distance < text.length() ? text.charAt(at + distance) : 0;
  }

  private void add(int kind, byte style, int start) {
    if (count == kinds.length) {
      int capacity = count * 2;
      kinds = Arrays.copyOf(kinds, capacity);
      styles = Arrays.copyOf(styles, capacity);
      starts = Arrays.copyOf(starts, capacity);
      ends = Arrays.copyOf(ends, capacity);
    }
    kinds[count] = (byte) kind;
    styles[count] = style;
    starts[count] = start;
    ends[count] = at;
    count++;
  }

  // --------------------------------------------------------------------------------------------------------- values

  /**
   * Appends one piece of a string without escapes from after its opening quote; returns the offset
   * after the closing one.
   */
  private int piece(StringBuilder value, int from) {
    int i = from;
    while (true) {
      char c = text.charAt(i);
      if (c != '\'') {
        value.append(c);
        i++;
      } else if (text.startsWith("''", i)) {
        value.append('\'');
        i += 2;
      } else {
        return i + 1;
      }
    }
  }

  private GaussException error(String message, int from, int to) {
    return new GaussException(
            SqlState.SYNTAX_ERROR, message + " at or near \"" + text.substring(from, to) + "\"")
        .position(position(from));
  }

  // ----------------------------------------------------------------------------------------------------- characters

  /** Folds ASCII only, as PostgreSQL does in UTF-8. */
  static String fold(String source, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = source.charAt(i);
      if (c >= 'A' && c <= 'Z') {
        char[] folded = new char[to - from];
        for (int k = from; k < to; k++) {
          folded[k - from] = lower(source.charAt(k));
        }
        return new String(folded);
      }
    }
    return source.substring(from, to);
  }

  private static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
  }

  /** Cuts a name to 63 bytes without splitting a character. */
  static String cut(String name) {
    if (name.length() * 3 <= NAME_BYTES_MAX) {
      return name;
    }
    int bytes = 0;
    int i = 0;
    while (i < name.length()) {
      int c = name.codePointAt(i);
      bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      if (bytes > NAME_BYTES_MAX) {
        return name.substring(0, i);
      }
      i += Character.charCount(c);
    }
    return name;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static boolean isNameStart(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80;
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) || isDigit(c) || c == '$';
  }
}
