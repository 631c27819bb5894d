package io.gauss.compute.sql.parse;

import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Recursive descent over all statements except queries and DML: which one it is, and those of a few
 * words. The others have parsers of their own, of this package. One object parses one statement.
 */
final class UtilityParser {
  private final TokenCursor cursor;
  private final DdlParser ddl;

  UtilityParser(PgLexer lexer, int from, int to) {
    this.cursor = new TokenCursor(lexer, from, to);
    this.ddl = new DdlParser(cursor);
  }

  static boolean startsQuery(PgLexer lexer, int from, int to) {
    if (from >= to) {
      return false;
    }
    if (lexer.isOperator(from, '(')) {
      return true;
    }
    if (lexer.kind(from) != PgLexer.WORD) {
      return false;
    }
    return switch (lexer.word(from)) {
      case "select", "insert", "update", "delete", "with", "values", "table" -> true;
      default -> false;
    };
  }

  int parametersMax() {
    return cursor.parametersMax();
  }

  TypeName type() {
    return cursor.type();
  }

  void expectEnd() {
    cursor.expectEnd();
  }

  PgStatement statement() {
    int start = cursor.index();
    if (cursor.kind() != PgLexer.WORD) {
      throw cursor.syntaxError();
    }
    String command = cursor.anyWord();
    PgStatement statement =
        switch (command) {
          case "begin" -> {
            boolean ignored = cursor.accept("work") || cursor.accept("transaction");
            yield new PgStatement.Begin(new TransactionParser(cursor).modes(false), false);
          }
          case "start" -> {
            cursor.expect("transaction");
            yield new PgStatement.Begin(new TransactionParser(cursor).modes(false), true);
          }
          case "commit", "end" -> new TransactionParser(cursor).commit();
          case "rollback", "abort" ->
              new TransactionParser(cursor).rollback(command.equals("rollback"));
          case "savepoint" -> new PgStatement.Savepoint(cursor.name());
          case "release" -> {
            cursor.accept("savepoint");
            yield new PgStatement.Release(cursor.name());
          }
          case "set" -> new SettingParser(cursor).set();
          case "reset" -> new PgStatement.Reset(new SettingParser(cursor).settingOrAll());
          case "show" -> new PgStatement.Show(new SettingParser(cursor).settingOrAll());
          case "discard" -> discard();
          case "explain" -> new ExplainParser(cursor).explain();
          case "prepare" -> new PreparedParser(cursor).prepare(start);
          case "execute" -> new PreparedParser(cursor).execute();
          case "deallocate" -> {
            cursor.accept("prepare");
            yield new PgStatement.Deallocate(cursor.accept("all") ? null : cursor.name());
          }
          case "declare" -> new PreparedParser(cursor).declare();
          case "fetch" -> new PreparedParser(cursor).fetch(false);
          case "move" -> new PreparedParser(cursor).fetch(true);
          case "close" -> new PgStatement.CloseCursor(cursor.accept("all") ? null : cursor.name());
          case "copy" -> new CopyParser(cursor).copy();
          case "analyze", "analyse" -> new MaintenanceParser(cursor).analyze();
          case "vacuum" -> new MaintenanceParser(cursor).vacuum();
          case "lock" -> lock();
          case "comment" -> comment();
          case "listen" -> new PgStatement.Notification("LISTEN", cursor.name(), null);
          case "unlisten" ->
              new PgStatement.Notification(
                  "UNLISTEN", cursor.accept('*') ? "*" : cursor.name(), null);
          case "notify" -> {
            String channel = cursor.name();
            yield new PgStatement.Notification(
                "NOTIFY", channel, cursor.accept(',') ? cursor.string() : null);
          }
          case "checkpoint" -> new PgStatement.Checkpoint();
          case "truncate" -> ddl.truncate();
          case "create" -> ddl.create(start);
          case "drop" -> ddl.drop(start);
          case "alter" -> ddl.alter(start);
          case "grant" -> new AccessParser(cursor).grant(true);
          case "revoke" -> new AccessParser(cursor).grant(false);
          case "reassign" -> new AccessParser(cursor).reassign();
          case "do",
              "call",
              "cluster",
              "reindex",
              "refresh",
              "security",
              "import",
              "load",
              "merge" ->
              unsupported(cursor, command.toUpperCase(Locale.ROOT), start);
          default -> {
            cursor.back(start);
            throw cursor.syntaxError();
          }
        };
    cursor.expectEnd();
    return statement;
  }

  /**
   * A statement that is recognized and refused when it is run.
   *
   * @param start index of its first token
   */
  static PgStatement unsupported(TokenCursor cursor, String command, int start) {
    cursor.skipToEnd();
    return new PgStatement.Unsupported(command, cursor.textFrom(start));
  }

  private PgStatement discard() {
    for (String what : List.of("all", "plans", "sequences", "temp", "temporary")) {
      if (cursor.accept(what)) {
        return new PgStatement.Discard(
            what.equals("temporary") ? "TEMP" : what.toUpperCase(Locale.ROOT));
      }
    }
    throw cursor.syntaxError();
  }

  private PgStatement lock() {
    cursor.accept("table");
    List<Name> tables = new ArrayList<>();
    do {
      cursor.accept("only");
      tables.add(cursor.qualifiedName());
      cursor.accept('*');
    } while (cursor.accept(','));
    String mode = "ACCESS EXCLUSIVE";
    if (cursor.accept("in")) {
      StringBuilder words = new StringBuilder();
      while (!cursor.isWord("mode")) {
        words.append(words.isEmpty() ? "" : " ").append(cursor.anyWord().toUpperCase(Locale.ROOT));
      }
      cursor.expect("mode");
      mode = words.toString();
    }
    return new PgStatement.LockTable(tables, mode, cursor.accept("nowait"));
  }

  private PgStatement comment() {
    cursor.expect("on");
    StringBuilder kind = new StringBuilder(cursor.anyWord().toUpperCase(Locale.ROOT));
    if (cursor.isWord("view")
        || cursor.isWord("table")
        || cursor.isWord("trigger")
        || cursor.isWord("method")) {
      kind.append(' ').append(cursor.anyWord().toUpperCase(Locale.ROOT));
    }
    List<String> object = cursor.path();
    if (cursor.isSymbol('(')) {
      cursor.skipParentheses();
    }
    PgStatement.Name table = null;
    if (kind.toString().equals("CONSTRAINT")) {
      cursor.expect("on");
      if (cursor.isWord("domain") && !cursor.isWordAt(1, "is")) {
        cursor.skip();
        kind.append(" ON DOMAIN");
      }
      table = cursor.qualifiedName();
    }
    while (!cursor.isWord("is")) {
      cursor.skip();
    }
    cursor.expect("is");
    String text = cursor.accept("null") ? null : cursor.string();
    return new PgStatement.Comment(kind.toString(), object, table, text);
  }

  /** CASCADE, RESTRICT or neither. */
  static DropBehavior behavior(TokenCursor cursor) {
    if (cursor.accept("cascade")) {
      return DropBehavior.CASCADE;
    }
    cursor.accept("restrict");
    return DropBehavior.RESTRICT;
  }
}
