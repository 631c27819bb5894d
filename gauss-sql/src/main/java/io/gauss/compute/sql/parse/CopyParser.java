package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import java.util.ArrayList;
import java.util.List;

/** COPY, with the options of now and those from before 9.0. */
final class CopyParser {
  private final TokenCursor cursor;

  CopyParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  PgStatement copy() {
    PgStatement query = null;
    Name table = null;
    List<String> columns = List.of();
    List<Option> options = new ArrayList<>();
    if (cursor.isSymbol('(')) {
      query = cursor.parenthesizedQuery();
    } else {
      if (cursor.accept("binary")) {
        options.add(new Option("format", "binary"));
      }
      table = cursor.qualifiedName();
      if (cursor.isSymbol('(')) {
        columns = cursor.nameList();
      }
    }
    boolean from = query == null && cursor.accept("from");
    if (!from) {
      cursor.expect("to");
    }
    boolean program = cursor.accept("program");
    String target = null;
    if (cursor.isString()) {
      target = cursor.string();
    } else if (!cursor.accept("stdin")) {
      cursor.expect("stdout");
    }
    if (cursor.isWord("using") || cursor.isWord("delimiters")) {
      cursor.accept("using");
      cursor.expect("delimiters");
      options.add(new Option("delimiter", cursor.string()));
    }
    cursor.accept("with");
    if (cursor.isSymbol('(')) {
      options.addAll(cursor.optionList());
    } else {
      oldCopyOptions(options);
    }
    int wherePosition = cursor.position();
    String where = cursor.accept("where") ? cursor.expressionText() : null;
    if (where != null && !from) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "WHERE clause not allowed with COPY TO")
          .hint("Try the COPY (SELECT ... WHERE ...) TO variant.")
          .position(wherePosition);
    }
    return new PgStatement.Copy(table, columns, query, from, target, program, options, where);
  }

  /** The spelling before 9.0: {@code CSV HEADER DELIMITER AS ','}. */
  private void oldCopyOptions(List<Option> options) {
    while (!cursor.atEnd() && !cursor.isWord("where")) {
      String option = cursor.anyWord();
      switch (option) {
        case "binary", "csv" -> options.add(new Option("format", option));
        case "freeze", "header" -> options.add(new Option(option, null));
        case "delimiter", "delimiters", "null", "quote", "escape", "encoding" -> {
          cursor.accept("as");
          options.add(
              new Option(option.equals("delimiters") ? "delimiter" : option, cursor.string()));
        }
        case "force" -> {
          String name = "force_" + (cursor.accept("not") ? "not_" : "") + cursor.anyWord();
          int start = cursor.index();
          if (!cursor.accept('*')) {
            cursor.names();
          }
          options.add(new Option(name, cursor.textFrom(start)));
        }
        default -> {
          cursor.back(cursor.index() - 1);
          throw cursor.syntaxError();
        }
      }
    }
  }
}
