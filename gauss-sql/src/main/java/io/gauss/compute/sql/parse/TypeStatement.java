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

  /**
   * DROP TYPE and DROP DOMAIN.
   *
   * @param isDomain DOMAIN was written
   */
  record DropType(boolean isDomain, List<TypeName> names, boolean ifExists, DropBehavior behavior)
      implements TypeStatement {}

  /**
   * CREATE DOMAIN.
   *
   * @param collation null = none was written
   * @param defaultSql null = none
   */
  record CreateDomain(
      Name name,
      TypeName base,
      String collation,
      String defaultSql,
      boolean notNull,
      List<DomainCheck> checks)
      implements TypeStatement {}

  /**
   * A CHECK of a domain.
   *
   * @param name null = it was given none
   * @param notValid values that exist are not looked at
   */
  record DomainCheck(String name, String sql, boolean notValid) {}

  /** ALTER DOMAIN. */
  record AlterDomain(Name name, DomainAction action) implements TypeStatement {}

  /** What ALTER DOMAIN does. */
  sealed interface DomainAction {
    /**
     * SET and DROP DEFAULT.
     *
     * @param sql null = DROP
     */
    record SetDefault(String sql) implements DomainAction {}

    /** SET and DROP NOT NULL. */
    record SetNotNull(boolean notNull) implements DomainAction {}

    /** ADD CONSTRAINT. */
    record AddConstraint(DomainCheck check) implements DomainAction {}

    /** DROP CONSTRAINT. */
    record DropConstraint(String name, boolean ifExists, DropBehavior behavior)
        implements DomainAction {}

    /** VALIDATE CONSTRAINT. */
    record Validate(String name) implements DomainAction {}

    /** RENAME CONSTRAINT. */
    record RenameConstraint(String name, String newName) implements DomainAction {}

    /** RENAME TO. */
    record Rename(String newName) implements DomainAction {}

    /** SET SCHEMA. */
    record Move(String newSchema) implements DomainAction {}
  }
}
