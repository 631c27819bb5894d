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
    implements CatalogObject {

  /** Whether values in hand of this sequence are also valid for another definition of it. */
  public boolean countsLike(CatalogObject other) {
    return other instanceof SequenceDef that
        && increment == that.increment
        && minValue == that.minValue
        && maxValue == that.maxValue
        && cycle == that.cycle;
  }

  public SequenceDef withName(String newSchema, String newName) {
    return new SequenceDef(
        oid,
        newSchema,
        newName,
        start,
        increment,
        minValue,
        maxValue,
        cache,
        cycle,
        ownerTableOid,
        ownerColumn);
  }

  /**
   * @param column position in the table, as it is now
   */
  public SequenceDef withOwner(int tableOid, int column) {
    return new SequenceDef(
        oid, schema, name, start, increment, minValue, maxValue, cache, cycle, tableOid, column);
  }
}
