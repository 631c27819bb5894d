package io.gauss.compute.catalog;

/** An object of the catalog: an immutable definition with an oid, replaced as a whole. */
public sealed interface CatalogObject
    permits TableDef, ViewDef, SequenceDef, SchemaDef, RoleDef, AccessDef, CommentDef, TypeDef {
  int oid();
}
