package io.gauss.compute.catalog;

/** What the catalog keeps: immutable definitions with an oid, replaced as a whole. */
public sealed interface CatalogObject
    permits TableDef, ViewDef, SequenceDef, SchemaDef, RoleDef, AccessDef, CommentDef {
  int oid();
}
