package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.parse.PgStatement.ColumnSpec;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.sql.parse.PgStatement.Like;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** CREATE TABLE. */
final class TableParser {
  private static final Set<String> LIKE_PARTS =
      Set.of(
          "comments",
          "compression",
          "constraints",
          "defaults",
          "identity",
          "generated",
          "indexes",
          "statistics",
          "storage");

  private final TokenCursor cursor;
  private final ConstraintParser constraintParser;

  TableParser(TokenCursor cursor) {
    this.cursor = cursor;
    this.constraintParser = new ConstraintParser(cursor);
  }

  PgStatement createTable(boolean temporary, boolean unlogged) {
    boolean ifNotExists = cursor.acceptIfNotExists();
    Name name = cursor.qualifiedName();
    if (cursor.accept("of")) {
      throw GaussException.notSupported("CREATE TABLE ... OF type").position(cursor.position());
    }
    if (cursor.accept("partition", "of")) {
      throw GaussException.notSupported("table partitioning").position(cursor.position());
    }
    if (!cursor.isSymbol('(')) {
      refuseUnlogged(unlogged);
      return createTableAs(name, ifNotExists, temporary, List.of());
    }
    if (holdsNamesOnly()) {
      refuseUnlogged(unlogged);
      List<String> columns = cursor.nameList();
      return createTableAs(name, ifNotExists, temporary, columns);
    }
    cursor.expect('(');
    ColumnParser columnParser = new ColumnParser(cursor, name.name());
    List<ColumnSpec> columns = new ArrayList<>();
    List<ConstraintSpec> constraints = new ArrayList<>();
    List<Like> likes = new ArrayList<>();
    if (!cursor.isSymbol(')')) {
      do {
        if (cursor.accept("like")) {
          likes.add(like(columns.size()));
        } else if (constraintParser.isNext()) {
          constraints.add(constraintParser.ofTable());
        } else {
          columns.add(columnParser.column());
        }
      } while (cursor.accept(','));
    }
    cursor.expect(')');
    List<Name> inherits = List.of();
    if (cursor.accept("inherits")) {
      cursor.expect('(');
      inherits = cursor.qualifiedNames();
      cursor.expect(')');
    }
    boolean partitioned = false;
    if (cursor.accept("partition", "by")) {
      partitioned = true;
      cursor.anyWord();
      cursor.skipParentheses();
    }
    if (cursor.accept("using")) {
      cursor.name();
    }
    List<Option> options = List.of();
    if (cursor.accept("with")) {
      options = cursor.optionList();
    } else if (cursor.accept("without")) {
      cursor.expect("oids");
    }
    String onCommit = onCommit();
    String tablespace = cursor.accept("tablespace") ? cursor.name() : null;
    return new PgStatement.CreateTable(
        name,
        ifNotExists,
        temporary,
        unlogged,
        columns,
        constraints,
        likes,
        inherits,
        partitioned,
        options,
        onCommit,
        tablespace);
  }

  /** PRESERVE, DELETE or DROP of ON COMMIT in lower case; null when it was not written. */
  private String onCommit() {
    if (!cursor.accept("on", "commit")) {
      return null;
    }
    for (String word : List.of("preserve", "delete")) {
      if (cursor.accept(word)) {
        cursor.expect("rows");
        return word;
      }
    }
    cursor.expect("drop");
    return "drop";
  }

  private static void refuseUnlogged(boolean unlogged) {
    if (unlogged) {
      throw GaussException.notSupported("an unlogged table");
    }
  }

  /** CREATE TABLE t (a, b) AS ...: a list of names and nothing else in the parentheses. */
  private boolean holdsNamesOnly() {
    int distance = 1;
    while (true) {
      if (cursor.isSymbolAt(distance, '(') || cursor.isSymbolAt(distance, ')')) {
        return false;
      }
      if (cursor.isSymbolAt(distance + 1, ')')) {
        return true;
      }
      if (!cursor.isSymbolAt(distance + 1, ',')) {
        return false;
      }
      distance += 2;
    }
  }

  private PgStatement createTableAs(
      Name name, boolean ifNotExists, boolean temporary, List<String> columns) {
    if (cursor.accept("using")) {
      cursor.name();
    }
    List<Option> options = cursor.accept("with") ? cursor.optionList() : List.of();
    if (!options.stream().allMatch(option -> option.name().equals("fillfactor"))) {
      throw GaussException.notSupported("storage parameter " + options.getFirst().name());
    }
    String onCommit = onCommit();
    if (cursor.accept("tablespace")) {
      throw GaussException.notSupported("a tablespace").position(cursor.position());
    }
    cursor.expect("as");
    if (cursor.isWord("execute")) {
      throw GaussException.notSupported("CREATE TABLE AS EXECUTE").position(cursor.position());
    }
    PgStatement query = cursor.queryBeforeWithData();
    boolean withData = true;
    if (cursor.accept("with")) {
      withData = !cursor.accept("no");
      cursor.expect("data");
    }
    return new PgStatement.CreateTableAs(
        name, ifNotExists, temporary, onCommit, columns, query, withData);
  }

  private Like like(int columnsBefore) {
    Name table = cursor.qualifiedName();
    Set<String> including = new HashSet<>();
    while (cursor.isWord("including") || cursor.isWord("excluding")) {
      boolean in = cursor.isWord("including");
      cursor.anyWord();
      String what = LIKE_PARTS.stream().filter(cursor::isWord).findFirst().orElse(null);
      if (what == null && !cursor.isWord("all")) {
        throw cursor.syntaxError();
      }
      cursor.anyWord();
      Set<String> parts = what == null ? LIKE_PARTS : Set.of(what);
      if (in) {
        including.addAll(parts);
      } else {
        including.removeAll(parts);
      }
    }
    return new Like(table, columnsBefore, including);
  }
}
