package io.gauss.compute.sql.copy;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.copy.CopyOptions.Columns;
import io.gauss.compute.sql.copy.CopyOptions.Format;
import io.gauss.compute.sql.copy.CopyOptions.Header;
import io.gauss.compute.sql.parse.PgLexer;
import io.gauss.compute.sql.parse.PgStatement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads and checks the options of a COPY statement. One statement, one thread. */
public final class CopyOptionsReader {
  private final boolean from;
  private Format format = Format.TEXT;
  private boolean freeze;
  private Header header = Header.NONE;
  private String delimiter;
  private String nullText;
  private String quote;
  private String escape;
  private Columns forceQuote;
  private Columns forceNotNull;
  private Columns forceNull;

  private CopyOptionsReader(boolean from) {
    this.from = from;
  }

  /**
   * Reads the options.
   *
   * @throws GaussException 42601, 22023, 0A000 as PostgreSQL
   */
  public static CopyOptions read(PgStatement.Copy copy) {
    CopyOptionsReader reader = new CopyOptionsReader(copy.from());
    Set<String> seen = new HashSet<>();
    for (PgStatement.Option option : copy.options()) {
      reader.option(option);
      if (!seen.add(option.name())) {
        throw error(SqlState.SYNTAX_ERROR, "conflicting or redundant options");
      }
    }
    return reader.checked();
  }

  private void option(PgStatement.Option option) {
    switch (option.name()) {
      case "format" -> format = format(value(option));
      case "freeze" -> freeze = bool(option);
      case "delimiter" -> delimiter = value(option);
      case "null" -> nullText = value(option);
      case "header" -> header = header(option);
      case "quote" -> quote = value(option);
      case "escape" -> escape = value(option);
      case "force_quote" -> forceQuote = columns(option, true);
      case "force_not_null" -> forceNotNull = columns(option, false);
      case "force_null" -> forceNull = columns(option, false);
      case "encoding" -> encoding(value(option));
      default ->
          throw error(
              SqlState.SYNTAX_ERROR, "option \"%s\" not recognized".formatted(option.name()));
    }
  }

  private static GaussException error(SqlState state, String message) {
    return new GaussException(state, message);
  }

  private static String value(PgStatement.Option option) {
    if (option.value() == null) {
      throw error(SqlState.SYNTAX_ERROR, option.name() + " requires a parameter");
    }
    return option.value();
  }

  private static Format format(String name) {
    return switch (name) {
      case "text" -> Format.TEXT;
      case "csv" -> Format.CSV;
      case "binary" -> Format.BINARY;
      default ->
          throw error(
              SqlState.INVALID_PARAMETER_VALUE,
              "COPY format \"%s\" not recognized".formatted(name));
    };
  }

  /** Null when it is not a Boolean value. */
  private static Boolean parseBoolean(PgStatement.Option option) {
    if (option.value() == null) {
      return true;
    }
    return switch (option.value().toLowerCase(Locale.ROOT)) {
      case "true", "on", "1" -> true;
      case "false", "off", "0" -> false;
      default -> null;
    };
  }

  private static boolean bool(PgStatement.Option option) {
    Boolean value = parseBoolean(option);
    if (value == null) {
      throw error(SqlState.SYNTAX_ERROR, option.name() + " requires a Boolean value");
    }
    return value;
  }

  private Header header(PgStatement.Option option) {
    Boolean value = parseBoolean(option);
    if (value != null) {
      return value ? Header.LINE : Header.NONE;
    }
    if (!option.value().equalsIgnoreCase("match")) {
      throw error(SqlState.SYNTAX_ERROR, "header requires a Boolean value or \"match\"");
    }
    if (!from) {
      throw error(
          SqlState.FEATURE_NOT_SUPPORTED,
          "cannot use \"%s\" with HEADER in COPY TO".formatted(option.value()));
    }
    return Header.MATCH;
  }

  private static void encoding(String name) {
    String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    if (!plain.equals("utf8") && !plain.equals("unicode")) {
      throw GaussException.notSupported("encoding \"%s\"".formatted(name));
    }
  }

