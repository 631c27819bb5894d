package io.gauss.compute.sql.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlNode;

/** Prepared statements and cursors. */
final class PreparedParser {
  private final TokenCursor cursor;

  PreparedParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  /**
   * The rest of PREPARE.
   *
   * @param start index of the statement's first token
   */
  PgStatement prepare(int start) {
    if (cursor.isWord("transaction") && cursor.isWordAt(1, "transaction")) {
      throw cursor.syntaxError();
    }
    if (cursor.isWord("transaction") && !cursor.isWordAt(1, "as") && !cursor.isSymbolAt(1, '(')) {
      return UtilityParser.unsupported(cursor, "PREPARE TRANSACTION", start);
    }
    String name = cursor.name();
    List<TypeName> types = new ArrayList<>();
    if (cursor.accept('(')) {
      do {
        types.add(cursor.type());
      } while (cursor.accept(','));
      cursor.expect(')');
    }
    cursor.expect("as");
    return new PgStatement.Prepare(name, types, cursor.query());
  }

  PgStatement execute() {
    String name = cursor.name();
    List<SqlNode> arguments = new ArrayList<>();
    if (cursor.accept('(')) {
      do {
        arguments.add(cursor.expression());
      } while (cursor.accept(','));
      cursor.expect(')');
    }
    return new PgStatement.Execute(name, arguments);
  }

  PgStatement declare() {
    String name = cursor.name();
    boolean binary = false;
    Boolean scroll = null;
    while (!cursor.accept("cursor")) {
      if (cursor.accept("binary")) {
        binary = true;
      } else if (cursor.accept("no")) {
        cursor.expect("scroll");
        scroll = false;
      } else if (cursor.accept("scroll")) {
        scroll = true;
      } else if (!cursor.accept("insensitive") && !cursor.accept("asensitive")) {
        throw cursor.syntaxError();
      }
    }
    boolean hold = cursor.accept("with", "hold");
    if (!hold) {
      cursor.accept("without", "hold");
    }
    cursor.expect("for");
    return new PgStatement.DeclareCursor(name, binary, scroll, hold, cursor.query());
  }

  PgStatement fetch(boolean move) {
    String direction = "FORWARD";
    long count = 1;
    if (cursor.accept("next")) {
      direction = "NEXT";
    } else if (cursor.accept("prior")) {
      direction = "PRIOR";
    } else if (cursor.accept("first")) {
      direction = "FIRST";
    } else if (cursor.accept("last")) {
      direction = "LAST";
    } else if (cursor.accept("absolute")) {
      direction = "ABSOLUTE";
      count = cursor.integer();
    } else if (cursor.accept("relative")) {
      direction = "RELATIVE";
      count = cursor.integer();
    } else if (cursor.accept("all")) {
      count = Long.MAX_VALUE;
    } else if (cursor.isWord("forward") || cursor.isWord("backward")) {
      direction = cursor.anyWord().toUpperCase(Locale.ROOT);
      if (cursor.accept("all")) {
        count = Long.MAX_VALUE;
      } else if (cursor.kind() == PgLexer.INTEGER || cursor.isSymbol('-') || cursor.isSymbol('+')) {
        count = cursor.integer();
      }
    } else if (cursor.kind() == PgLexer.INTEGER || cursor.isSymbol('-') || cursor.isSymbol('+')) {
      count = cursor.integer();
    } else {
      direction = "NEXT";
    }
    if (!cursor.accept("from")) {
      cursor.accept("in");
    }
    return new PgStatement.Fetch(cursor.name(), direction, count, move);
  }
}
