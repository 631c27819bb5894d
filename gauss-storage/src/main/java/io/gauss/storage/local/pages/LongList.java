package io.gauss.storage.local.pages;

import java.util.Arrays;

/** A growing array of longs that is used again and again. Not thread-safe. */
final class LongList {
  private long[] values = new long[64];
  private int size;

  void clear() {
    size = 0;
  }

  void add(long value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  long get(int index) {
    return values[index];
  }

  void set(int index, long value) {
    values[index] = value;
  }

  int size() {
    return size;
  }

  void sort() {
    Arrays.sort(values, 0, size);
  }

  void truncate(int newSize) {
    size = newSize;
  }
}
