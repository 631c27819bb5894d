package io.gauss.compute.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Splits a script for psql into what it sends to the server: statements end at a semicolon outside
 * of quotes, comments and parentheses; backslash commands are left out with the rest of their line
 * (one that sends the statement, such as {@code \gset}, ends it); lines after COPY FROM STDIN up to
 * {@code \.} are its data.
 *
 * <p>Statements with psql's variables ({@code :'name'}) are left out, since nobody sets these.
 */
final class PsqlScript {
  private static final Pattern COPY_IN =
      Pattern.compile(
          "\\s*copy\\b.*\\bfrom\\s+stdin\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern VARIABLE = Pattern.compile("(?<!:):['\"][a-z_]+['\"]");
  private static final Pattern BODY =
      Pattern.compile("\\bbegin\\s+atomic\\b", Pattern.CASE_INSENSITIVE);

  /**
   * One thing that is sent.
   *
   * @param data the lines of a COPY FROM STDIN, or null
   */
  record Step(String sql, String data) {}

  private final String text;
  private final List<Step> steps = new ArrayList<>();
  private int at;
  private int start;
  private int depth;

  private PsqlScript(String text) {
    this.text = text;
  }

  static List<Step> steps(String text) {
    PsqlScript script = new PsqlScript(text);
    script.split();
    return List.copyOf(script.steps);
  }

  private void split() {
    StringBuilder cut = new StringBuilder();
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '\\') {
        String pending = cut + text.substring(start, at);
        int end = lineEnd(at);
        boolean separator = text.startsWith("\\;", at);
        if (separator || text.startsWith("\\g", at)) {
          cut.setLength(0);
          add(pending);
          at = separator ? at + 2 : end;
        } else {
          cut.append(text, start, at);
          at = end;
        }
        start = at;
      } else if (c == ';' && depth <= 0 && !inBody(cut + text.substring(start, at))) {
        String sql = cut + text.substring(start, at);
        cut.setLength(0);
        at++;
        start = at;
        add(sql);
      } else {
        skip(c);
      }
    }
    add(cut + text.substring(start));
  }

  /** Whether the semicolon belongs to a function's body that is written in SQL. */
  private static boolean inBody(String sql) {
    return BODY.matcher(sql).find() && !sql.toLowerCase(Locale.ROOT).strip().endsWith("end");
  }

  private int lineEnd(int from) {
    int end = text.indexOf('\n', from);
    return end < 0 ? text.length() : end;
  }

  private void add(String sql) {
    depth = 0;
    String statement = withoutLeadingComments(sql);
    if (statement.isEmpty()) {
      return;
    }
    String data = COPY_IN.matcher(statement).matches() ? copyData() : null;
    if (!VARIABLE.matcher(statement).find()) {
      steps.add(new Step(statement, data));
    }
  }

  private String copyData() {
    at = Math.min(text.length(), lineEnd(at) + 1);
    int end = text.startsWith("\\.\n", at) ? at : text.indexOf("\n\\.\n", at) + 1;
    if (end <= 0) {
      return "";
    }
    String data = text.substring(at, end);
    at = Math.min(text.length(), end + 3);
    start = at;
    return data;
  }

  private static String withoutLeadingComments(String sql) {
    String rest = sql.strip();
    while (rest.startsWith("--")) {
      int end = rest.indexOf('\n');
      rest = end < 0 ? "" : rest.substring(end).strip();
    }
    return rest;
  }

  /** Moves over one token, or one character of something that needs no care. */
  private void skip(char c) {
    switch (c) {
      case '\'' -> {
        boolean escapes = at > 0 && "eE".indexOf(text.charAt(at - 1)) >= 0;
        quoted('\'', escapes);
      }
      case '"' -> quoted('"', false);
      case '$' -> dollarQuoted();
      case '-' -> at = text.startsWith("--", at) ? lineEnd(at) : at + 1;
      case '/' -> comment();
      case '(' -> {
        depth++;
        at++;
      }
      case ')' -> {
        depth--;
        at++;
      }
      default -> at++;
    }
  }

  private void quoted(char quote, boolean escapes) {
    at++;
    while (at < text.length() && text.charAt(at) != quote) {
      at += escapes && text.charAt(at) == '\\' ? 2 : 1;
    }
    at++;
  }

  private void dollarQuoted() {
    int end = at + 1;
    while (end < text.length()
        && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
      end++;
    }
    if (end >= text.length() || text.charAt(end) != '$' || isDigit(text.charAt(at + 1))) {
      at++;
      return;
    }
    String tag = text.substring(at, end + 1);
    int close = text.indexOf(tag, end + 1);
    at = close < 0 ? text.length() : close + tag.length();
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private void comment() {
    if (!text.startsWith("/*", at)) {
      at++;
      return;
    }
    int nesting = 0;
    do {
      if (text.startsWith("/*", at)) {
        nesting++;
        at += 2;
      } else if (text.startsWith("*/", at)) {
        nesting--;
        at += 2;
      } else {
        at++;
      }
    } while (nesting > 0 && at < text.length());
  }
}
