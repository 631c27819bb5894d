package io.gauss.compute.catalog;

/** A schema: a namespace of tables, indexes and sequences. */
public record SchemaDef(int oid, String name) implements CatalogObject {}
