package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A type in a text that is a value, such as {@code 'timestamp(3) with time zone[]'::regtype}. One
 * use; not for concurrent use.
 */
final class TypeText {
  private static final Set<String> INTERVAL_FIELDS =
      Set.of("year", "month", "day", "hour", "minute", "second", "to");

  private static final String CATALOG = "pg_catalog";

  private final String text;
  private final List<String> tokens = new ArrayList<>();
  private int next;

  /** The schema that was written, null for none. */
  private String schema;

  /** The name without schema; the words of a standard spelling are separated by one blank. */
  private String name = "";

  /** Whether the name is one of pg_type and no standard spelling: it is quoted or qualified. */
  private boolean isCatalogName;

  private boolean isArray;
  private final List<Integer> modifiers = new ArrayList<>();

  private TypeText(String text) {
    this.text = text;
  }

  /**
   * Finds the type; modifiers are checked, and not part of the answer.
   *
   * @return its oid; 0 when there is no such type
   * @throws GaussException 42601 when the text is no type, 22023 when a modifier is out of range
   */
  static int find(String text, TypeContext ctx) {
    TypeText read = new TypeText(text).read();
    PgType builtIn = read.type();
    return builtIn == null ? read.made(ctx) : builtIn.oid();
  }

  /** A type of CREATE TYPE. */
  private int made(TypeContext ctx) {
    if (!modifiers.isEmpty()) {
      return 0;
    }
    return ctx.typeOid(schema, name, isArray);
  }

  /** Why {@link #find} has found none. */
  static GaussException missing(String text, TypeContext ctx) {
    TypeText read = new TypeText(text).read();
    if (read.schema != null && ctx.schemaOid(read.schema) == 0) {
      return new GaussException(
          SqlState.INVALID_SCHEMA_NAME, "schema \"" + read.schema + "\" does not exist");
    }
    if (PgTypes.isUnsupported(read.name) && (read.schema == null || read.schema.equals(CATALOG))) {
      return GaussException.notSupported("type " + read.name);
    }
    String shown = read.schema == null ? read.name : read.schema + "." + read.name;
    return new GaussException(
        SqlState.UNDEFINED_OBJECT,
        "type \"" + shown + (read.isArray ? "[]" : "") + "\" does not exist");
  }

  private PgType type() {
    if (schema != null && !schema.equals(CATALOG)) {
      return null;
    }
    PgType found = isCatalogName ? PgTypes.byCatalogName(name) : PgTypes.byNameOrNull(name);
    if (found == null) {
      found = PgTypes.byCatalogName(name);
    }
    if (found != null && !modifiers.isEmpty() && !found.is(PgType.INTERVAL)) {
      int[] given = modifiers.stream().mapToInt(modifier -> modifier).toArray();
      found = PgTypes.byName(isCatalogName ? found.name() : name, given).withTypmod(-1);
    }
    return found == null || !isArray || found.isArray() ? found : found.array();
  }

  private TypeText read() {
    scan();
    if (tokens.isEmpty()) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "invalid type name \"" + text + "\"");
    }
    String first = take();
    name = word(first);
    isCatalogName = first.startsWith("\"");
    if (accept(".")) {
      schema = name;
      name = word(take());
      isCatalogName = true;
      if (peek().equals(".")) {
        throw syntaxError();
      }
    }
    if (!isCatalogName) {
      words();
    }
    modifiers();
    if (!isCatalogName && (name.equals("time") || name.equals("timestamp"))) {
      zone();
    }
    while (accept("[")) {
      isArray = true;
      if (!peek().isEmpty() && Character.isDigit(peek().charAt(0))) {
        take();
      }
      expect("]");
    }
    if (!isArray && accept("array")) {
      isArray = true;
      if (accept("[")) {
        take();
        expect("]");
      }
    }
    if (!peek().isEmpty()) {
      throw syntaxError();
    }
    return this;
  }

  /** The further words of a spelling that has several. */
  private void words() {
    switch (name) {
      case "double" -> append("precision");
      case "national" -> {
        if (!append("character")) {
          append("char");
        }
        append("varying");
      }
      case "character", "char", "nchar", "bit" -> append("varying");
      case "interval" -> {
        while (INTERVAL_FIELDS.contains(peek())) {
          take();
        }
      }
      default -> {
        // One word.
      }
    }
  }

  private boolean append(String word) {
    boolean found = accept(word);
    if (found) {
      name += " " + word;
    }
    return found;
  }

  private void zone() {
    boolean with = accept("with");
    if (with || accept("without")) {
      expect("time");
      expect("zone");
      name += with ? " with time zone" : " without time zone";
    }
  }

  private void modifiers() {
    if (!accept("(")) {
      return;
    }
    do {
      boolean negative = accept("-");
      String number = take();
      if (!number.isEmpty() && isWordStart(number.charAt(0))) {
        throw new GaussException(
            SqlState.INVALID_TEXT_REPRESENTATION,
            "invalid input syntax for type integer: \"" + number + "\"");
      }
      if (number.isEmpty() || number.length() > 9 || !number.chars().allMatch(Ascii::isDigit)) {
        next--;
        throw syntaxError();
      }
      modifiers.add(negative ? -Integer.parseInt(number) : Integer.parseInt(number));
    } while (accept(","));
    expect(")");
  }

  private String word(String token) {
    if (token.startsWith("\"")) {
      return token.substring(1, token.length() - 1).replace("\"\"", "\"");
    }
    if (token.isEmpty() || !isWordStart(token.charAt(0))) {
      next--;
      throw syntaxError();
    }
    return token;
  }

  private String peek() {
    return next < tokens.size() ? tokens.get(next) : "";
  }

  private String take() {
    String token = peek();
    next++;
    return token;
  }

  private boolean accept(String token) {
    boolean same = peek().equals(token);
    if (same) {
      next++;
    }
    return same;
  }

  private void expect(String token) {
    if (!accept(token)) {
      throw syntaxError();
    }
  }

  private GaussException syntaxError() {
    String at = peek();
    return new GaussException(
        SqlState.SYNTAX_ERROR,
        at.isEmpty() ? "syntax error at end of input" : "syntax error at or near \"" + at + "\"");
  }

  private void scan() {
    int p = 0;
    while (p < text.length()) {
      char c = text.charAt(p);
      int start = p++;
      if (NameList.isBlank(c)) {
        continue;
      }
      if (c == '"') {
        p = endOfQuoted(p);
        tokens.add(text.substring(start, p));
      } else if (isWordStart(c) || Ascii.isDigit(c)) {
        while (p < text.length() && isWordPart(text.charAt(p))) {
          p++;
        }
        tokens.add(Ascii.toLower(text.substring(start, p)));
      } else {
        tokens.add(text.substring(start, p));
      }
    }
  }

  /** After the closing quote of a name that begins before {@code from}. */
  private int endOfQuoted(int from) {
    int end = from;
    while (true) {
      end = text.indexOf('"', end);
      if (end < 0) {
        throw new GaussException(
            SqlState.SYNTAX_ERROR,
            "unterminated quoted identifier at or near \"" + text.substring(from - 1) + "\"");
      }
      if (!text.startsWith("\"\"", end)) {
        return end + 1;
      }
      end += 2;
    }
  }

  private static boolean isWordStart(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
  }

  private static boolean isWordPart(char c) {
    return isWordStart(c) || Ascii.isDigit(c) || c == '$';
  }
}
