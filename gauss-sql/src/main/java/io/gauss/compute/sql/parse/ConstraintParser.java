package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef.Action;
import io.gauss.compute.catalog.TableDef.Deferral;
import io.gauss.compute.sql.parse.PgStatement.ConstraintKind;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import java.util.List;
import org.apache.calcite.sql.SqlNode;

/** Constraints of tables and of their columns, as CREATE TABLE and ALTER TABLE write them. */
final class ConstraintParser {
  private final TokenCursor cursor;

  ConstraintParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  /** What has been read of a constraint so far. */
  private static final class Draft {
    final String name;
    final int position;
    ConstraintKind kind;
    List<String> columns = List.of();
    String checkSql;
    Name referenced;
    List<String> referencedColumns = List.of();
    boolean matchFull;
    Action onDelete = Action.NO_ACTION;
    Action onUpdate = Action.NO_ACTION;
    List<String> setColumns = List.of();
    Deferral deferral = Deferral.NOT_DEFERRABLE;
    boolean notValid;
    boolean nullsNotDistinct;
    List<String> include = List.of();
    String usingIndex;
    List<Option> options = List.of();

    /**
     * @param name null = it was given none
     */
    Draft(String name, int position) {
      this.name = name;
      this.position = position;
    }

    ConstraintSpec finished() {
      return new ConstraintSpec(
          kind,
          name,
          columns,
          checkSql,
          referenced,
          referencedColumns,
          matchFull,
          onDelete,
          onUpdate,
          setColumns,
          deferral,
          notValid,
          nullsNotDistinct,
          include,
          usingIndex,
          options,
          position);
    }
  }

  /** Whether a table's constraint comes next. */
  boolean isNext() {
    return cursor.isWord("constraint")
        || cursor.isWord("check")
        || cursor.isWord("unique")
        || cursor.isWord("foreign")
        || cursor.isWord("primary")
        || (cursor.isWord("exclude") && (cursor.isWordAt(1, "using") || cursor.isSymbolAt(1, '(')));
  }

  ConstraintSpec ofTable() {
    int position = cursor.position();
    Draft draft = new Draft(cursor.accept("constraint") ? cursor.name() : null, position);
    if (cursor.accept("check")) {
      check(draft);
    } else if (cursor.accept("foreign")) {
      cursor.expect("key");
      draft.columns = cursor.nameList();
      cursor.expect("references");
      references(draft);
    } else if (cursor.isWord("primary") || cursor.isWord("unique")) {
      keyOfTable(draft);
    } else if (cursor.accept("exclude")) {
      throw GaussException.notSupported("EXCLUDE constraint").position(position);
    } else {
      throw cursor.syntaxError();
    }
    attributesOfTable(draft);
    return draft.finished();
  }

  /**
   * A constraint that is written with a column; CHECK, UNIQUE, PRIMARY KEY or REFERENCES comes
   * next.
   *
   * @param name null = it was given none
   */
  ConstraintSpec ofColumn(String name, String column, int position) {
    Draft draft = new Draft(name, position);
    if (cursor.accept("check")) {
      check(draft);
    } else {
      draft.columns = List.of(column);
      if (cursor.accept("references")) {
        references(draft);
      } else {
        keyKind(draft);
        keyOptions(draft);
      }
    }
    if (draft.kind == ConstraintKind.CHECK) {
      ConstraintAttributes.refuseMisplaced(cursor);
    } else {
      draft.deferral = ConstraintAttributes.ofColumn(cursor).deferral();
    }
    return draft.finished();
  }

  private void check(Draft draft) {
    cursor.expect('(');
    int start = cursor.index();
    SqlNode condition = cursor.expression();
    draft.kind = ConstraintKind.CHECK;
    draft.checkSql = cursor.textFrom(start);
    cursor.expect(')');
    cursor.accept("no", "inherit");
    draft.columns = List.copyOf(ColumnReferences.of(condition));
  }

  private void keyOfTable(Draft draft) {
    keyKind(draft);
    if (draft.kind == ConstraintKind.UNIQUE && cursor.accept("nulls")) {
      draft.nullsNotDistinct = cursor.accept("not");
      cursor.expect("distinct");
    }
    if (cursor.accept("using", "index")) {
      draft.usingIndex = cursor.name();
      draft.nullsNotDistinct = false;
    } else {
      draft.columns = cursor.nameList();
      keyOptions(draft);
    }
  }

  private void keyKind(Draft draft) {
    if (cursor.accept("primary")) {
      cursor.expect("key");
      draft.kind = ConstraintKind.PRIMARY_KEY;
    } else {
      cursor.expect("unique");
      draft.kind = ConstraintKind.UNIQUE;
    }
  }

  /** What follows a key's columns. */
  private void keyOptions(Draft draft) {
    draft.include = cursor.accept("include") ? cursor.nameList() : List.of();
    draft.options = cursor.accept("with") ? cursor.optionList() : List.of();
    if (cursor.isWord("using") && cursor.isWordAt(1, "index")) {
      throw GaussException.notSupported("USING INDEX TABLESPACE").position(cursor.position());
    }
  }

  private void references(Draft draft) {
    draft.kind = ConstraintKind.FOREIGN_KEY;
    draft.referenced = cursor.qualifiedName();
    draft.referencedColumns = cursor.isSymbol('(') ? cursor.nameList() : List.of();
    if (cursor.accept("match")) {
      draft.matchFull = cursor.accept("full");
      if (!draft.matchFull) {
        if (cursor.isWord("partial")) {
          throw new GaussException(
                  SqlState.FEATURE_NOT_SUPPORTED, "MATCH PARTIAL not yet implemented")
              .position(cursor.position());
        }
        cursor.expect("simple");
      }
    }
    while (cursor.accept("on")) {
      if (cursor.accept("delete")) {
        draft.onDelete = action();
        if ((draft.onDelete == Action.SET_NULL || draft.onDelete == Action.SET_DEFAULT)
            && cursor.isSymbol('(')) {
          draft.setColumns = cursor.nameList();
        }
      } else {
        cursor.expect("update");
        draft.onUpdate = action();
      }
    }
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

  private void attributesOfTable(Draft draft) {
    ConstraintAttributes read = ConstraintAttributes.ofTable(cursor);
    switch (draft.kind) {
      case CHECK -> read.check("CHECK", false, true, true);
      case UNIQUE -> read.check("UNIQUE", true, false, false);
      case PRIMARY_KEY -> read.check("PRIMARY KEY", true, false, false);
      case EXCLUDE -> read.check("EXCLUDE", true, false, false);
      case FOREIGN_KEY -> read.check("FOREIGN KEY", true, true, false);
    }
    draft.deferral = read.deferral();
    draft.notValid = read.notValid();
  }
}
