package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.compute.sql.parse.PgStatement.AlterAction;
import io.gauss.compute.sql.parse.PgStatement.Name;
import java.util.ArrayList;
import java.util.List;

/** ALTER TABLE. */
final class AlterTableParser {
  private final TokenCursor cursor;

  /** For messages. */
  private String tableName;

  AlterTableParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

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
      ConstraintParser constraint = new ConstraintParser(cursor);
      if (constraint.isNext()) {
        return new PgStatement.AddConstraint(constraint.ofTable());
      }
      cursor.accept("column");
      boolean ifNotExists = cursor.acceptIfNotExists();
      return new PgStatement.AddColumn(new ColumnParser(cursor, tableName).column(), ifNotExists);
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
      if (cursor.accept("constraint")) {
        return alterConstraint();
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

  private AlterAction alterConstraint() {
    String name = cursor.name();
    ConstraintAttributes attributes = ConstraintAttributes.ofTable(cursor);
    attributes.check("FOREIGN KEY", true, false, false); // all others are refused later
    return new PgStatement.AlterConstraint(name, attributes.deferral());
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
