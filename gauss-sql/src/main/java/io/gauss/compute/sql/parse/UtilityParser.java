package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.Isolation;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import io.gauss.compute.sql.parse.PgStatement.TransactionModes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlNode;

/**
 * Recursive descent over all statements except queries and DML: transactions, settings, cursors,
 * COPY and so on here, DDL in {@link DdlParser}. One object parses one statement.
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
            yield new PgStatement.Begin(modes(false), false);
          }
          case "start" -> {
            cursor.expect("transaction");
            yield new PgStatement.Begin(modes(false), true);
          }
          case "commit", "end" -> commit();
          case "rollback", "abort" -> rollback(command.equals("rollback"));
          case "savepoint" -> new PgStatement.Savepoint(cursor.name());
          case "release" -> {
            cursor.accept("savepoint");
            yield new PgStatement.Release(cursor.name());
          }
          case "set" -> set();
          case "reset" -> new PgStatement.Reset(settingOrAll());
          case "show" -> new PgStatement.Show(settingOrAll());
          case "discard" -> discard();
          case "explain" -> explain();
          case "prepare" -> prepare(start);
          case "execute" -> execute();
          case "deallocate" -> {
            cursor.accept("prepare");
            yield new PgStatement.Deallocate(cursor.accept("all") ? null : cursor.name());
          }
          case "declare" -> declare();
          case "fetch" -> fetch(false);
          case "move" -> fetch(true);
          case "close" -> new PgStatement.CloseCursor(cursor.accept("all") ? null : cursor.name());
          case "copy" -> copy();
          case "analyze", "analyse" -> analyze();
          case "vacuum" -> vacuum();
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
              unsupported(command.toUpperCase(Locale.ROOT), start);
          default -> {
            cursor.back(start);
            throw cursor.syntaxError();
          }
        };
    cursor.expectEnd();
    return statement;
  }

  private PgStatement unsupported(String command, int start) {
    cursor.skipToEnd();
    return new PgStatement.Unsupported(command, cursor.textFrom(start));
  }

  // ---------------------------------------------------------------------------------------------------- transactions

  /**
   * @param required at least one mode must be given
   */
  private TransactionModes modes(boolean required) {
    Isolation isolation = null;
    Boolean readOnly = null;
    Boolean deferrable = null;
    boolean first = true;
    while (true) {
      if (!first) {
        cursor.accept(',');
      } else if (cursor.atEnd() && !required) {
        break;
      }
      if (cursor.accept("isolation")) {
        cursor.expect("level");
        isolation = isolation();
      } else if (cursor.accept("read", "only")) {
        readOnly = true;
      } else if (cursor.accept("read", "write")) {
        readOnly = false;
      } else if (cursor.accept("deferrable")) {
        deferrable = true;
      } else if (cursor.accept("not", "deferrable")) {
        deferrable = false;
      } else if (first || !cursor.atEnd()) {
        throw cursor.syntaxError();
      } else {
        break;
      }
      first = false;
      if (cursor.atEnd()) {
        break;
      }
    }
    return new TransactionModes(isolation, readOnly, deferrable);
  }

  private Isolation isolation() {
    if (cursor.accept("serializable")) {
      return Isolation.SERIALIZABLE;
    }
    if (cursor.accept("repeatable")) {
      cursor.expect("read");
      return Isolation.REPEATABLE_READ;
    }
    cursor.expect("read");
    if (cursor.accept("committed")) {
      return Isolation.READ_COMMITTED;
    }
    cursor.expect("uncommitted");
    return Isolation.READ_UNCOMMITTED;
  }

  private PgStatement commit() {
    if (cursor.isWord("prepared")) {
      throw GaussException.notSupported("COMMIT PREPARED");
    }
    workOrTransaction();
    return new PgStatement.Commit(chain());
  }

  private PgStatement rollback(boolean mayGoTo) {
    if (mayGoTo && cursor.isWord("prepared")) {
      throw GaussException.notSupported("ROLLBACK PREPARED");
    }
    workOrTransaction();
    if (mayGoTo && cursor.accept("to")) {
      cursor.accept("savepoint");
      return new PgStatement.RollbackTo(cursor.name());
    }
    return new PgStatement.Rollback(chain());
  }

  private void workOrTransaction() {
    if (!cursor.accept("work")) {
      cursor.accept("transaction");
    }
  }

  private boolean chain() {
    if (!cursor.accept("and")) {
      return false;
    }
    boolean no = cursor.accept("no");
    cursor.expect("chain");
    return !no;
  }

  // -------------------------------------------------------------------------------------------------------- settings

  private PgStatement set() {
    if (cursor.accept("constraints")) {
      return constraints();
    }
    boolean local = cursor.accept("local");
    if (!local && !isOfSession()) {
      cursor.accept("session");
    }
    if (cursor.isWord("session") && cursor.isWordAt(1, "characteristics")) {
      cursor.expect("session", "characteristics");
      cursor.expect("as", "transaction");
      return new PgStatement.SetSessionCharacteristics(modes(true), local);
    }
    if (isOfSession()) {
      cursor.expect("session");
      return special("authorization", local);
    }
    if (cursor.isWord("transaction") && !cursor.isSymbolAt(1, '=') && !cursor.isWordAt(1, "to")) {
      cursor.expect("transaction");
      if (cursor.accept("snapshot")) {
        throw GaussException.notSupported("SET TRANSACTION SNAPSHOT");
      }
      return new PgStatement.SetTransaction(modes(true));
    }
    if (cursor.accept("time", "zone")) {
      return new PgStatement.Set("timezone", timeZone(), local);
    }
    for (String word : List.of("names", "schema", "role")) {
      if (cursor.isWord(word) && !cursor.isSymbolAt(1, '=') && !cursor.isWordAt(1, "to")) {
        return special(word, local);
      }
    }
    String name = settingName();
    if (cursor.accept("from", "current")) {
      throw GaussException.notSupported("SET ... FROM CURRENT");
    }
    if (!cursor.accept('=')) {
      cursor.expect("to");
    }
    if (cursor.accept("default")) {
      return new PgStatement.Set(name, null, local);
    }
    List<String> values = new ArrayList<>();
    do {
      values.add(cursor.variableValue());
    } while (cursor.accept(','));
    return new PgStatement.Set(name, values, local);
  }

  private PgStatement constraints() {
    List<Name> names = new ArrayList<>();
    if (!cursor.accept("all")) {
      do {
        names.add(cursor.qualifiedName());
      } while (cursor.accept(','));
    }
    boolean deferred = cursor.accept("deferred");
    if (!deferred) {
      cursor.expect("immediate");
    }
    return new PgStatement.SetConstraints(names, deferred);
  }

  /** SESSION here is not the opposite of LOCAL. */
  private boolean isOfSession() {
    return cursor.isWord("session")
        && (cursor.isWordAt(1, "characteristics") || cursor.isWordAt(1, "authorization"));
  }

  /**
   * {@code SET NAMES 'x'}, {@code SET SCHEMA 'x'}, {@code SET ROLE x}, {@code SET SESSION
   * AUTHORIZATION x}.
   */
  private PgStatement special(String word, boolean local) {
    cursor.expect(word);
    String name =
        switch (word) {
          case "names" -> "client_encoding";
          case "schema" -> "search_path";
          case "role" -> "role";
          default -> "session_authorization";
        };
    if (cursor.accept("default") || (word.equals("names") && cursor.atEnd())) {
      return new PgStatement.Set(name, null, local);
    }
    return new PgStatement.Set(name, List.of(cursor.variableValue()), local);
  }

  private List<String> timeZone() {
    if (cursor.accept("default") || cursor.accept("local")) {
      return null;
    }
    if (cursor.accept("interval")) {
      String value = cursor.string();
      if (cursor.accept("hour")) {
        cursor.expect("to", "minute");
      }
      return List.of(value);
    }
    return List.of(cursor.settingValue());
  }

  private String settingName() {
    StringBuilder name = new StringBuilder(cursor.label());
    while (cursor.accept('.')) {
      name.append('.').append(cursor.label());
    }
    return name.toString().toLowerCase(Locale.ROOT);
  }

  private String settingOrAll() {
    if (cursor.accept("all")) {
      return null;
    }
    if (cursor.accept("time", "zone")) {
      return "timezone";
    }
    if (cursor.accept("transaction", "isolation")) {
      cursor.expect("level");
      return "transaction_isolation";
    }
    if (cursor.accept("session", "authorization")) {
      return "session_authorization";
    }
    return settingName();
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

  // -------------------------------------------------------------------------------------------
  // explain, prepare, cursors

  private PgStatement explain() {
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
        boolean enabled = isOn(option);
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

  private static boolean isOn(Option option) {
    if (option.value() == null) {
      return true;
    }
    return switch (option.value().toLowerCase(Locale.ROOT)) {
      case "false", "off", "0", "no" -> false;
      default -> true;
    };
  }

  private PgStatement prepare(int start) {
    if (cursor.isWord("transaction") && cursor.isWordAt(1, "transaction")) {
      throw cursor.syntaxError();
    }
    if (cursor.isWord("transaction") && !cursor.isWordAt(1, "as") && !cursor.isSymbolAt(1, '(')) {
      return unsupported("PREPARE TRANSACTION", start);
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

  private PgStatement execute() {
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

  private PgStatement declare() {
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

  private PgStatement fetch(boolean move) {
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

  // ------------------------------------------------------------------------------------------------------------ others

  private PgStatement copy() {
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

  private PgStatement analyze() {
    boolean verbose = false;
    if (cursor.isSymbol('(')) {
      for (Option option : cursor.optionList()) {
        verbose |= option.name().equals("verbose") && isOn(option);
      }
    } else {
      verbose = cursor.accept("verbose");
    }
    return new PgStatement.Analyze(analyzeTargets(), verbose);
  }

  private List<PgStatement.AnalyzeTarget> analyzeTargets() {
    List<PgStatement.AnalyzeTarget> targets = new ArrayList<>();
    if (!cursor.atEnd()) {
      do {
        Name table = cursor.qualifiedName();
        List<String> columns = cursor.isSymbol('(') ? cursor.nameList() : List.of();
        targets.add(new PgStatement.AnalyzeTarget(table, columns));
      } while (cursor.accept(','));
    }
    return targets;
  }

  private PgStatement vacuum() {
    List<Option> options = new ArrayList<>();
    if (cursor.isSymbol('(')) {
      options.addAll(cursor.optionList());
    } else {
      for (String word : List.of("full", "freeze", "verbose", "analyze", "analyse")) {
        if (cursor.accept(word)) {
          options.add(new Option(word, null));
        }
      }
    }
    return new PgStatement.Vacuum(analyzeTargets(), options);
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
        throw GaussException.notSupported("COMMENT ON a domain's constraint");
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
