package io.gauss.compute.sql.exec.window;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.sql.exec.row.KeyWriter;
import io.gauss.compute.type.ByteSink;
import java.util.Arrays;

/** The rows of one partition of a window, in order, and which of them are peers. */
final class WindowPartition {
  final RowBatch rows;

  /** By row: the first row with the same order values. */
  final int[] firstPeer;

  /** By row: the row after the last row with the same order values. */
  final int[] endOfPeers;

  /**
   * @param order null = all rows are peers
   */
  WindowPartition(RowBatch rows, KeyWriter order) {
    this.rows = rows;
    int size = rows.size;
    firstPeer = new int[size];
    endOfPeers = new int[size];
    if (order == null) {
      Arrays.fill(endOfPeers, size);
      return;
    }
    ByteSink key = new ByteSink();
    ByteSink previous = new ByteSink();
    int first = 0;
    for (int row = 0; row < size; row++) {
      key.clear();
      order.write(rows, row, key);
      boolean same =
          row > 0 && Arrays.equals(key.array, 0, key.length, previous.array, 0, previous.length);
      if (!same) {
        Arrays.fill(endOfPeers, first, row, row);
        first = row;
        previous.clear();
        previous.putBytes(key.array, 0, key.length);
      }
      firstPeer[row] = first;
    }
    Arrays.fill(endOfPeers, first, size, size);
  }

  int size() {
    return rows.size;
  }
}
