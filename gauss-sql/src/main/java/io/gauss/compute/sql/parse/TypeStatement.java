package io.gauss.compute.sql.parse;

import io.gauss.compute.sql.parse.PgStatement.DropBehavior;
import io.gauss.compute.sql.parse.PgStatement.Name;
import java.util.List;

/** Statements about types, as they were written. */
public sealed interface TypeStatement {

  /** CREATE TYPE ... AS ENUM. */
  record CreateEnum(Name name, List<String> labels) implements TypeStatement {}

  /**
   * ALTER TYPE ... ADD VALUE.
   *
   * @param neighbour label beside which the new one is put; null = after all others
   * @param after false = BEFORE
   */
  record AddValue(Name name, String label, boolean ifNotExists, String neighbour, boolean after)
      implements TypeStatement {}

  /** ALTER TYPE ... RENAME VALUE. */
  record RenameValue(Name name, String label, String newLabel) implements TypeStatement {}

  /** ALTER TYPE ... RENAME TO. */
  record RenameType(Name name, String newName) implements TypeStatement {}

  /** ALTER TYPE ... SET SCHEMA. */
  record MoveType(Name name, String newSchema) implements TypeStatement {}

  /** DROP TYPE. */
  record DropType(List<TypeName> names, boolean ifExists, DropBehavior behavior)
      implements TypeStatement {}
}
