package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.PgStatement.AddColumn;
import io.gauss.compute.sql.parse.PgStatement.AddConstraint;
import io.gauss.compute.sql.parse.PgStatement.AlterAction;
import io.gauss.compute.sql.parse.PgStatement.AlterColumnType;
import io.gauss.compute.sql.parse.PgStatement.AlterConstraint;
import io.gauss.compute.sql.parse.PgStatement.AlterTable;
import io.gauss.compute.sql.parse.PgStatement.AlterView;
import io.gauss.compute.sql.parse.PgStatement.ConstraintKind;
import io.gauss.compute.sql.parse.PgStatement.DropColumn;
import io.gauss.compute.sql.parse.PgStatement.DropConstraint;
import io.gauss.compute.sql.parse.PgStatement.DropExpression;
import io.gauss.compute.sql.parse.PgStatement.OtherAction;
import io.gauss.compute.sql.parse.PgStatement.OwnerTo;
import io.gauss.compute.sql.parse.PgStatement.RenameColumn;
import io.gauss.compute.sql.parse.PgStatement.RenameConstraint;
import io.gauss.compute.sql.parse.PgStatement.RenameTable;
import io.gauss.compute.sql.parse.PgStatement.SetDefault;
import io.gauss.compute.sql.parse.PgStatement.SetNotNull;
import io.gauss.compute.sql.parse.PgStatement.SetSchema;
import io.gauss.compute.sql.parse.PgStatement.ValidateConstraint;
import io.gauss.compute.txn.TableLockMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * ALTER TABLE. Actions run in PostgreSQL's order, independent of their order in the statement:
 * drops, new types, new columns, NOT NULL, keys, other constraints and defaults. So {@code ADD
 * CHECK (b > 0), ADD COLUMN b int} is valid. All actions together pass through the rows once
 * ({@link TableChange}).
 */
final class TableAlterer {
  private static final int DROP = 0;
  private static final int TYPE = 1;
  private static final int ADD_COLUMN = 2;
  private static final int COLUMN_ATTRIBUTES = 3;
  private static final int KEYS = 4;
  private static final int OTHER_CONSTRAINTS = 5;

  private final DdlContext ddl;

  TableAlterer(DdlContext ddl) {
    this.ddl = ddl;
  }

  /** ALTER TABLE may also rename views. */
  private boolean alterView(AlterTable statement) {
    if (statement.actions().size() != 1) {
      return false;
    }
    if (statement.actions().getFirst() instanceof OwnerTo owner) {
      new OwnerChanger(ddl).view(statement.name(), false, owner.role());
      return true;
    }
    AlterView alter =
        switch (statement.actions().getFirst()) {
          case RenameTable rename ->
              new AlterView(statement.name(), false, null, rename.newName(), null);
          case RenameColumn rename ->
              new AlterView(statement.name(), false, rename.column(), rename.newName(), null);
          case SetSchema set -> new AlterView(statement.name(), false, null, null, set.schema());
          default -> null;
        };
    if (alter != null) {
      new ViewDefiner(ddl).alter(alter);
    }
    return alter != null;
  }

  void alter(AlterTable statement) {
    TableDef table = ddl.findTable(statement.name(), TableLockMode.ACCESS_EXCLUSIVE);
    if (table == null) {
      if (ddl.isView(statement.name()) && alterView(statement)) {
        return;
      }
      if (ddl.isRelation(statement.name())) {
        throw DdlContext.notATable(statement.name());
      }
      if (statement.ifExists()) {
        ddl.notice("relation \"%s\" does not exist, skipping".formatted(statement.name().name()));
        return;
      }
      throw DdlContext.noRelation(statement.name());
    }
    AlterAction first = statement.actions().getFirst();
    RelationRenamer renamer = new RelationRenamer(ddl);
    switch (first) {
      case RenameTable rename -> renamer.table(table, rename.newName());
      case RenameColumn rename -> renamer.column(table, rename.column(), rename.newName());
      case RenameConstraint rename ->
          renamer.constraint(table, rename.constraint(), rename.newName());
      case SetSchema set when statement.actions().size() == 1 ->
          renamer.schema(table, set.schema());
      default -> change(table, statement.actions());
    }
  }

  void change(TableDef table, List<AlterAction> actions) {
    ddl.requireUnused(table, "ALTER TABLE");
    TableChange change = new TableChange(ddl, table);
    ColumnAlterer columns = new ColumnAlterer(change);
    ConstraintAlterer constraints = new ConstraintAlterer(change);
    List<AlterAction> ordered = new ArrayList<>();
    for (AlterAction action : actions) {
      ordered.add(action);
      if (action instanceof AddColumn add && !columns.isSkipped(add)) {
        add.column().constraints().forEach(spec -> ordered.add(new AddConstraint(spec)));
      }
    }
    ordered.sort(Comparator.comparingInt(TableAlterer::pass));
    for (AlterAction action : ordered) {
      switch (action) {
        case AddColumn add -> columns.add(add);
        case DropColumn drop -> columns.drop(drop);
        case SetDefault set -> columns.setDefault(set);
        case SetNotNull set -> columns.setNotNull(set);
        case DropExpression drop -> columns.dropExpression(drop);
        case AlterColumnType type -> columns.type(type);
        case AddConstraint add -> constraints.add(add.constraint());
        case DropConstraint drop -> constraints.drop(drop);
        case OtherAction other -> other(other.text());
        case OwnerTo owner -> new OwnerChanger(ddl).table(table, owner.role());
        case AlterConstraint alter -> constraints.alter(alter);
        case ValidateConstraint validate -> constraints.validate(validate.constraint());
        case SetSchema set -> throw syntaxError("SET SCHEMA");
        case RenameTable rename -> throw syntaxError("RENAME");
        case RenameColumn rename -> throw syntaxError("RENAME");
        case RenameConstraint rename -> throw syntaxError("RENAME");
      }
    }
    change.apply();
  }

  private static int pass(AlterAction action) {
    return switch (action) {
      case DropColumn drop -> DROP;
      case DropConstraint drop -> DROP;
      case DropExpression drop -> DROP;
      case SetNotNull set -> set.notNull() ? COLUMN_ATTRIBUTES : DROP;
      case SetDefault set -> set.defaultSql() == null ? DROP : OTHER_CONSTRAINTS;
      case AlterColumnType type -> TYPE;
      case AddColumn add -> ADD_COLUMN;
      case AddConstraint add ->
          add.constraint().kind() == ConstraintKind.PRIMARY_KEY
                  || add.constraint().kind() == ConstraintKind.UNIQUE
              ? KEYS
              : OTHER_CONSTRAINTS;
      default -> OTHER_CONSTRAINTS + 1;
    };
  }

  /** Only {@code SET (fillfactor = n)} and its RESET, which change nothing in a clustered tree. */
  private static void other(String text) {
    if (!StorageParameters.isFillFactor(text)) {
      throw GaussException.notSupported("ALTER TABLE ... " + text);
    }
  }

  private static GaussException syntaxError(String word) {
    return new GaussException(
        SqlState.SYNTAX_ERROR, "%s cannot be combined with other actions".formatted(word));
  }
}
