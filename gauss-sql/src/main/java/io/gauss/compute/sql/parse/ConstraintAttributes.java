package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.TableDef.Deferral;

/**
 * What is written behind a constraint: DEFERRABLE, INITIALLY, NOT VALID, NO INHERIT. PostgreSQL has
 * other messages for a constraint in a column's definition than for one of its own.
 */
final class ConstraintAttributes {
  private final TokenCursor cursor;

  /** Where they begin in the text, from 1. */
  private final int start;

  /** Null = not written. */
  private Boolean deferrable;

  /** INITIALLY DEFERRED rather than IMMEDIATE; null = not written. */
  private Boolean deferred;

  private boolean notValid;
  private boolean noInherit;

  private ConstraintAttributes(TokenCursor cursor) {
    this.cursor = cursor;
    this.start = cursor.position();
  }

  Deferral deferral() {
    boolean isDeferred = Boolean.TRUE.equals(deferred);
    if (!isDeferred && !Boolean.TRUE.equals(deferrable)) {
      return Deferral.NOT_DEFERRABLE;
    }
    return isDeferred ? Deferral.INITIALLY_DEFERRED : Deferral.INITIALLY_IMMEDIATE;
  }

  boolean notValid() {
    return notValid;
  }

  /** Reads those of a table's constraint. */
  static ConstraintAttributes ofTable(TokenCursor cursor) {
    ConstraintAttributes read = new ConstraintAttributes(cursor);
    while (read.nextOfTable()) {}
    return read;
  }

  private boolean nextOfTable() {
    int position = cursor.position();
    Boolean newDeferrable = acceptDeferrable();
    Boolean newDeferred = newDeferrable == null ? acceptInitially() : null;
    if (newDeferrable == null && newDeferred == null) {
      if (cursor.accept("not", "valid")) {
        notValid = true;
      } else if (cursor.accept("no", "inherit")) {
        noInherit = true;
      } else {
        return false;
      }
      return true;
    }
    Boolean before = newDeferrable != null ? deferrable : deferred;
    Boolean now = newDeferrable != null ? newDeferrable : newDeferred;
    deferrable = newDeferrable != null ? newDeferrable : deferrable;
    deferred = newDeferred != null ? newDeferred : deferred;
    if (Boolean.FALSE.equals(deferrable) && Boolean.TRUE.equals(deferred)) {
      throw mustBeDeferrable(position);
    }
    if (before != null && !before.equals(now)) {
      throw error("conflicting constraint properties", position);
    }
    return true;
  }

  /**
   * Fails with 0A000 when a table's constraint has attributes that its kind cannot have.
   *
   * @param kind as messages name it
   */
  void check(String kind, boolean mayDefer, boolean mayBeNotValid, boolean mayNotInherit) {
    if (!mayDefer && deferral().isDeferrable()) {
      throw refused(kind, "DEFERRABLE");
    }
    if (!mayBeNotValid && notValid) {
      throw refused(kind, "NOT VALID");
    }
    if (!mayNotInherit && noInherit) {
      throw refused(kind, "NO INHERIT");
    }
  }

  private GaussException refused(String kind, String attribute) {
    return new GaussException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "%s constraints cannot be marked %s".formatted(kind, attribute))
        .position(start);
  }

  /** Reads those of a key or foreign key in a column's definition. */
  static ConstraintAttributes ofColumn(TokenCursor cursor) {
    ConstraintAttributes read = new ConstraintAttributes(cursor);
    while (read.nextOfColumn()) {}
    return read;
  }

  private boolean nextOfColumn() {
    int position = cursor.position();
    Boolean newDeferrable = acceptDeferrable();
    if (newDeferrable != null) {
      if (deferrable != null) {
        throw error("multiple DEFERRABLE/NOT DEFERRABLE clauses not allowed", position);
      }
      deferrable = newDeferrable;
    } else {
      Boolean newDeferred = acceptInitially();
      if (newDeferred == null) {
        return false;
      }
      if (deferred != null) {
        throw error("multiple INITIALLY IMMEDIATE/DEFERRED clauses not allowed", position);
      }
      deferred = newDeferred;
    }
    if (Boolean.FALSE.equals(deferrable) && Boolean.TRUE.equals(deferred)) {
      throw mustBeDeferrable(position);
    }
    return true;
  }

  /** Fails with 42601 when one is written in a column's definition where it belongs to nothing. */
  static void refuseMisplaced(TokenCursor cursor) {
    int position = cursor.position();
    ConstraintAttributes next = new ConstraintAttributes(cursor);
    Boolean deferrable = next.acceptDeferrable();
    Boolean deferred = deferrable == null ? next.acceptInitially() : null;
    if (deferrable != null) {
      String clause = deferrable ? "DEFERRABLE" : "NOT DEFERRABLE";
      throw error("misplaced %s clause".formatted(clause), position);
    }
    if (deferred != null) {
      String clause = deferred ? "INITIALLY DEFERRED" : "INITIALLY IMMEDIATE";
      throw error("misplaced %s clause".formatted(clause), position);
    }
  }

  private Boolean acceptDeferrable() {
    if (cursor.accept("deferrable")) {
      return true;
    }
    return cursor.accept("not", "deferrable") ? false : null;
  }

  private Boolean acceptInitially() {
    if (cursor.accept("initially", "deferred")) {
      return true;
    }
    return cursor.accept("initially", "immediate") ? false : null;
  }

  private static GaussException mustBeDeferrable(int position) {
    return error("constraint declared INITIALLY DEFERRED must be DEFERRABLE", position);
  }

  private static GaussException error(String message, int position) {
    return new GaussException(SqlState.SYNTAX_ERROR, message).position(position);
  }
}
