package io.gauss.compute.ddl;

import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.sql.parse.PgStatement.Name;

/** Gives types, which have been found and locked, other names. */
final class TypeMover {
  private final DdlContext ddl;
  private final TypeNaming naming;

  TypeMover(DdlContext ddl) {
    this.ddl = ddl;
    this.naming = new TypeNaming(ddl);
  }

  void rename(TypeDef type, String newName) {
    ddl.requireCreate(type.schema());
    naming.lockFree(type.schema(), newName);
    put(type, type.schema(), newName);
  }

  /**
   * As PostgreSQL, looks at the new schema before it asks who owns the type.
   *
   * @throws io.gauss.common.error.GaussException 42704 when there is no such type, 3F000 or 42501
   *     when there is no such schema or the role may not create in it
   */
  void checkSchema(Name type, String newSchema) {
    naming.lookUp(type);
    ddl.creationSchema(new Name(newSchema, type.name(), 0));
  }

  void move(TypeDef type, String newSchema) {
    String schema = ddl.creationSchema(new Name(newSchema, type.name(), 0));
    if (schema.equals(type.schema())) {
      return;
    }
    ddl.lockName(schema, type.name());
    if (naming.isTaken(schema, type.name())) {
      throw TypeNaming.existsIn(schema, type.name());
    }
    put(type, schema, type.name());
  }

  private void put(TypeDef type, String schema, String name) {
    ddl.session.put(type.withName(schema, name, naming.arrayName(schema, name)));
  }
}
