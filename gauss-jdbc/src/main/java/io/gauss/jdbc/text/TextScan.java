package io.gauss.jdbc.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A single scan of a text: where its statements end, their first words, and some words that matter
 * at any position. Quotes, dollar quotes and comments are skipped as in PostgreSQL; the server's
 * setting standard_conforming_strings is assumed to be on.
 */
final class TextScan {
  /** Number of words kept of each statement. */
  private static final int WORDS = 12;

  /** Functions of the system that change nothing, so that a lost query can be repeated. */
  private static final Set<String> AGGREGATES = Set.of("AVG", "COUNT", "MAX", "MIN", "SUM");

  /** Words after which an opening parenthesis does not begin a call. */
  private static final Set<String> KEYWORDS =
      Set.of(
          "ALL",
          "AND",
          "ANY",
          "AS",
          "BY",
          "CASE",
          "DISTINCT",
          "ELSE",
          "EXCEPT",
          "EXISTS",
          "FROM",
          "HAVING",
          "IN",
          "INTERSECT",
          "JOIN",
          "LATERAL",
          "LIMIT",
          "NOT",
          "OFFSET",
          "ON",
          "OR",
          "SELECT",
          "SOME",
          "THEN",
          "UNION",
          "USING",
          "VALUES",
          "WHEN",
          "WHERE");

  private final String text;
  private final List<Part> parts = new ArrayList<>(1);
  private Part part = new Part();
  private int at;
  private int hintedNode;

  TextScan(String text) {
    this.text = text;
  }

  /** A statement of the text. */
  static final class Part {
    private final List<String> words = new ArrayList<>(WORDS);
    private String text = "";
    private int start = -1;
    private boolean hasFrom;
    private boolean hasInto;
    private boolean hasCall;
    private boolean hasParameter;
    private boolean asksForSession;
    private boolean locksAdvisory;
    private boolean unlocksAdvisory;
    private boolean setsConfig;

    /**
     * A word in upper case, or a quoted identifier as it is, or a single character that is neither;
     * empty after the end or after the first few.
     */
    String word(int index) {
      return index < words.size() ? words.get(index) : "";
    }

    /** The statement's text without surrounding blanks. */
    String text() {
      return text;
    }

    boolean hasFrom() {
      return hasFrom;
    }

    boolean hasInto() {
      return hasInto;
    }

    /** There is an opening parenthesis after a word that is no keyword and no common aggregate. */
    boolean hasCall() {
      return hasCall;
    }

    boolean hasParameter() {
      return hasParameter;
    }

    /** Uses currval or lastval. */
    boolean asksForSession() {
      return asksForSession;
    }

    /** It takes an advisory lock that outlives the transaction. */
    boolean locksAdvisory() {
      return locksAdvisory;
    }

    /** It releases all advisory locks. */
    boolean unlocksAdvisory() {
      return unlocksAdvisory;
    }

    /** It calls set_config, with any arguments. */
    boolean setsConfig() {
      return setsConfig;
    }
  }

  /** At least one statement; empty ones between semicolons are left out. */
  List<Part> parts() {
    return parts;
  }

  int hintedNode() {
    return hintedNode;
  }

