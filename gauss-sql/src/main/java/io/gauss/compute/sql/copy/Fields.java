package io.gauss.compute.sql.copy;

import io.gauss.compute.type.ByteSink;
import java.util.Arrays;

/**
 * The fields of one line: ranges of the line itself, or of a scratch array where escapes had to be
 * resolved. Valid until the next line.
 */
abstract class Fields {
  private static final int NULL = -1;

  final ByteSink scratch = new ByteSink(1024);
  private byte[] line;
  private int[] starts = new int[16];
  private int[] lengths = new int[16];
  private boolean[] resolved = new boolean[16];
  private int count;

  /** Splits the line [from, to) and returns the number of its fields, at least 1. */
  final int split(byte[] bytes, int from, int to) {
    line = bytes;
    count = 0;
    scratch.clear();
    splitLine(bytes, from, to);
    return count;
  }

  abstract void splitLine(byte[] bytes, int from, int to);

  /** Adds a field that is a range of the line. */
  final void add(int start, int length) {
    add(start, length, false);
  }

  /** Adds the field at the end of {@link #scratch}. */
  final void addResolved(int start) {
    add(start, scratch.length - start, true);
  }

  final void addNull() {
    add(0, NULL, false);
  }

  private void add(int start, int length, boolean inScratch) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      lengths = Arrays.copyOf(lengths, count * 2);
      resolved = Arrays.copyOf(resolved, count * 2);
    }
    starts[count] = start;
    lengths[count] = length;
    resolved[count] = inScratch;
    count++;
  }

  final boolean isNull(int field) {
    return lengths[field] == NULL;
  }

  final byte[] array(int field) {
    return resolved[field] ? scratch.array : line;
  }

  final int start(int field) {
    return starts[field];
  }

  final int length(int field) {
    return lengths[field];
  }

  static boolean isEqual(byte[] bytes, int from, int length, byte[] text) {
    return length == text.length && Arrays.equals(bytes, from, from + length, text, 0, text.length);
  }
}
