package io.gauss.compute.expr;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Translates PostgreSQL's advanced regular expressions to java.util.regex. There is one visible
 * difference from PostgreSQL: where alternatives match texts of different length, Java takes the
 * first that matches, PostgreSQL the longest; whether there is a match at all is the same. Letters,
 * words and white space are those of Unicode, digits the ten of ASCII, as {@code lc_ctype}
 * specifies and the C library implements; java.util.regex uses ASCII's by default.
 */
final class RegexTranslator {
  // The contents of character classes, to go between brackets.
  private static final String ALNUM = "\\p{IsAlphabetic}\\p{Nd}";
  private static final String WORD = ALNUM + "_";
  private static final String SPACE =
      "\\s\\u1680\\u2000-\\u2006\\u2008-\\u200A\\u2028\\u2029\\u205F\\u3000";

  /** Characters that are invisible or unassigned. */
  private static final String NOT_GRAPHIC = SPACE + "\\p{Cc}\\p{Cn}\\p{Cs}";

  private static final String BEFORE_WORD = "(?<![" + WORD + "])(?=[" + WORD + "])";
  private static final String AFTER_WORD = "(?<=[" + WORD + "])(?![" + WORD + "])";
  private static final String WITHIN_WORD = "(?<=[" + WORD + "])(?=[" + WORD + "])";
  private static final String OUTSIDE_WORDS = "(?<![" + WORD + "])(?![" + WORD + "])";

  /** PostgreSQL's limit is on states, of which it takes at least one for a character. */
  private static final int LONGEST = 100_000;

  private final String from;
  private final StringBuilder to = new StringBuilder();
  private int p;
  private boolean multiline;

  private RegexTranslator(String from) {
    this.from = from;
  }

  /**
   * @param options letters of PostgreSQL's flags: i, c, n, m, s, p, w, x, q; g is the caller's
   * @throws GaussException 2201B, 22023 for an unknown option
   */
  static Pattern compile(String regex, String options) {
    if (regex.length() > LONGEST) {
      throw new GaussException(
          SqlState.INVALID_REGULAR_EXPRESSION,
          "invalid regular expression: regular expression is too complex");
    }
    int flags = Pattern.DOTALL;
    boolean literal = false;
    RegexTranslator translator = null;
    boolean newlines = false;
    for (int i = 0; i < options.length(); i++) {
      switch (options.charAt(i)) {
        case 'i' -> flags |= Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;
        case 'c' -> flags &= ~Pattern.CASE_INSENSITIVE;
        case 'n', 'm' -> newlines = true;
        case 's' -> newlines = false;
        case 'x' -> flags |= Pattern.COMMENTS;
        case 'q' -> literal = true;
        case 'e', 't' -> {}
        default ->
            throw new GaussException(
                SqlState.INVALID_PARAMETER_VALUE,
                "invalid regular expression option: \"" + options.charAt(i) + "\"");
      }
    }
    if (newlines) {
      flags = (flags & ~Pattern.DOTALL) | Pattern.MULTILINE;
    }
    try {
      if (literal) {
        return Pattern.compile(regex, flags | Pattern.LITERAL);
      }
      translator = new RegexTranslator(regex);
      translator.multiline = newlines;
      return Pattern.compile(translator.translate(), flags);
    } catch (PatternSyntaxException e) {
      throw new GaussException(
          SqlState.INVALID_REGULAR_EXPRESSION,
          "invalid regular expression: " + reason(e.getDescription()),
          e);
    }
  }

  /** PostgreSQL's text for an error, where Java reports the same error. */
  private static String reason(String description) {
    if (description.startsWith("Unclosed group")
        || description.startsWith("Unmatched closing ')'")) {
      return "parentheses () not balanced";
    }
    if (description.startsWith("Unclosed counted closure")) {
      return "braces {} not balanced";
    }
    if (description.startsWith("Unclosed character class")) {
      return "brackets [] not balanced";
    }
    if (description.startsWith("Dangling meta character")) {
      return "quantifier operand invalid";
    }
    return description;
  }

  private String translate() {
    if (from.startsWith("***=")) {
      return Pattern.quote(from.substring(4));
    }
    if (from.startsWith("***:")) {
      p = 4;
    }
    while (p < from.length()) {
      char c = from.charAt(p);
      switch (c) {
        case '\\' -> escape(false);
        case '[' -> bracket();
        case '^' -> {
          to.append(multiline ? "^" : "\\A");
          p++;
        }
        case '$' -> {
          to.append(multiline ? "$" : "\\z");
          p++;
        }
        case '{' -> {
          // A brace that does not begin a bound stands for itself.
          boolean bound = p + 1 < from.length() && Character.isDigit(from.charAt(p + 1));
          to.append(bound ? "{" : "\\{");
          p++;
        }
        case '*', '+', '?' -> {
          to.append(c);
          p++;
          if (p < from.length() && from.charAt(p) == '+') {
            throw new GaussException(
                SqlState.INVALID_REGULAR_EXPRESSION,
                "invalid regular expression: quantifier operand invalid");
          }
        }
        default -> {
          to.append(c);
          p++;
        }
      }
    }
    return to.toString();
  }

