package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.PgStatement.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** EXPLAIN, in both spellings of its options. */
final class ExplainParser {
  private final TokenCursor cursor;

  ExplainParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  PgStatement explain() {
    boolean analyze = false;
    boolean verbose = false;
    String format = null;
    boolean route = false;
    List<String> on = new ArrayList<>();
    if (cursor.isSymbol('(')
        && !cursor.isWordAt(1, "select")
        && !cursor.isWordAt(1, "with")
        && !cursor.isWordAt(1, "values")
        && !cursor.isSymbolAt(1, '(')) {
      for (Option option : cursor.optionList()) {
        boolean enabled = option.isOn();
        switch (option.name()) {
          case "analyze", "analyse" -> analyze = enabled;
          case "verbose" -> verbose = enabled;
          case "route" -> route = enabled;
          case "format" ->
              format = option.value() == null ? null : option.value().toLowerCase(Locale.ROOT);
          case "costs", "settings", "buffers", "wal", "timing", "summary", "generic_plan" -> {
            on.add(enabled ? option.name() : "no " + option.name());
          }
          default ->
              throw new GaussException(
                  SqlState.SYNTAX_ERROR, "unrecognized EXPLAIN option \"" + option.name() + "\"");
        }
      }
    } else {
      analyze = cursor.accept("analyze") || cursor.accept("analyse");
      verbose = cursor.accept("verbose");
    }
    int start = cursor.index();
    PgStatement statement = explained();
    return new PgStatement.Explain(
        analyze, verbose, format, route, on, statement, cursor.textFrom(start));
  }

  private PgStatement explained() {
    GaussException elsewhere = cursor.syntaxError();
    PgStatement statement = cursor.statement();
    return switch (statement) {
      case PgStatement.Query query -> query;
      case PgStatement.Insert insert -> insert;
      case PgStatement.Update update -> update;
      case PgStatement.Delete delete -> delete;
      case PgStatement.Unsupported unsupported ->
          throw GaussException.notSupported(unsupported.command());
      case PgStatement.CreateTableAs table ->
          throw GaussException.notSupported("EXPLAIN of CREATE TABLE AS");
      case PgStatement.Execute execute -> throw GaussException.notSupported("EXPLAIN of EXECUTE");
      case PgStatement.DeclareCursor declare ->
          throw GaussException.notSupported("EXPLAIN of DECLARE CURSOR");
      default -> throw elsewhere;
    };
  }
}