  /** Names come as they were written: {@code *}, {@code a, "B"} or the same in parentheses. */
  private static Columns columns(PgStatement.Option option, boolean mayBeAll) {
    String text = option.value() == null ? "" : option.value();
    if (mayBeAll && text.equals("*")) {
      return Columns.ALL;
    }
    PgLexer lexer = new PgLexer().scan(text);
    List<String> names = new ArrayList<>();
    boolean wanted = true;
    for (int i = 0; i < lexer.count(); i++) {
      boolean isName = lexer.kind(i) == PgLexer.WORD || lexer.kind(i) == PgLexer.QUOTED_NAME;
      boolean isEdge =
          i == 0 && lexer.isOperator(i, '(') || i == lexer.count() - 1 && lexer.isOperator(i, ')');
      if (isName && wanted) {
        names.add(lexer.name(i));
        wanted = false;
      } else if (lexer.isOperator(i, ',') && !wanted) {
        wanted = true;
      } else if (!isEdge) {
        throw notColumns(option);
      }
    }
    if (wanted) {
      throw notColumns(option);
    }
    return new Columns(List.copyOf(names));
  }

  private static GaussException notColumns(PgStatement.Option option) {
    return error(
        SqlState.INVALID_PARAMETER_VALUE,
        "argument to option \"%s\" must be a list of column names".formatted(option.name()));
  }

  private CopyOptions checked() {
    if (format == Format.BINARY) {
      check(delimiter != null, SqlState.SYNTAX_ERROR, "cannot specify DELIMITER in BINARY mode");
      check(nullText != null, SqlState.SYNTAX_ERROR, "cannot specify NULL in BINARY mode");
    }
    boolean csv = format == Format.CSV;
    if (delimiter == null) {
      delimiter = csv ? "," : "\t";
    }
    if (nullText == null) {
      nullText = csv ? "" : "\\N";
    }
    byte delimiterByte = oneByte(delimiter, "delimiter");
    check(
        delimiterByte == '\r' || delimiterByte == '\n',
        SqlState.INVALID_PARAMETER_VALUE,
        "COPY delimiter cannot be newline or carriage return");
    check(
        nullText.indexOf('\r') >= 0 || nullText.indexOf('\n') >= 0,
        SqlState.INVALID_PARAMETER_VALUE,
        "COPY null representation cannot use newline or carriage return");
    check(
        !csv && "\\.abcdefghijklmnopqrstuvwxyz0123456789".indexOf(delimiterByte) >= 0,
        SqlState.INVALID_PARAMETER_VALUE,
        "COPY delimiter cannot be \"%s\"".formatted(delimiter));
    unsupported(
        format == Format.BINARY && header != Header.NONE, "cannot specify HEADER in BINARY mode");
    unsupported(!csv && quote != null, "COPY quote available only in CSV mode");
    byte quoteByte = csv ? oneByte(quote == null ? "\"" : quote, "quote") : 0;
    check(
        csv && delimiterByte == quoteByte,
        SqlState.INVALID_PARAMETER_VALUE,
        "COPY delimiter and quote must be different");
    unsupported(!csv && escape != null, "COPY escape available only in CSV mode");
    byte escapeByte = escape == null ? quoteByte : csv ? oneByte(escape, "escape") : 0;
    checkForced(forceQuote, csv, !from, "force quote", "COPY TO");
    checkForced(forceNotNull, csv, from, "force not null", "COPY FROM");
    checkForced(forceNull, csv, from, "force null", "COPY FROM");
    unsupported(
        nullText.indexOf(delimiterByte) >= 0,
        "COPY delimiter must not appear in the NULL specification");
    unsupported(
        csv && nullText.indexOf(quoteByte) >= 0,
        "CSV quote character must not appear in the NULL specification");
    return new CopyOptions(
        format,
        freeze,
        header,
        delimiterByte,
        nullText.getBytes(StandardCharsets.UTF_8),
        quoteByte,
        escapeByte,
        forceQuote == null ? Columns.NONE : forceQuote,
        forceNotNull == null ? Columns.NONE : forceNotNull,
        forceNull == null ? Columns.NONE : forceNull);
  }

  private static void check(boolean wrong, SqlState state, String message) {
    if (wrong) {
      throw error(state, message);
    }
  }

  private static void unsupported(boolean wrong, String message) {
    check(wrong, SqlState.FEATURE_NOT_SUPPORTED, message);
  }

  private static byte oneByte(String text, String what) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    unsupported(bytes.length != 1, "COPY %s must be a single one-byte character".formatted(what));
    return bytes[0];
  }

  private static void checkForced(
      Columns columns, boolean csv, boolean direction, String what, String only) {
    unsupported(columns != null && !csv, "COPY %s available only in CSV mode".formatted(what));
    unsupported(
        columns != null && !direction, "COPY %s only available using %s".formatted(what, only));
  }
}
