package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.EnumDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeLookup;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.type.EnumLabels;
import io.gauss.compute.type.PgType;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Names of types in DDL. They share a name space with tables and views, whose row types have their
 * names in PostgreSQL.
 */
final class TypeNaming {
  private final DdlContext ddl;

  TypeNaming(DdlContext ddl) {
    this.ddl = ddl;
  }

  /**
   * Looks up a type of CREATE TYPE or CREATE DOMAIN, whose owner the current role must be, and
   * keeps others from changing it.
   *
   * @param mode ACCESS_EXCLUSIVE waits for those who have used it in a definition, too
   * @throws GaussException 42704 when there is none, 42809 when it is another kind of type
   */
  TypeDef find(Name name, TableLockMode mode) {
    PgType before = lookUp(name);
    while (true) {
      requireMade(before);
      int oid = before.declaredOid();
      ddl.requireOwner(oid, "type", before.displayName());
      ddl.session.lockAccess(oid);
      ddl.transaction().lockTable(oid, mode);
      PgType after = lookUp(name);
      if (after.declaredOid() == oid) {
        return ddl.view().typeDef(oid);
      }
      before = after; // dropped or renamed while we waited for the lock
    }
  }

  private void requireMade(PgType type) {
    if (type.isUserDefined() && !type.isPlainArray()) {
      return;
    }
    if (type.isUserDefined()) {
      throw new GaussException(
              SqlState.WRONG_OBJECT_TYPE, "cannot alter array type " + type.displayName())
          .hint(
              "You can alter type %s, which will alter the array type as well."
                  .formatted(type.element().displayName()));
    }
    if (!ddl.session.access().isSuperuser(ddl.session.identity().current())) {
      throw new GaussException(
          SqlState.INSUFFICIENT_PRIVILEGE, "must be owner of type " + type.displayName());
    }
    throw GaussException.notSupported("changing a built-in type");
  }

  /**
   * The same of a type whose labels are to be changed.
   *
   * @throws GaussException 42704 when there is none, 42809 when it is another kind of type
   */
  EnumDef findEnum(Name name, TableLockMode mode) {
    requireLabels(lookUp(name));
    if (find(name, mode) instanceof EnumDef found) {
      return found;
    }
    throw new GaussException(
        SqlState.WRONG_OBJECT_TYPE, "%s is not an enum".formatted(lookUp(name).displayName()));
  }

  /**
   * The same without a lock: others may be changing it.
   *
   * @throws GaussException 42704 when there is none, 42809 when it is another kind of type
   */
  EnumDef seenEnum(Name name) {
    PgType type = lookUp(name);
    requireLabels(type);
    ddl.requireOwner(type.oid(), "type", type.displayName());
    return (EnumDef) ddl.view().typeDef(type.oid());
  }

  private static void requireLabels(PgType type) {
    if (!type.isEnum() || type.isDomain()) {
      throw new GaussException(
          SqlState.WRONG_OBJECT_TYPE, "%s is not an enum".formatted(type.displayName()));
    }
  }

  /**
   * The same of a domain.
   *
   * @param isQuoted whether the message of 42809 has the name in quotation marks
   * @throws GaussException 42704 when there is none, 42809 when it is another kind of type
   */
  DomainDef findDomain(Name name, TableLockMode mode, boolean isQuoted) {
    if (lookUp(name).isDomain() && find(name, mode) instanceof DomainDef found) {
      return found;
    }
    throw new GaussException(
        SqlState.WRONG_OBJECT_TYPE,
        isQuoted
            ? "\"%s\" is not a domain".formatted(name)
            : "%s is not a domain".formatted(lookUp(name).displayName()));
  }

  /**
   * @throws GaussException 42704 when there is no such type
   */
  PgType lookUp(Name name) {
    return lookUp(new TypeName(name.schema(), name.name(), List.of(), 0, null, 0));
  }

  /**
   * @throws GaussException 42704 when there is no such type
   */
  PgType lookUp(TypeName name) {
    ddl.requireSchemaUsage(new Name(name.schema(), name.name(), 0));
    try {
      return new TypeLookup(ddl.view(), ddl.searchPath()).find(name);
    } catch (GaussException e) {
      throw e.position(0);
    }
  }

  /** Prevents other sessions from taking the name; fails with 42710 when it is taken. */
  void lockFree(String schema, String name) {
    ddl.lockName(schema, name);
    if (isTaken(schema, name)) {
      throw exists(name);
    }
    yieldName(schema, name);
  }

  /** As in PostgreSQL, array types get other names when theirs are wanted. */
  private void yieldName(String schema, String name) {
    PgType array = ddl.view().type(List.of(), schema, name);
    if (array != null) {
      int oid = array.definitionOid();
      ddl.session.lockAccess(oid);
      // Read now: it may have got a label, or have been renamed or dropped, while we waited.
      TypeDef of = ddl.view().typeDef(oid);
      if (of != null && of.schema().equals(schema) && of.arrayName().equals(name)) {
        ddl.session.put(of.withName(of.schema(), of.name(), arrayName(schema, name)));
      }
    }
  }

  /**
   * The same for the name of a new table or view, which has been locked.
   *
   * @throws GaussException 42710 when a type has it
   */
  void checkFreeForNew(String schema, String name) {
    if (isType(schema, name)) {
      throw exists(name)
          .hint(
              "A relation has an associated type of the same name, so you must use a name that"
                  + " doesn't conflict with any existing type.");
    }
    yieldName(schema, name);
  }

  /** The same for the new name of a table or view. */
  void checkFreeForRenamed(String schema, String name) {
    if (isType(schema, name)) {
      throw exists(name);
    }
    yieldName(schema, name);
  }

  /** The same for a table or view that comes into the schema. */
  void checkFreeForMoved(String schema, String name) {
    if (isType(schema, name)) {
      throw existsIn(schema, name);
    }
    yieldName(schema, name);
  }

  static GaussException existsIn(String schema, String name) {
    return new GaussException(
        SqlState.DUPLICATE_OBJECT,
        "type \"%s\" already exists in schema \"%s\"".formatted(name, schema));
  }

  private static GaussException exists(String name) {
    return new GaussException(
        SqlState.DUPLICATE_OBJECT, "type \"%s\" already exists".formatted(name));
  }

  /** Whether a type that is no array, a table or a view has the name. */
  boolean isTaken(String schema, String name) {
    return isType(schema, name) || ddl.view().relation(List.of(), schema, name) != null;
  }

  private boolean isType(String schema, String name) {
    PgType type = ddl.view().type(List.of(), schema, name);
    return type != null && !type.isPlainArray();
  }

  /** A free name for the array type over a new type, which is locked. */
  String arrayName(String schema, String name) {
    String candidate = name;
    do {
      candidate = "_" + candidate;
      while (candidate.getBytes(StandardCharsets.UTF_8).length > EnumLabels.LABEL_BYTES) {
        candidate = candidate.substring(0, candidate.length() - 1);
      }
      ddl.lockName(schema, candidate);
    } while (ddl.view().type(List.of(), schema, candidate) != null
        || ddl.view().relation(List.of(), schema, candidate) != null);
    return candidate;
  }
}
