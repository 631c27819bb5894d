package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.CatalogView;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import io.gauss.compute.type.StoredTypes;
import java.util.List;

/** Finds the types that statements name: built-in ones, and those of CREATE TYPE. */
public final class TypeLookup {
  private static final String CATALOG = "pg_catalog";

  private final CatalogView catalog;
  private final List<String> searchPath;

  /**
   * @param searchPath schemas in which types without a schema are looked for, after the built-in
   *     ones
   */
  public TypeLookup(CatalogView catalog, List<String> searchPath) {
    this.catalog = catalog;
    this.searchPath = searchPath;
  }

  /** A name by which {@link #find} finds the type, whatever the search path. */
  public static TypeName nameOf(PgType type) {
    return type.isUserDefined()
        ? new TypeName(CATALOG, StoredTypes.name(type.declaredOid()), List.of(), 0, null, 0)
        : new TypeName(null, type.name(), List.of(), 0, null, 0);
  }

  /**
   * @throws GaussException 42704 when there is no such type, 0A000 when PostgreSQL has it and Gauss
   *     does not
   */
  public PgType find(TypeName name) {
    try {
      if (name.intervalFields() != null) {
        throw GaussException.notSupported("interval with a field restriction");
      }
      PgType made = made(name);
      return made == null ? builtIn(name) : made;
    } catch (GaussException e) {
      throw e.position() > 0 ? e : e.position(name.position());
    }
  }

  private static PgType builtIn(TypeName name) {
    return PgTypes.byName(
        name.name() + "[]".repeat(Math.min(1, name.arrayDimensions())),
        name.modifiers().stream().mapToInt(Integer::intValue).toArray());
  }

  /** A type of CREATE TYPE; null when the name is one of a built-in type, or of none. */
  private PgType made(TypeName name) {
    PgType found;
    if (name.schema() == null) {
      if (PgTypes.byNameOrNull(name.name()) != null) {
        return null;
      }
      found = catalog.type(searchPath, null, name.name());
    } else if (name.schema().equals(CATALOG)) {
      int oid = StoredTypes.oid(name.name());
      found = oid == 0 ? null : catalog.type(oid);
    } else {
      if (!catalog.schemaExists(name.schema())) {
        throw new GaussException(
            SqlState.INVALID_SCHEMA_NAME, "schema \"%s\" does not exist".formatted(name.schema()));
      }
      found = catalog.type(searchPath, name.schema(), name.name());
      if (found == null) {
        throw new GaussException(
            SqlState.UNDEFINED_OBJECT,
            "type \"%s.%s%s\" does not exist"
                .formatted(
                    name.schema(), name.name(), "[]".repeat(Math.min(1, name.arrayDimensions()))));
      }
    }
    if (found != null && !name.modifiers().isEmpty()) {
      throw new GaussException(
          SqlState.SYNTAX_ERROR,
          "type modifier is not allowed for type \"%s\"".formatted(name.name()));
    }
    if (found == null || name.arrayDimensions() == 0 || found.isPlainArray()) {
      return found;
    }
    PgType array = found.array();
    if (array == null) {
      throw GaussException.notSupported("an array of a domain over an array");
    }
    return array;
  }
}
