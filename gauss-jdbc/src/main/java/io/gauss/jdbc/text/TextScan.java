package io.gauss.jdbc.text;

import io.gauss.jdbc.routing.statement.SqlLexer;
import io.gauss.jdbc.routing.statement.SqlLexer.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A single scan of a text: where its statements end, their first words, and some words that matter
 * at any position.
 */
final class TextScan {
  /** Number of words kept of each statement; more of those that drop tables. */
  private static final int WORDS = 12;

  private static final int MOST_WORDS = 1000;

  /** Number of words kept after INTO. */
  private static final int TARGET = 5;

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
  private final SqlLexer lexer;
  private final List<Part> parts = new ArrayList<>(1);
  private Part part = new Part();
  private int hintedNode;

  TextScan(String text) {
    this.text = text;
    this.lexer = new SqlLexer(text);
  }

  /** A statement of the text. */
  static final class Part {
    private final List<String> words = new ArrayList<>(WORDS);
    private String text = "";
    private int nameStart = -1; // of the last word or quoted name; -1 after anything else
    private int nameEnd;
    private boolean isDotted; // a dot was the last token
    private boolean isQualified; // the last word follows a dot
    private int start = -1;
    private int end;
    private int depth;
    private int into = -1;
    private List<String> target = List.of();
    private boolean hasFrom;
    private boolean hasCall;
    private boolean hasParameter;
    private boolean endsWithTransaction;
    private boolean isHeld;
    private boolean asksForSession;
    private boolean locksAdvisory;
    private boolean setsConfig;

    /**
     * A word in upper case, or a quoted name as it is after a quotation mark, or something else as
     * it is written, strings without their contents; empty after the end or after the first few.
     */
    String word(int index) {
      return index < words.size() ? words.get(index) : "";
    }

    /** The statement's text without surrounding blanks and comments. */
    String text() {
      return text;
    }

    boolean hasFrom() {
      return hasFrom;
    }

    boolean hasInto() {
      return into >= 0;
    }

    /** The words after INTO. */
    List<String> target() {
      return target;
    }

    /** There is an opening parenthesis after a name that is no keyword and no common aggregate. */
    boolean hasCall() {
      return hasCall;
    }

    boolean hasParameter() {
      return hasParameter;
    }

    /** ON COMMIT DROP. */
    boolean endsWithTransaction() {
      return endsWithTransaction;
    }

    /** WITH HOLD. */
    boolean isHeld() {
      return isHeld;
    }

    /** Uses currval or lastval. */
    boolean asksForSession() {
      return asksForSession;
    }

    /** It takes an advisory lock that outlives the transaction. */
    boolean locksAdvisory() {
      return locksAdvisory;
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
    for (Kind kind = lexer.next(); kind != Kind.END; kind = lexer.next()) {
      if (kind == Kind.SEMICOLON) {
        end();
      } else if (kind == Kind.HINT) {
        hint();
      } else {
        token(kind);
      }
    }
    end();
    if (parts.isEmpty()) {
      parts.add(part);
    }
  }

  private void end() {
    if (part.start >= 0) {
      part.text = text.substring(part.start, part.end);
      parts.add(part);
      part = new Part();
    }
  }

  private void token(Kind kind) {
    if (part.start < 0) {
      part.start = lexer.start();
    }
    part.end = lexer.end();
    boolean isName = kind == Kind.WORD || kind == Kind.QUOTED;
    if (isName) {
      part.isQualified = part.isDotted;
    }
    part.isDotted = lexer.is(".");
    switch (kind) {
      case WORD -> word();
      case QUOTED -> add('"' + lexer.value());
      case STRING -> add("'");
      case PARAMETER -> {
        part.hasParameter = true;
        add("?");
      }
      default -> symbol();
    }
    part.nameStart = isName ? lexer.start() : -1;
    part.nameEnd = lexer.end();
  }

  private void symbol() {
    if (lexer.is("(")) {
      part.depth++;
      if (part.nameStart >= 0) {
        call(text.substring(part.nameStart, part.nameEnd));
      }
    } else if (lexer.is(")")) {
      part.depth--;
    }
    if (isKept()) {
      add(lexer.text());
    }
  }

  /** Whether somebody asks for this word; no objects are made for the others. */
  private boolean isKept() {
    return part.words.size() < WORDS || part.into >= 0 && part.target.size() < TARGET || isDrop();
  }

  private void add(String word) {
    if (part.words.size() < WORDS || isDrop() && part.words.size() < MOST_WORDS) {
      part.words.add(word);
    }
    if (part.into >= 0 && part.target.size() < TARGET) {
      part.target.add(word);
    }
  }

  private boolean isDrop() {
    return part.words.get(0).equals("DROP");
  }

  private void word() {
    if (isKept()) {
      add(lexer.text().toUpperCase(Locale.ROOT));
    }
    if (lexer.end() - lexer.start() != 4) {
      return; // all of these have four letters
    }
    if (lexer.is("FROM")) {
      part.hasFrom = true;
    } else if (lexer.is("INTO")) {
      if (part.depth == 0 && part.into < 0) {
        part.into = lexer.start();
        part.target = new ArrayList<>(TARGET);
      }
    } else if (lexer.is("DROP")) {
      part.endsWithTransaction |= follows("COMMIT");
    } else if (lexer.is("HOLD")) {
      part.isHeld |= follows("WITH");
    }
  }

  private boolean follows(String word) {
    int length = part.nameEnd - part.nameStart;
    return part.nameStart >= 0
        && length == word.length()
        && text.regionMatches(true, part.nameStart, word, 0, length);
  }

  /** A parenthesis opens after a name. */
  private void call(String written) {
    boolean isQuoted = written.charAt(0) == '"';
    String word = isQuoted ? "" : written.toUpperCase(Locale.ROOT);
    if (KEYWORDS.contains(word)) {
      return;
    }
    if (part.isQualified || !AGGREGATES.contains(word)) {
      part.hasCall = true;
    }
    String name = isQuoted ? written.substring(1, written.length() - 1) : word;
    switch (isQuoted ? name : name.toLowerCase(Locale.ROOT)) {
      case "currval", "lastval" -> part.asksForSession = true;
      case "set_config" -> part.setsConfig = true;
      case "pg_advisory_lock",
          "pg_advisory_lock_shared",
          "pg_try_advisory_lock",
          "pg_try_advisory_lock_shared" ->
          part.locksAdvisory = true;
      case "pg_advisory_unlock", "pg_advisory_unlock_shared", "pg_advisory_unlock_all" ->
          part.asksForSession = true;
      default -> {
        // a function like others
      }
    }
  }

  private void hint() {
    if (hintedNode == 0) {
      hintedNode =
          node(text.substring(lexer.start() + 3, Math.max(lexer.start() + 3, lexer.end() - 2)));
    }
  }

  /** The number in {@code node(2)}; 0 for other hints, which are not for this driver. */
  private static int node(String comment) {
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
