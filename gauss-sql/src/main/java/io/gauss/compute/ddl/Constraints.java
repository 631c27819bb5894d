package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.PgStatement.ConstraintKind;
import io.gauss.compute.sql.parse.PgStatement.ConstraintSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Handling of constraints that CREATE TABLE and ALTER TABLE share. */
final class Constraints {
  private Constraints() {}

  static void refuse(ConstraintSpec spec) {
    if (spec.deferral().isDeferrable() && spec.kind() == ConstraintKind.PRIMARY_KEY) {
      // The rows' own tree is ordered by it, and holds a key only once.
      throw GaussException.notSupported("a deferrable primary key").position(spec.position());
    }
    if (spec.nullsNotDistinct()) {
      throw GaussException.notSupported("NULLS NOT DISTINCT");
    }
    if (!spec.include().isEmpty()) {
      throw GaussException.notSupported("INCLUDE of a constraint");
    }
    if (spec.usingIndex() != null) {
      throw GaussException.notSupported("USING INDEX");
    }
  }

  /** Names written in one statement must differ. */
  static void checkNames(List<ConstraintSpec> constraints, String table) {
    Set<String> names = new HashSet<>();
    for (ConstraintSpec spec : constraints) {
      if (spec.name() != null && !names.add(spec.name())) {
        throw duplicate(spec.name(), table);
      }
    }
  }

  /** Fails when the table has a constraint of this name. */
  static void checkFree(TableEdit table, String name) {
    if (names(table).contains(name)) {
      throw duplicate(name, table.name);
    }
  }

  private static GaussException duplicate(String name, String table) {
    return new GaussException(
        SqlState.DUPLICATE_OBJECT,
        "constraint \"%s\" for relation \"%s\" already exists".formatted(name, table));
  }

  /** Names of all constraints of a table. */
  static Set<String> names(TableEdit edit) {
    Set<String> names = new HashSet<>();
    if (edit.primaryKeyName != null) {
      names.add(edit.primaryKeyName);
    }
    edit.checks.forEach(check -> names.add(check.name()));
    edit.foreignKeys.forEach(key -> names.add(key.name()));
    edit.indexes.stream().filter(index -> index.constraint()).forEach(i -> names.add(i.name()));
    return names;
  }

  /** Column positions of a PRIMARY KEY or UNIQUE constraint. */
  static int[] columns(TableEdit edit, ConstraintSpec spec) {
    int[] columns = new int[spec.columns().size()];
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < columns.length; i++) {
      columns[i] = -1;
      for (int c = 0; c < edit.columns.size(); c++) {
        if (edit.columns.get(c).name().equals(spec.columns().get(i))) {
          columns[i] = c;
        }
      }
      if (columns[i] < 0) {
        throw new GaussException(
                SqlState.UNDEFINED_COLUMN,
                "column \"%s\" named in key does not exist".formatted(spec.columns().get(i)))
            .position(spec.position());
      }
      OperatorClasses.requireOrder(edit.columns.get(columns[i]).type());
      if (!seen.add(columns[i])) {
        throw new GaussException(
                SqlState.DUPLICATE_COLUMN,
                "column \"%s\" appears twice in %s constraint"
                    .formatted(
                        spec.columns().get(i),
                        spec.kind().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ')))
            .position(spec.position());
      }
    }
    return columns;
  }

  static String baseName(TableEdit edit, int[] columns) {
    StringBuilder base = new StringBuilder(edit.name);
    for (int column : columns) {
      base.append('_').append(edit.columns.get(column).name());
    }
    return base.toString();
  }
}