  private void escape(boolean inBracket) {
    p++;
    if (p == from.length()) {
      throw new GaussException(
          SqlState.INVALID_REGULAR_EXPRESSION,
          "invalid regular expression: invalid escape \\ sequence");
    }
    char c = from.charAt(p++);
    switch (c) {
      case 'y' -> to.append("(?:" + BEFORE_WORD + "|" + AFTER_WORD + ")");
      case 'Y' -> to.append("(?:" + WITHIN_WORD + "|" + OUTSIDE_WORDS + ")");
      case 'm' -> to.append(BEFORE_WORD);
      case 'M' -> to.append(AFTER_WORD);
      case 'w' -> to.append("[" + WORD + "]");
      case 'W' -> to.append("[^" + WORD + "]");
      case 's' -> to.append("[" + SPACE + "]");
      case 'S' -> to.append("[^" + SPACE + "]");
      case 'Z' -> to.append("\\z");
      case 'b' -> to.append("\\x08");
      case 'B' -> to.append("\\\\");
      case 'A', 'd', 'D', 'n', 't', 'r', 'f', 'a', 'e' -> to.append('\\').append(c);
      case 'v' -> to.append("\\x0B");
      default -> {
        if (Character.isLetterOrDigit(c) && !inBracket) {
          to.append('\\').append(c);
        } else if (Character.isLetterOrDigit(c)) {
          to.append(c);
        } else {
          to.append(Pattern.quote(String.valueOf(c)));
        }
      }
    }
  }

  private void bracket() {
    if (from.startsWith("[[:<:]]", p)) {
      to.append(BEFORE_WORD);
      p += 7;
      return;
    }
    if (from.startsWith("[[:>:]]", p)) {
      to.append(AFTER_WORD);
      p += 7;
      return;
    }
    to.append('[');
    p++;
    if (p < from.length() && from.charAt(p) == '^') {
      to.append('^');
      p++;
    }
    boolean first = true;
    while (true) {
      if (p >= from.length()) {
        throw new GaussException(
            SqlState.INVALID_REGULAR_EXPRESSION,
            "invalid regular expression: brackets [] not balanced");
      }
      char c = from.charAt(p);
      if (c == ']' && !first) {
        to.append(']');
        p++;
        return;
      }
      first = false;
      if (c == '[' && p + 1 < from.length() && from.charAt(p + 1) == ':') {
        characterClass();
      } else if (c == '[' && p + 1 < from.length() && "=.".indexOf(from.charAt(p + 1)) >= 0) {
        throw GaussException.notSupported("a collating element in a regular expression");
      } else if (c == '\\') {
        bracketEscape();
      } else if (c == '-' || Character.isLetterOrDigit(c) || c == ' ' || c > 127) {
        to.append(c);
        p++;
      } else {
        to.append('\\').append(c);
        p++;
      }
    }
  }

  private void bracketEscape() {
    char next = p + 1 < from.length() ? from.charAt(p + 1) : 0;
    if (next != 0 && !Character.isLetterOrDigit(next)) {
      to.append('\\').append(next);
      p += 2;
    } else {
      escape(true);
    }
  }

  private void characterClass() {
    int end = from.indexOf(":]", p);
    String name = end < 0 ? "" : from.substring(p + 2, end);
    String translated =
        switch (name) {
          case "alpha" -> "[" + ALNUM + "&&[^0-9]]";
          case "digit" -> "0-9";
          case "alnum" -> ALNUM;
          case "upper" -> "\\p{IsUppercase}\\p{Lt}";
          case "lower" -> "\\p{IsLowercase}\\p{Lt}";
          case "space" -> SPACE;
          case "blank" -> " \\t";
          case "punct" -> "[^" + ALNUM + NOT_GRAPHIC + "]";
          case "cntrl" -> "\\p{Cc}\\u2028\\u2029";
          case "xdigit" -> "0-9A-Fa-f";
          case "graph" -> "[^" + NOT_GRAPHIC + "]";
          case "print" -> "[^\\u2028\\u2029\\p{Cc}\\p{Cn}\\p{Cs}]";
          case "word" -> WORD;
          default ->
              throw new GaussException(
                  SqlState.INVALID_REGULAR_EXPRESSION,
                  "invalid regular expression: invalid character class");
        };
    to.append(translated);
    p = end + 2;
  }
}
