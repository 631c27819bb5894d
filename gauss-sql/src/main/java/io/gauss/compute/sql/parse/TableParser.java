package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.sql.parse.PgStatement.AlterAction;
import io.gauss.compute.sql.parse.PgStatement.ColumnSpec;
import io.gauss.compute.sql.parse.PgStatement.ConstraintKind;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.sql.parse.PgStatement.Like;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import io.gauss.compute.sql.parse.PgStatement.SequenceOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlNode;

/** CREATE TABLE and ALTER TABLE. */
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

  /** The table of the statement, for messages. */
  private String tableName;

  TableParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  // ---------------------------------------------------------------------------------------------------- CREATE TABLE

  PgStatement createTable(boolean temporary, boolean unlogged) {
    boolean ifNotExists = ifNotExists();
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
    tableName = name.name();
    List<ColumnSpec> columns = new ArrayList<>();
    List<ConstraintSpec> constraints = new ArrayList<>();
    List<Like> likes = new ArrayList<>();
    if (!cursor.isSymbol(')')) {
      do {
        if (cursor.accept("like")) {
          likes.add(like(columns.size()));
        } else if (startsConstraint()) {
          constraints.add(tableConstraint());
        } else {
          columns.add(column());
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

  private boolean ifNotExists() {
    if (cursor.isWord("if") && cursor.isWordAt(1, "not")) {
      cursor.expect("if", "not");
      cursor.expect("exists");
      return true;
    }
    return false;
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

  // --------------------------------------------------------------------------------------------------------- columns

  private ColumnSpec column() {
    int position = cursor.position();
    String name = cursor.name();
    TypeName type = cursor.type();
    Column column = new Column(name);
    while (columnConstraint(column)) {}
    return new ColumnSpec(
        name,
        type,
        column.collation,
        column.defaultSql,
        column.identity,
        column.identityOptions,
        column.generatedSql,
        column.notNull,
        column.nullable,
        column.constraints,
        position);
  }

  /** The properties of a column from its constraints so far. */
  private static final class Column {
    final String name;
    final List<ConstraintSpec> constraints = new ArrayList<>();
    String collation;
    String defaultSql;
    char identity;
    SequenceOptions identityOptions = SequenceOptions.NONE;
    String generatedSql;
    boolean notNull;
    boolean nullable;

    Column(String name) {
      this.name = name;
    }
  }

  /** Reads one constraint of a column; false when there is none. */
  private boolean columnConstraint(Column column) {
    int position = cursor.position();
    String constraint = cursor.accept("constraint") ? cursor.name() : null;
    if (cursor.accept("not", "null")) {
      if (column.nullable) {
        throw conflicting(column, position, "NULL/NOT NULL declarations");
      }
      column.notNull = true;
    } else if (cursor.accept("null")) {
      if (column.notNull) {
        throw conflicting(column, position, "NULL/NOT NULL declarations");
      }
      column.nullable = true;
    } else if (cursor.accept("default")) {
      if (column.defaultSql != null) {
        throw new GaussException(
                SqlState.SYNTAX_ERROR,
                "multiple default values specified for column \""
                    + column.name
                    + "\" of table \""
                    + tableName
                    + "\"")
            .position(position);
      }
      column.defaultSql = cursor.defaultText();
    } else if (cursor.accept("generated")) {
      generated(column);
    } else if (cursor.accept("collate")) {
      column.collation = String.join(".", cursor.path());
    } else if (cursor.isWord("check")
        || cursor.isWord("unique")
        || cursor.isWord("primary")
        || cursor.isWord("references")) {
      column.constraints.add(attributes(columnKind(constraint, column.name, position), false));
    } else if (constraint != null) {
      throw cursor.syntaxError();
    } else {
      return false;
    }
    return true;
  }

  private GaussException conflicting(Column column, int position, String what) {
    return new GaussException(
            SqlState.SYNTAX_ERROR,
            "conflicting "
                + what
                + " for column \""
                + column.name
                + "\" of table \""
                + tableName
                + "\"")
        .position(position);
  }

  private void generated(Column column) {
    boolean always = cursor.accept("always");
    if (!always) {
      cursor.expect("by", "default");
    }
    cursor.expect("as");
    if (cursor.accept("identity")) {
      column.identity = always ? 'a' : 'd';
      if (cursor.accept('(')) {
        column.identityOptions = DdlParser.sequenceOptions(cursor);
        cursor.expect(')');
      }
      return;
    }
    if (!always) {
      throw cursor.syntaxError();
    }
    cursor.expect('(');
    column.generatedSql = cursor.expressionText();
    cursor.expect(')');
    cursor.expect("stored");
  }

  private boolean primaryKey() {
    if (!cursor.accept("primary")) {
      return false;
    }
    cursor.expect("key");
    return true;
  }

  private ConstraintSpec columnKind(String name, String column, int position) {
    if (cursor.accept("check")) {
      return check(name, position);
    }
    if (cursor.accept("references")) {
      return references(name, List.of(column), position);
    }
    boolean primary = primaryKey();
    if (!primary) {
      cursor.expect("unique");
    }
    return key(name, primary, List.of(column), position);
  }

  // ----------------------------------------------------------------------------------------------------- constraints

  private boolean startsConstraint() {
    return cursor.isWord("constraint")
        || cursor.isWord("check")
        || cursor.isWord("unique")
        || cursor.isWord("foreign")
        || cursor.isWord("primary")
        || (cursor.isWord("exclude") && (cursor.isWordAt(1, "using") || cursor.isSymbolAt(1, '(')));
  }

  private ConstraintSpec tableConstraint() {
    int position = cursor.position();
    String name = cursor.accept("constraint") ? cursor.name() : null;
    ConstraintSpec constraint;
    if (cursor.accept("check")) {
      constraint = check(name, position);
    } else if (cursor.accept("foreign")) {
      cursor.expect("key");
      List<String> columns = cursor.nameList();
      cursor.expect("references");
      constraint = references(name, columns, position);
    } else if (cursor.isWord("primary") || cursor.isWord("unique")) {
      boolean primary = primaryKey();
      if (!primary) {
        cursor.expect("unique");
      }
      boolean nullsNotDistinct = false;
      if (!primary && cursor.accept("nulls")) {
        nullsNotDistinct = cursor.accept("not");
        cursor.expect("distinct");
      }
      if (cursor.accept("using", "index")) {
        constraint =
            new ConstraintSpec(
                primary ? ConstraintKind.PRIMARY_KEY : ConstraintKind.UNIQUE,
                name,
                List.of(),
                null,
                null,
                List.of(),
                false,
                Action.NO_ACTION,
                Action.NO_ACTION,
                List.of(),
                false,
                false,
                false,
                false,
                List.of(),
                cursor.name(),
                List.of(),
                position);
      } else {
        constraint = key(name, primary, cursor.nameList(), position);
        if (nullsNotDistinct) {
          constraint = withNullsNotDistinct(constraint);
        }
      }
    } else if (cursor.accept("exclude")) {
      throw GaussException.notSupported("EXCLUDE constraint").position(position);
    } else {
      throw cursor.syntaxError();
    }
    return attributes(constraint, true);
  }

  private static ConstraintSpec withNullsNotDistinct(ConstraintSpec c) {
    return new ConstraintSpec(
        c.kind(),
        c.name(),
        c.columns(),
        c.checkSql(),
        c.referenced(),
        c.referencedColumns(),
        c.matchFull(),
        c.onDelete(),
        c.onUpdate(),
        c.setColumns(),
        c.deferrable(),
        c.initiallyDeferred(),
        c.notValid(),
        true,
        c.include(),
        c.usingIndex(),
        c.options(),
        c.position());
  }

  private ConstraintSpec check(String name, int position) {
    cursor.expect('(');
    int start = cursor.index();
    SqlNode condition = cursor.expression();
    String sql = cursor.textFrom(start);
    cursor.expect(')');
    cursor.accept("no", "inherit");
    Set<String> columns = ColumnReferences.of(condition);
    return new ConstraintSpec(
        ConstraintKind.CHECK,
        name,
        List.copyOf(columns),
        sql,
        null,
        List.of(),
        false,
        Action.NO_ACTION,
        Action.NO_ACTION,
        List.of(),
        false,
        false,
        false,
        false,
        List.of(),
        null,
        List.of(),
        position);
  }

  private ConstraintSpec key(String name, boolean primary, List<String> columns, int position) {
    List<String> include = cursor.accept("include") ? cursor.nameList() : List.of();
    List<Option> options = cursor.accept("with") ? cursor.optionList() : List.of();
    if (cursor.isWord("using") && cursor.isWordAt(1, "index")) {
      throw GaussException.notSupported("USING INDEX TABLESPACE").position(cursor.position());
    }
    return new ConstraintSpec(
        primary ? ConstraintKind.PRIMARY_KEY : ConstraintKind.UNIQUE,
        name,
        columns,
        null,
        null,
        List.of(),
        false,
        Action.NO_ACTION,
        Action.NO_ACTION,
        List.of(),
        false,
        false,
        false,
        false,
        include,
        null,
        options,
        position);
  }

  private ConstraintSpec references(String name, List<String> columns, int position) {
    Name table = cursor.qualifiedName();
    List<String> referenced = cursor.isSymbol('(') ? cursor.nameList() : List.of();
    boolean full = false;
    if (cursor.accept("match")) {
      full = cursor.accept("full");
      if (!full) {
        if (cursor.isWord("partial")) {
          throw new GaussException(
                  SqlState.FEATURE_NOT_SUPPORTED, "MATCH PARTIAL not yet implemented")
              .position(cursor.position());
        }
        cursor.expect("simple");
      }
    }
    Action onDelete = Action.NO_ACTION;
    Action onUpdate = Action.NO_ACTION;
    List<String> setColumns = List.of();
    while (cursor.isWord("on")) {
      cursor.expect("on");
      if (cursor.accept("delete")) {
        onDelete = action();
        if ((onDelete == Action.SET_NULL || onDelete == Action.SET_DEFAULT)
            && cursor.isSymbol('(')) {
          setColumns = cursor.nameList();
        }
      } else {
        cursor.expect("update");
        onUpdate = action();
      }
    }
    return new ConstraintSpec(
        ConstraintKind.FOREIGN_KEY,
        name,
        columns,
        null,
        table,
        referenced,
        full,
        onDelete,
        onUpdate,
        setColumns,
        false,
        false,
        false,
        false,
        List.of(),
        null,
        List.of(),
        position);
  }

  private Action action() {
    if (cursor.accept("cascade")) {
      return Action.CASCADE;
    }
    if (cursor.accept("restrict")) {
      return Action.RESTRICT;
    }
    if (cursor.accept("no", "action")) {
      return Action.NO_ACTION;
    }
    if (cursor.accept("set", "null")) {
      return Action.SET_NULL;
    }
    cursor.expect("set", "default");
    return Action.SET_DEFAULT;
  }

  /** DEFERRABLE, INITIALLY and NOT VALID after a constraint. */
  private ConstraintSpec attributes(ConstraintSpec c, boolean ofTable) {
    boolean deferrable = false;
    boolean deferred = false;
    boolean notValid = false;
    while (true) {
      if (cursor.accept("deferrable")) {
        deferrable = true;
      } else if (cursor.isWord("not") && cursor.isWordAt(1, "deferrable")) {
        cursor.expect("not", "deferrable");
      } else if (cursor.accept("initially", "deferred")) {
        deferrable = true;
        deferred = true;
      } else if (ofTable && cursor.accept("not", "valid")) {
        notValid = true;
      } else if (!cursor.accept("initially", "immediate")) { // the default
        break;
      }
    }
    if (!deferrable && !notValid) {
      return c;
    }
    return new ConstraintSpec(
        c.kind(),
        c.name(),
        c.columns(),
        c.checkSql(),
        c.referenced(),
        c.referencedColumns(),
        c.matchFull(),
        c.onDelete(),
        c.onUpdate(),
        c.setColumns(),
        deferrable,
        deferred,
        notValid,
        c.nullsNotDistinct(),
        c.include(),
        c.usingIndex(),
        c.options(),
        c.position());
  }

  // ----------------------------------------------------------------------------------------------------- ALTER TABLE

  PgStatement alterTable() {
    boolean ifExists = cursor.accept("if", "exists");
    if (cursor.isWord("all") && cursor.isWordAt(1, "in")) {
      throw GaussException.notSupported("ALTER TABLE ALL IN TABLESPACE")
          .position(cursor.position());
    }
    cursor.accept("only");
    Name name = cursor.qualifiedName();
    tableName = name.name();
    cursor.accept('*');
    List<AlterAction> actions = new ArrayList<>();
    if (cursor.accept("rename")) {
      actions.add(rename());
      return new PgStatement.AlterTable(name, ifExists, actions);
    }
    do {
      actions.add(alterAction());
    } while (cursor.accept(','));
    return new PgStatement.AlterTable(name, ifExists, actions);
  }

  private AlterAction rename() {
    if (cursor.accept("to")) {
      return new PgStatement.RenameTable(cursor.name());
    }
    boolean constraint = cursor.accept("constraint");
    if (!constraint) {
      cursor.accept("column");
    }
    String old = cursor.name();
    cursor.expect("to");
    return constraint
        ? new PgStatement.RenameConstraint(old, cursor.name())
        : new PgStatement.RenameColumn(old, cursor.name());
  }

  private AlterAction alterAction() {
    int start = cursor.index();
    if (cursor.accept("add")) {
      if (startsConstraint()) {
        return new PgStatement.AddConstraint(tableConstraint());
      }
      cursor.accept("column");
      boolean ifNotExists = ifNotExists();
      return new PgStatement.AddColumn(column(), ifNotExists);
    }
    if (cursor.accept("drop")) {
      boolean constraint = cursor.accept("constraint");
      if (!constraint) {
        cursor.accept("column");
      }
      boolean ifExists = cursor.accept("if", "exists");
      String name = cursor.name();
      return constraint
          ? new PgStatement.DropConstraint(name, ifExists, UtilityParser.behavior(cursor))
          : new PgStatement.DropColumn(name, ifExists, UtilityParser.behavior(cursor));
    }
    if (cursor.accept("validate")) {
      cursor.expect("constraint");
      return new PgStatement.ValidateConstraint(cursor.name());
    }
    if (cursor.accept("owner", "to")) {
      return new PgStatement.OwnerTo(new AccessParser(cursor).role());
    }
    if (cursor.accept("set", "schema")) {
      return new PgStatement.SetSchema(cursor.name());
    }
    if (cursor.accept("alter")) {
      if (cursor.isWord("constraint")) {
        return otherAction(start);
      }
      cursor.accept("column");
      return alterColumn(cursor.name(), start);
    }
    for (String word :
        List.of(
            "set", "reset", "enable", "disable", "force", "no", "cluster", "inherit", "attach",
            "detach", "replica", "of", "not")) {
      if (cursor.isWord(word)) {
        return otherAction(start);
      }
    }
    throw cursor.syntaxError();
  }

  private AlterAction alterColumn(String column, int start) {
    if (cursor.accept("set", "default")) {
      return new PgStatement.SetDefault(column, cursor.expressionText());
    }
    if (cursor.accept("drop", "default")) {
      return new PgStatement.SetDefault(column, null);
    }
    if (cursor.accept("drop", "expression")) {
      return new PgStatement.DropExpression(column, cursor.accept("if", "exists"));
    }
    if (cursor.isWord("set") && cursor.isWordAt(1, "not")) {
      cursor.expect("set", "not");
      cursor.expect("null");
      return new PgStatement.SetNotNull(column, true);
    }
    if (cursor.isWord("drop") && cursor.isWordAt(1, "not")) {
      cursor.expect("drop", "not");
      cursor.expect("null");
      return new PgStatement.SetNotNull(column, false);
    }
    boolean type = cursor.accept("type");
    if (!type && cursor.isWord("set") && cursor.isWordAt(1, "data")) {
      cursor.expect("set", "data");
      cursor.expect("type");
      type = true;
    }
    if (type) {
      TypeName newType = cursor.type();
      if (cursor.accept("collate")) {
        cursor.path();
      }
      String using = cursor.accept("using") ? cursor.expressionText() : null;
      return new PgStatement.AlterColumnType(column, newType, using);
    }
    if (cursor.atEnd()) {
      throw cursor.syntaxError();
    }
    return otherAction(start);
  }

  /** An action that is always refused: taken up to the next comma outside parentheses. */
  private AlterAction otherAction(int start) {
    while (!cursor.atEnd() && !cursor.isSymbol(',')) {
      if (cursor.isSymbol('(')) {
        cursor.skipParentheses();
      } else {
        cursor.skip();
      }
    }
    return new PgStatement.OtherAction(cursor.textFrom(start));
  }
}
