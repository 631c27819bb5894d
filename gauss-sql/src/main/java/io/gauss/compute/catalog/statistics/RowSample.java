package io.gauss.compute.catalog.statistics;

import io.gauss.common.memory.Memory;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Rows picked at random from those offered, each with the same probability (reservoir sampling,
 * Vitter's algorithm R). Bounded in rows and in bytes: when the bytes exceed their bound, the
 * sample continues with half as many rows. Not thread-safe.
 */
final class RowSample {
  private final RandomGenerator random;
  private final long bytesMax;
  private final List<byte[]> rows = new ArrayList<>();
  private int rowsMax;
  private long bytes;
  private long seen;

  RowSample(int rowsMax, long bytesMax, RandomGenerator random) {
    this.rowsMax = rowsMax;
    this.bytesMax = bytesMax;
    this.random = random;
  }

  /** Offers a row, which is copied only if it is picked. */
  void offer(long address, int length) {
    long place = seen < rowsMax ? rows.size() : random.nextLong(seen + 1);
    seen++;
    if (place >= rowsMax) {
      return;
    }
    byte[] row = new byte[length];
    Memory.copyOut(address, row, 0, length);
    bytes += length;
    if (place < rows.size()) {
      bytes -= rows.get((int) place).length;
      rows.set((int) place, row);
    } else {
      rows.add(row);
    }
    while (bytes > bytesMax && rows.size() > 1) {
      halve();
    }
  }

  private void halve() {
    int keep = rows.size() / 2;
    while (rows.size() > keep) {
      int victim = random.nextInt(rows.size());
      byte[] last = rows.removeLast();
      bytes -= victim < rows.size() ? rows.set(victim, last).length : last.length;
    }
    rowsMax = Math.max(1, keep);
  }

  /** Rows offered so far. */
  long seen() {
    return seen;
  }

  List<byte[]> rows() {
    return rows;
  }
}
