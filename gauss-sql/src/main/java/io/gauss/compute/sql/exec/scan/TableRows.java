package io.gauss.compute.sql.exec.scan;

import io.gauss.compute.sql.exec.Operator;
import io.gauss.compute.sql.exec.node.FullScanNode;
import io.gauss.compute.sql.exec.node.PlanNode;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.type.PgType;
import java.util.Arrays;

/** A scan of whole rows with their keys, for DDL. */
public final class TableRows {
  private TableRows() {}

  /** Columns in table order, then the row's key. */
  public static Operator scan(TableHandle table) {
    return scan(table, table.allColumns());
  }

  /**
   * The same, but without values in the columns that are not used.
   *
   * @param used by column of the table
   */
  public static Operator scan(TableHandle table, boolean[] used) {
    int[] columns = table.allColumns().clone();
    for (int i = 0; i < columns.length; i++) {
      if (!used[i]) {
        columns[i] = PlanNode.UNREAD;
      }
    }
    return scan(table, columns);
  }

  private static Operator scan(TableHandle table, int[] read) {
    int count = table.types().length;
    int[] columns = Arrays.copyOf(read, count + 1);
    columns[count] = PlanNode.ROW_KEY;
    PgType[] types = Arrays.copyOf(table.types(), count + 1);
    types[count] = PgType.BYTEA;
    return new RangeScanOperator(new FullScanNode(table.def(), columns, types, null));
  }
}
