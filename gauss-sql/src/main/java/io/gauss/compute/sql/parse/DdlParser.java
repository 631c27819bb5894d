package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.Privilege;
import io.gauss.compute.sql.parse.PgStatement.IndexElement;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import io.gauss.compute.sql.parse.PgStatement.SequenceOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * CREATE, DROP, ALTER and TRUNCATE: indexes, sequences, schemas and views here, tables in {@link
 * TableParser} and {@link AlterTableParser}.
 */
final class DdlParser {
  private final TokenCursor cursor;
  private final TableParser tables;

  DdlParser(TokenCursor cursor) {
    this.cursor = cursor;
    this.tables = new TableParser(cursor);
  }

  PgStatement create(int start) {
    boolean orReplace = cursor.accept("or", "replace");
    if (!orReplace) {
      if (cursor.accept("unique")) {
        return createIndex(true);
      }
      if (cursor.isWord("index")) {
        return createIndex(false);
      }
      if (cursor.accept("schema")) {
        return createSchema();
      }
      if (cursor.accept("type")) {
        return new TypeParser(cursor).create(start);
      }
      if (cursor.accept("domain")) {
        return new DomainParser(cursor).create();
      }
      if (isRole()) {
        return new AccessParser(cursor).create(cursor.anyWord().equals("user"));
      }
    }
    if (!cursor.accept("global")) {
      cursor.accept("local");
    }
    boolean temporary = cursor.accept("temporary") || cursor.accept("temp");
    boolean unlogged = !temporary && cursor.accept("unlogged");
    if (cursor.accept("table") && !orReplace) {
      return tables.createTable(temporary, unlogged);
    }
    if (cursor.accept("sequence") && !orReplace) {
      return createSequence(temporary);
    }
    boolean recursive = cursor.accept("recursive");
    if (recursive) {
      cursor.expect("view");
    }
    if (recursive || cursor.accept("view")) {
      return createView(orReplace, temporary, recursive);
    }
    return other("CREATE", start);
  }

  private boolean isRole() {
    return cursor.isWord("role")
        || cursor.isWord("group")
        || (cursor.isWord("user") && !cursor.isWordAt(1, "mapping"));
  }

  PgStatement drop(int start) {
    if (isRole()) {
      cursor.skip();
      return new AccessParser(cursor).drop();
    }
    if (cursor.accept("owned")) {
      return new AccessParser(cursor).dropOwned();
    }
    if (cursor.accept("table")) {
      boolean ifExists = ifExists();
      return new PgStatement.DropTable(
          cursor.qualifiedNames(), ifExists, UtilityParser.behavior(cursor));
    }
    if (cursor.accept("index")) {
      boolean concurrently = cursor.accept("concurrently");
      boolean ifExists = ifExists();
      return new PgStatement.DropIndex(
          cursor.qualifiedNames(), ifExists, concurrently, UtilityParser.behavior(cursor));
    }
    if (cursor.accept("sequence")) {
      boolean ifExists = ifExists();
      return new PgStatement.DropSequence(
          cursor.qualifiedNames(), ifExists, UtilityParser.behavior(cursor));
    }
    if (cursor.accept("schema")) {
      boolean ifExists = ifExists();
      return new PgStatement.DropSchema(cursor.names(), ifExists, UtilityParser.behavior(cursor));
    }
    if (cursor.accept("type")) {
      return new TypeParser(cursor).drop();
    }
    if (cursor.accept("domain")) {
      return new DomainParser(cursor).drop();
    }
    if (cursor.accept("view")) {
      boolean ifExists = ifExists();
      return new PgStatement.DropView(
          cursor.qualifiedNames(), ifExists, UtilityParser.behavior(cursor));
    }
    return other("DROP", start);
  }

