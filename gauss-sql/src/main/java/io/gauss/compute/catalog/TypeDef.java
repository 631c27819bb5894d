package io.gauss.compute.catalog;

import io.gauss.compute.type.PgType;

/** A type that a statement has made, and the array type over it. Immutable. */
public sealed interface TypeDef extends CatalogObject permits EnumDef, DomainDef {
  /** Oid of the array type. */
  int arrayOid();

  String schema();

  String name();

  /** Name of the array type, which is in the same schema. */
  String arrayName();

  /** The type of values. */
  PgType type();

  /** The same type with other names. */
  TypeDef withName(String newSchema, String newName, String newArrayName);
}