  void run() {
    int length = text.length();
    while (at < length) {
      char c = text.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
      } else if (c == '-' && follows('-')) {
        skipTo("\n");
      } else if (c == '/' && follows('*')) {
        comment();
      } else if (c == ';') {
        end(at);
        at++;
      } else {
        token(c);
      }
    }
    end(length);
    if (parts.isEmpty()) {
      parts.add(part);
    }
  }

  private boolean follows(char next) {
    return at + 1 < text.length() && text.charAt(at + 1) == next;
  }

  private void end(int until) {
    if (part.start >= 0) {
      part.text = text.substring(part.start, until).strip();
      parts.add(part);
      part = new Part();
    }
  }

  private void token(char c) {
    int begin = at;
    if (part.start < 0) {
      part.start = begin;
    }
    if (c == '\'') {
      string(false);
    } else if (c == '"') {
      skipQuoted('"');
      add(text.substring(begin + 1, Math.max(begin + 1, at - 1)));
    } else if (c == '$' && dollarQuoted()) {
      add("'");
    } else if (isWordStart(c)) {
      while (at < text.length() && isWordPart(text.charAt(at))) {
        at++;
      }
      word(begin, at);
    } else {
      part.hasParameter |= c == '?' || c == '$';
      at++;
      add(String.valueOf(c));
    }
  }

  private static boolean isWordStart(char c) {
    return Character.isLetter(c) || c == '_';
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$';
  }

  private void add(String word) {
    if (part.words.size() < WORDS) {
      part.words.add(word);
    }
  }

  private void word(int begin, int end) {
    boolean isPrefix = end < text.length() && text.charAt(end) == '\'' && end - begin == 1;
    if (isPrefix && (text.charAt(begin) == 'e' || text.charAt(begin) == 'E')) {
      string(true);
      return;
    }
    int length = end - begin;
    if (part.words.size() < WORDS) {
      part.words.add(text.substring(begin, end).toUpperCase(Locale.ROOT));
    }
    if (length == 4) {
      part.hasFrom |= text.regionMatches(true, begin, "from", 0, length);
      part.hasInto |= text.regionMatches(true, begin, "into", 0, length);
    }
    int next = end;
    while (next < text.length() && Character.isWhitespace(text.charAt(next))) {
      next++;
    }
    if (next < text.length() && text.charAt(next) == '(') {
      call(begin, length);
    }
  }

  private static boolean isKeyword(String word) {
    return KEYWORDS.contains(word.toUpperCase(Locale.ROOT));
  }

  private boolean isAggregate(int begin, int length) {
    boolean isQualified = begin > 0 && text.charAt(begin - 1) == '.';
    return !isQualified
        && AGGREGATES.contains(text.substring(begin, begin + length).toUpperCase(Locale.ROOT));
  }

  private void call(int begin, int length) {
    part.hasCall =
        part.hasCall
            || !isKeyword(text.substring(begin, begin + length)) && !isAggregate(begin, length);
    char first = Character.toLowerCase(text.charAt(begin));
    if (first != 'c' && first != 'l' && first != 'p' && first != 's') {
      return;
    }
    switch (text.substring(begin, begin + length).toLowerCase(Locale.ROOT)) {
      case "currval", "lastval" -> part.asksForSession = true;
      case "set_config" -> part.setsConfig = true;
      case "pg_advisory_lock",
          "pg_advisory_lock_shared",
          "pg_try_advisory_lock",
          "pg_try_advisory_lock_shared" ->
          part.locksAdvisory = true;
      case "pg_advisory_unlock", "pg_advisory_unlock_shared" -> part.asksForSession = true;
      case "pg_advisory_unlock_all" -> {
        part.asksForSession = true;
        part.unlocksAdvisory = true;
      }
      default -> {
        // a function like others
      }
    }
  }

  // ---- what is skipped

  private void skipTo(String end) {
    int found = text.indexOf(end, at);
    at = found < 0 ? text.length() : found + end.length();
  }

  private void string(boolean hasEscapes) {
    at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '\\' && hasEscapes) {
        at++;
      } else if (c == '\'') {
        if (at < text.length() && text.charAt(at) == '\'') {
          at++;
        } else {
          break;
        }
      }
    }
    at = Math.min(at, text.length());
    add("'");
  }

  private void skipQuoted(char quote) {
    at++;
    while (at < text.length()) {
      if (text.charAt(at++) == quote) {
        if (at < text.length() && text.charAt(at) == quote) {
          at++;
        } else {
          return;
        }
      }
    }
  }

  private boolean dollarQuoted() {
    int end = at + 1;
    while (end < text.length()
        && text.charAt(end) != '$'
        && isWordPart(text.charAt(end))
        && (end > at + 1 || !Character.isDigit(text.charAt(end)))) {
      end++;
    }
    if (end >= text.length() || text.charAt(end) != '$') {
      return false;
    }
    String tag = text.substring(at, end + 1);
    at = end + 1;
    skipTo(tag);
    return true;
  }

  private void comment() {
    int begin = at;
    int depth = 0;
    while (at < text.length()) {
      if (text.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (text.startsWith("*/", at)) {
        at += 2;
        if (--depth == 0) {
          break;
        }
      } else {
        at++;
      }
    }
    if (text.startsWith("/*+", begin) && hintedNode == 0) {
      hintedNode = hint(text.substring(begin + 3, Math.max(begin + 3, at - 2)));
    }
  }

  /** The number in {@code node(2)}; 0 for other hints, which are not for this driver. */
  private static int hint(String comment) {
    String hint = comment.strip().toLowerCase(Locale.ROOT).replace(" ", "");
    if (!hint.startsWith("node(") || hint.indexOf(')') != hint.length() - 1) {
      return 0;
    }
    String number = hint.substring(5, hint.length() - 1);
    boolean isNumber =
        !number.isEmpty()
            && number.length() <= 9
            && number.chars().allMatch(c -> c >= '0' && c <= '9');
    return isNumber ? Integer.parseInt(number) : 0;
  }
}