  PgStatement alter(int start) {
    if (isRole() && !cursor.isWord("group")) {
      cursor.skip();
      return new AccessParser(cursor).alter();
    }
    if (cursor.accept("table")) {
      return new AlterTableParser(cursor).alterTable();
    }
    if (cursor.accept("sequence")) {
      return alterSequence();
    }
    if (cursor.accept("index")) {
      return alterIndex(start);
    }
    if (cursor.accept("view")) {
      return alterView(start);
    }
    if (cursor.accept("type")) {
      return new TypeParser(cursor).alter(start);
    }
    if (cursor.accept("domain")) {
      return new DomainParser(cursor).alter();
    }
    if (cursor.accept("schema")) {
      String name = cursor.name();
      if (cursor.accept("rename", "to")) {
        return new PgStatement.AlterSchema(name, cursor.name());
      }
      return new AccessParser(cursor)
          .ownerTo(Privilege.ObjectKind.SCHEMA, "schema", new Name(null, name, 0), false);
    }
    return other("ALTER", start);
  }

  /** Statements about other kinds of objects: recognized by their first words, refused later. */
  private PgStatement other(String verb, int start) {
    if (cursor.kind() != PgLexer.WORD) {
      throw cursor.syntaxError();
    }
    int object = cursor.index();
    String word = cursor.anyWord();
    String command =
        switch (word) {
          case "access",
              "aggregate",
              "cast",
              "collation",
              "conversion",
              "database",
              "default",
              "event",
              "extension",
              "foreign",
              "function",
              "group",
              "language",
              "large",
              "materialized",
              "operator",
              "owned",
              "policy",
              "procedural",
              "procedure",
              "publication",
              "role",
              "routine",
              "rule",
              "server",
              "statistics",
              "subscription",
              "system",
              "table",
              "tablespace",
              "text",
              "transform",
              "trigger",
              "trusted",
              "type",
              "user",
              "view",
              "constraint" ->
              verb + " " + word.toUpperCase(Locale.ROOT);
          default -> {
            cursor.back(object);
            throw cursor.syntaxError();
          }
        };
    cursor.skipToEnd();
    return new PgStatement.Unsupported(command, cursor.textFrom(start));
  }

  private boolean ifExists() {
    return cursor.accept("if", "exists");
  }

  PgStatement truncate() {
    cursor.accept("table");
    List<Name> names = new ArrayList<>();
    do {
      cursor.accept("only");
      names.add(cursor.qualifiedName());
      cursor.accept('*');
    } while (cursor.accept(','));
    boolean restart = cursor.accept("restart", "identity");
    if (!restart) {
      cursor.accept("continue", "identity");
    }
    return new PgStatement.Truncate(names, restart, UtilityParser.behavior(cursor));
  }

  // --------------------------------------------------------------------------------------------------------- indexes

  private PgStatement createIndex(boolean unique) {
    cursor.expect("index");
    boolean concurrently = cursor.accept("concurrently");
    boolean ifNotExists = cursor.acceptIfNotExists();
    String name = null;
    if (!cursor.isWord("on")) {
      name = cursor.name();
    }
    cursor.expect("on");
    cursor.accept("only");
    Name table = cursor.qualifiedName();
    String method = cursor.accept("using") ? cursor.name() : null;
    cursor.expect('(');
    List<IndexElement> elements = new ArrayList<>();
    do {
      elements.add(indexElement());
    } while (cursor.accept(','));
    cursor.expect(')');
    List<String> include = cursor.accept("include") ? cursor.nameList() : List.of();
    boolean nullsNotDistinct = nullsDistinct();
    List<Option> options = cursor.accept("with") ? cursor.optionList() : List.of();
    String tablespace = cursor.accept("tablespace") ? cursor.name() : null;
    String where = cursor.accept("where") ? cursor.expressionText() : null;
    return new PgStatement.CreateIndex(
        name,
        unique,
        ifNotExists,
        concurrently,
        table,
        method,
        elements,
        include,
        nullsNotDistinct,
        options,
        tablespace,
        where);
  }

  /** NULLS [NOT] DISTINCT; true for NOT. */
  private boolean nullsDistinct() {
    if (!cursor.accept("nulls")) {
      return false;
    }
    boolean not = cursor.accept("not");
    cursor.expect("distinct");
    return not;
  }

