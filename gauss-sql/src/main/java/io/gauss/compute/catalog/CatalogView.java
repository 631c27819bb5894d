package io.gauss.compute.catalog;

import io.gauss.compute.type.PgType;
import java.util.Collection;
import java.util.List;

/**
 * Schema objects as of one schema version, for look-ups by binder, planner and plan cache.
 * Immutable, cheap to get.
 */
public interface CatalogView {
  /** Increases with every committed DDL; part of the plan key. */
  long version();

  /**
   * Finds a table by name along the search path when {@code schema} is null; null when there is
   * none.
   */
  TableDef table(List<String> searchPath, String schema, String name);

  TableDef table(int oid);

  SequenceDef sequence(List<String> searchPath, String schema, String name);

  SequenceDef sequence(int oid);

  /**
   * Finds the table or view that a name in FROM means; null when there is none.
   *
   * @param schema null = along the search path
   */
  default CatalogObject relation(List<String> searchPath, String schema, String name) {
    return table(searchPath, schema, name);
  }

  /** As {@link #relation}, but null also when the name means a table. */
  default ViewDef view(List<String> searchPath, String schema, String name) {
    return null;
  }

  default ViewDef view(int oid) {
    return null;
  }

  default Collection<ViewDef> views() {
    return List.of();
  }

  /**
   * Finds a type that CREATE TYPE has made, or an array of one, by its name in pg_type; null when
   * there is none.
   *
   * @param schema null = along the search path
   */
  default PgType type(List<String> searchPath, String schema, String name) {
    return null;
  }

  /** The same by its oid. */
  default PgType type(int oid) {
    return null;
  }

  /** Whether CREATE TYPE has made any. */
  default boolean hasTypes() {
    return false;
  }

  /** A table or a view; null when there is none. */
  default CatalogObject object(int oid) {
    return table(oid);
  }

  Collection<TableDef> tables();

  Collection<SequenceDef> sequences();

  boolean schemaExists(String schema);

  /** Null when there is none. */
  default SchemaDef schema(String name) {
    return null;
  }

  /** Null when there is none. */
  default RoleDef role(int oid) {
    return null;
  }

  /** Null when there is none. */
  default RoleDef role(String name) {
    return null;
  }

  /** Owner and privileges of an object; null when they are the initial ones. */
  default AccessDef access(int objectOid) {
    return null;
  }
}
