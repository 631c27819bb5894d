package io.gauss.compute.catalog;

/** A sequence's definition; its values come from {@code Sequences}. */
public record SequenceDef(
    int oid,
    String schema,
    String name,
    long start,
    long increment,
    long minValue,
    long maxValue,
    long cache,
    boolean cycle,
    int ownerTableOid,
    int ownerColumn)
    implements CatalogObject {}