  /** Without parentheses an expression is a function, also one that is called without them. */
  private String functionText() {
    int start = cursor.index();
    while (cursor.isSymbolAt(1, '.')) {
      cursor.skip();
      cursor.skip();
    }
    if (cursor.kind() != PgLexer.WORD && cursor.kind() != PgLexer.QUOTED_NAME) {
      throw cursor.syntaxError();
    }
    boolean qualified = cursor.index() > start;
    cursor.skip();
    if (cursor.isSymbol('(')) {
      cursor.skipParentheses();
    } else if (qualified) {
      throw cursor.syntaxError();
    }
    return cursor.textFrom(start);
  }

  private IndexElement indexElement() {
    int position = cursor.position();
    String column = null;
    String expression = null;
    if (cursor.accept('(')) {
      expression = cursor.expressionText();
      cursor.expect(')');
    } else if (cursor.isName() && !cursor.isSymbolAt(1, '(') && !cursor.isSymbolAt(1, '.')) {
      column = cursor.name();
    } else {
      expression = functionText();
    }
    String collation = cursor.accept("collate") ? String.join(".", cursor.path()) : null;
    String operatorClass = null;
    if (cursor.isName() && !cursor.isWord("nulls")) {
      operatorClass = String.join(".", cursor.path());
      if (cursor.isSymbol('(')) {
        cursor.skipParentheses();
      }
    }
    boolean descending = cursor.accept("desc");
    if (!descending) {
      cursor.accept("asc");
    }
    Boolean nullsFirst = null;
    if (cursor.accept("nulls")) {
      nullsFirst = cursor.accept("first");
      if (!nullsFirst) {
        cursor.expect("last");
      }
    }
    return new IndexElement(
        column, expression, collation, operatorClass, descending, nullsFirst, position);
  }

  private PgStatement alterIndex(int start) {
    boolean ifExists = ifExists();
    if (cursor.accept("all")) {
      cursor.skipToEnd();
      return new PgStatement.Unsupported("ALTER INDEX ALL", cursor.textFrom(start));
    }
    Name name = cursor.qualifiedName();
    if (cursor.accept("rename", "to")) {
      return new PgStatement.AlterIndex(name, ifExists, cursor.name(), null);
    }
    int rest = cursor.index();
    if (cursor.atEnd()) {
      throw cursor.syntaxError();
    }
    cursor.skipToEnd();
    return new PgStatement.AlterIndex(name, ifExists, null, cursor.textFrom(rest));
  }

  // -------------------------------------------------------------------------------------------
  // sequences, schemas, views

  private PgStatement createSequence(boolean temporary) {
    boolean ifNotExists = cursor.acceptIfNotExists();
    Name name = cursor.qualifiedName();
    return new PgStatement.CreateSequence(name, ifNotExists, temporary, sequenceOptions(cursor));
  }

  private PgStatement alterSequence() {
    boolean ifExists = ifExists();
    Name name = cursor.qualifiedName();
    if (cursor.accept("rename", "to")) {
      return new PgStatement.AlterSequence(
          name, ifExists, SequenceOptions.NONE, cursor.name(), null);
    }
    if (cursor.accept("set", "schema")) {
      return new PgStatement.AlterSequence(
          name, ifExists, SequenceOptions.NONE, null, cursor.name());
    }
    if (cursor.isWord("owner") && cursor.isWordAt(1, "to")) {
      return new AccessParser(cursor)
          .ownerTo(Privilege.ObjectKind.SEQUENCE, "sequence", name, ifExists);
    }
    if (cursor.isWord("set")) {
      throw GaussException.notSupported("ALTER SEQUENCE ... SET").position(cursor.position());
    }
    if (cursor.atEnd()) {
      throw cursor.syntaxError();
    }
    return new PgStatement.AlterSequence(name, ifExists, sequenceOptions(cursor), null, null);
  }

