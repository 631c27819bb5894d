package io.gauss.compute.catalog;

/**
 * The result of ANALYZE for one table, valid for any definition that the table gets later.
 *
 * @param columnNumbers attnums of the columns that the statistics are about, in their order
 */
public record CollectedStatistics(int tableOid, TableStatistics statistics, int[] columnNumbers) {

  public static CollectedStatistics of(TableDef analyzed, TableStatistics statistics) {
    int[] numbers = new int[analyzed.columns().size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = analyzed.columns().get(i).number();
    }
    return new CollectedStatistics(analyzed.oid(), statistics, numbers);
  }

  TableDef putInto(TableDef table) {
    return table.withStatistics(statistics, columnNumbers);
  }
}
