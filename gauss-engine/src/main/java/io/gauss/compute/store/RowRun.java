package io.gauss.compute.store;

import java.util.Arrays;

/**
 * Rows to be inserted together, each with its key, for {@link VersionedTree#insert(
 * io.gauss.compute.txn.Transaction, RowRun)}. Rows that were not added in the order of their keys
 * are sorted when they are inserted. Keeps its memory when it is cleared, up to a bound. Not
 * thread-safe.
 */
public final class RowRun {
  private static final int KEPT_BYTES_MAX = 1 << 20;
  private static final int INITIAL_ROWS = 64;

  // Key and row of each, one behind the other.
  private byte[] bytes = new byte[4096];
  private int end;
  private int[] starts = new int[INITIAL_ROWS];
  private int[] keyLengths = new int[INITIAL_ROWS];
  private int[] rowLengths = new int[INITIAL_ROWS];
  private int count;
  private int longestKey;

  // By position in key order: the row's number. Used when the rows came in another order.
  private int[] order = new int[0];
  private int[] scratch = new int[0];
  private boolean ascending = true;

  /** Adds a copy of a row. */
  public void add(
      byte[] key, int keyOffset, int keyLength, byte[] row, int rowOffset, int rowLength) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      keyLengths = Arrays.copyOf(keyLengths, count * 2);
      rowLengths = Arrays.copyOf(rowLengths, count * 2);
    }
    int newEnd = Math.addExact(Math.addExact(end, keyLength), rowLength);
    if (newEnd > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(newEnd, (int) Math.min(2L * bytes.length, 1 << 30)));
    }
    System.arraycopy(key, keyOffset, bytes, end, keyLength);
    System.arraycopy(row, rowOffset, bytes, end + keyLength, rowLength);
    starts[count] = end;
    keyLengths[count] = keyLength;
    rowLengths[count] = rowLength;
    longestKey = Math.max(longestKey, keyLength);
    end = newEnd;
    if (ascending && count > 0) {
      ascending = compare(count - 1, count) < 0;
    }
    count++;
  }

  int count() {
    return count;
  }

  /** Bytes of all keys and rows. */
  public int size() {
    return end;
  }

  /** The array that holds the rows; it may be another one once more rows are added. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where in {@link #bytes} a row begins, counted in the order in which rows were added. */
  public int rowOffset(int added) {
    return starts[added] + keyLengths[added];
  }

  /** Length of a row, counted as in {@link #rowOffset}. */
  public int rowBytes(int added) {
    return rowLengths[added];
  }

  public void clear() {
    if (bytes.length > KEPT_BYTES_MAX) {
      bytes = new byte[4096];
    }
    end = 0;
    count = 0;
    longestKey = 0;
    ascending = true;
  }

  int longestKey() {
    return longestKey;
  }

  /** Makes positions count in the order of keys; rows of equal keys stay in the order they came. */
  void sort() {
    if (ascending) {
      return;
    }
    if (order.length < count) {
      order = new int[starts.length];
      scratch = new int[starts.length];
    }
    for (int i = 0; i < count; i++) {
      order[i] = i;
    }
    for (int width = 1; width < count; width *= 2) {
      for (int low = 0; low < count; low += 2 * width) {
        merge(low, Math.min(low + width, count), Math.min(low + 2 * width, count));
      }
      int[] sorted = scratch;
      scratch = order;
      order = sorted;
    }
  }

  private void merge(int low, int middle, int high) {
    if (middle >= high || compare(order[middle - 1], order[middle]) <= 0) {
      System.arraycopy(order, low, scratch, low, high - low);
      return;
    }
    int left = low;
    int right = middle;
    for (int to = low; to < high; to++) {
      boolean takeLeft =
          right >= high || (left < middle && compare(order[left], order[right]) <= 0);
      scratch[to] = order[takeLeft ? left++ : right++];
    }
  }

  private int compare(int a, int b) {
    return Arrays.compareUnsigned(
        bytes, starts[a], starts[a] + keyLengths[a], bytes, starts[b], starts[b] + keyLengths[b]);
  }

  private int index(int position) {
    return ascending ? position : order[position];
  }

  /** Where in {@link #bytes} the key at a position begins. */
  int keyStart(int position) {
    return starts[index(position)];
  }

  int keyLength(int position) {
    return keyLengths[index(position)];
  }

  int rowStart(int position) {
    int index = index(position);
    return starts[index] + keyLengths[index];
  }

  int rowLength(int position) {
    return rowLengths[index(position)];
  }

  /** Whether a key equals the one before it. */
  boolean repeatsKey(int position) {
    return position > 0 && compare(index(position - 1), index(position)) == 0;
  }
}