  /** Options up to the first word that is none of them. */
  static SequenceOptions sequenceOptions(TokenCursor cursor) {
    TypeName type = null;
    Long increment = null;
    Long minValue = null;
    boolean noMin = false;
    Long maxValue = null;
    boolean noMax = false;
    Long start = null;
    Long cache = null;
    Boolean cycle = null;
    boolean restart = false;
    Long restartWith = null;
    List<String> ownedBy = List.of();
    Name sequenceName = null;
    while (!cursor.atEnd()) {
      int position = cursor.position();
      if (cursor.accept("as")) {
        type = once(position, type, cursor.type());
      } else if (cursor.accept("increment")) {
        cursor.accept("by");
        increment = once(position, increment, cursor.integer());
      } else if (cursor.accept("minvalue")) {
        minValue = once(position, minValue, cursor.integer());
      } else if (cursor.accept("maxvalue")) {
        maxValue = once(position, maxValue, cursor.integer());
      } else if (cursor.accept("no", "minvalue")) {
        noMin = true;
      } else if (cursor.accept("no", "maxvalue")) {
        noMax = true;
      } else if (cursor.accept("no", "cycle")) {
        cycle = once(position, cycle, false);
      } else if (cursor.accept("cycle")) {
        cycle = once(position, cycle, true);
      } else if (cursor.accept("start")) {
        cursor.accept("with");
        start = once(position, start, cursor.integer());
      } else if (cursor.accept("cache")) {
        cache = once(position, cache, cursor.integer());
      } else if (cursor.accept("restart")) {
        restart = true;
        if (cursor.accept("with") || cursor.kind() == PgLexer.INTEGER || cursor.isSymbol('-')) {
          restartWith = cursor.integer();
        }
      } else if (cursor.accept("owned")) {
        cursor.expect("by");
        ownedBy = cursor.path();
      } else if (cursor.accept("sequence", "name")) {
        sequenceName = cursor.qualifiedName();
      } else {
        break;
      }
    }
    return new SequenceOptions(
        type,
        increment,
        minValue,
        noMin,
        maxValue,
        noMax,
        start,
        cache,
        cycle,
        restart,
        restartWith,
        ownedBy,
        sequenceName);
  }

  private static <T> T once(int position, T before, T now) {
    if (before != null) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "conflicting or redundant options")
          .position(position);
    }
    return now;
  }

  private PgStatement createSchema() {
    boolean ifNotExists = cursor.acceptIfNotExists();
    String name = null;
    if (!cursor.isWord("authorization")) {
      name = cursor.name();
    }
    AccessStatement.RoleName owner = null;
    if (cursor.accept("authorization")) {
      owner = new AccessParser(cursor).role();
    }
    if (!cursor.atEnd() && (cursor.isWord("create") || cursor.isWord("grant"))) {
      throw GaussException.notSupported("CREATE SCHEMA with elements").position(cursor.position());
    }
    return new PgStatement.CreateSchema(name == null ? owner.name() : name, ifNotExists, owner);
  }

  private PgStatement createView(boolean orReplace, boolean temporary, boolean recursive) {
    Name name = cursor.qualifiedName();
    List<String> columns = cursor.isSymbol('(') ? cursor.nameList() : List.of();
    List<PgStatement.Option> options = cursor.accept("with") ? cursor.optionList() : List.of();
    cursor.expect("as");
    int position = cursor.position();
    int start = cursor.index();
    boolean checkOption = cursor.queryBeforeCheckOption();
    String sql = cursor.textFrom(start);
    if (checkOption) {
      cursor.skipToEnd();
    }
    return new PgStatement.CreateView(
        name, orReplace, temporary, recursive, columns, options, sql, position - 1, checkOption);
  }

  private PgStatement alterView(int start) {
    boolean ifExists = ifExists();
    Name name = cursor.qualifiedName();
    if (cursor.accept("rename", "to")) {
      return new PgStatement.AlterView(name, ifExists, null, cursor.name(), null);
    }
    if (cursor.accept("rename")) {
      cursor.accept("column");
      String column = cursor.name();
      cursor.expect("to");
      return new PgStatement.AlterView(name, ifExists, column, cursor.name(), null);
    }
    if (cursor.isWord("owner") && cursor.isWordAt(1, "to")) {
      return new AccessParser(cursor).ownerTo(Privilege.ObjectKind.TABLE, "view", name, ifExists);
    }
    if (cursor.accept("set", "schema")) {
      return new PgStatement.AlterView(name, ifExists, null, null, cursor.name());
    }
    cursor.skipToEnd();
    return new PgStatement.Unsupported("ALTER VIEW with this action", cursor.textFrom(start));
  }
}
