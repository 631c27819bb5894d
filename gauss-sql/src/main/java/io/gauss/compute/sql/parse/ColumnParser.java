package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.PgStatement.ColumnSpec;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import io.gauss.compute.sql.parse.PgStatement.SequenceOptions;
import java.util.ArrayList;
import java.util.List;

/** Columns of one table, with their constraints, as CREATE TABLE and ALTER TABLE write them. */
final class ColumnParser {
  private final TokenCursor cursor;
  private final ConstraintParser constraintParser;

  /** For messages. */
  private final String tableName;

  /** What the constraints of a column have said so far. */
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

  ColumnParser(TokenCursor cursor, String tableName) {
    this.cursor = cursor;
    this.constraintParser = new ConstraintParser(cursor);
    this.tableName = tableName;
  }

  ColumnSpec column() {
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
      column.constraints.add(constraintParser.ofColumn(constraint, column.name, position));
    } else if (constraint != null) {
      throw cursor.syntaxError();
    } else {
      ConstraintAttributes.refuseMisplaced(cursor);
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
}
