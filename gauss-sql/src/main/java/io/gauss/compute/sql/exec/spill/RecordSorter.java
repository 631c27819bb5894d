package io.gauss.compute.sql.exec.spill;

import io.gauss.compute.type.ByteSink;
import java.util.Arrays;

/**
 * Sorts records {@code [4 bytes key length][key][payload]} by key, stable. In memory it is a
 * bottom-up merge sort over record handles with the first eight key bytes beside them; above the
 * budget, sorted runs go to disk and are merged, at most {@link #MAX_RUNS} at a time.
 */
public final class RecordSorter {
  private static final int MAX_RUNS = 32;
  private static final int HANDLES_KEPT = 4096; // for the next use

  /**
   * A top-N is cut when it has this many rows more than twice the number to keep. It is small, so
   * that the bound is known early when few rows are kept.
   */
  private static final int CUT_SLACK = 16;

  private final ByteArena arena = new ByteArena();
  private final ByteSink merged = new ByteSink();
  private long[] handles = new long[64];
  private long[] prefixes = new long[64];
  private long[] handleScratch = new long[0];
  private long[] prefixScratch = new long[0];
  private int count;
  private WorkMemory memory;
  private SpillFile[] runs = new SpillFile[0];
  private int runCount;
  private long spilledBytes;

  /** Rows to keep, {@link Long#MAX_VALUE} for all. */
  private long keep;

  /** Key that a record must be below to be among the rows to keep; valid when {@link #hasCut}. */
  private final ByteSink cut = new ByteSink();

  private boolean hasCut;

  /** Sequential output: position in memory, or the merge. */
  private int position;

  private RunMerge merge;

  public void reset(WorkMemory newMemory, long keepRows) {
    close();
    memory = newMemory;
    keep = keepRows;
    arena.clear();
    count = 0;
    position = 0;
    hasCut = false;
    spilledBytes = 0;
  }

  public long spilledBytes() {
    return spilledBytes;
  }

  /**
   * Whether a record with this key, which starts behind the 4 length bytes, is certainly not among
   * the rows to keep. Checked first, because then most rows of a top-N need no payload.
   */
  public boolean isBeyondCut(byte[] record, int keyLength) {
    return hasCut
        && Arrays.compareUnsigned(record, 4, 4 + keyLength, cut.array, 0, cut.length) >= 0;
  }

  /** Adds a record; its key starts behind the 4 bytes with the key's length. */
  public void add(byte[] record, int length) {
    if (keep == Long.MAX_VALUE
        && count > 0
        && arena.bytes() + length + count * 32L > memory.workMemoryBytes()) {
      spillRun();
    }
    if (count == handles.length) {
      handles = Arrays.copyOf(handles, count * 2);
      prefixes = Arrays.copyOf(prefixes, count * 2);
    }
    handles[count] = arena.add(record, 0, length);
    count++;
    if (keep != Long.MAX_VALUE && count >= 2 * keep + CUT_SLACK) {
      cutToKept();
    }
  }

  /** Whether a top-N of this many rows is better than sorting all. */
  public static boolean worthTopN(long rows) {
    return rows <= 10_000;
  }

  /**
   * Sorts the rows so far, keeps the first ones and records the last kept key as the bound for
   * later rows.
   */
  private void cutToKept() {
    sort();
    int kept = (int) keep;
    ByteSink copy = new ByteSink((int) Math.min(1 << 20, arena.bytes()));
    int[] lengths = new int[kept];
    for (int i = 0; i < kept; i++) {
      byte[] array = arena.array(handles[i]);
      int offset = ByteArena.offset(handles[i]);
      lengths[i] = arena.length(handles[i]);
      copy.putBytes(array, offset, lengths[i]);
    }
    arena.clear();
    count = 0;
    cut.clear();
    hasCut = false;
    int at = 0;
    for (int i = 0; i < kept; i++) {
      handles[i] = arena.add(copy.array, at, lengths[i]);
      at += lengths[i];
    }
    count = kept;
    if (kept > 0) {
      byte[] array = arena.array(handles[kept - 1]);
      int offset = ByteArena.offset(handles[kept - 1]);
      cut.putBytes(array, offset + 4, ByteSink.getIntLe(array, offset));
    }
    hasCut = true;
  }

  private static long prefix(byte[] record, int offset, int keyLength) {
    long prefix = 0;
    int n = Math.min(8, keyLength);
    for (int i = 0; i < n; i++) {
      prefix |= (record[offset + i] & 0xFFL) << (56 - 8 * i);
    }
    return prefix;
  }

  private void spillRun() {
    sort();
    SpillFile run = new SpillFile(memory);
    addRun(run);
    for (int i = 0; i < count; i++) {
      run.add(arena.array(handles[i]), ByteArena.offset(handles[i]), arena.length(handles[i]));
    }
    spilledBytes += run.bytes();
    arena.clear();
    count = 0;
    if (runCount == MAX_RUNS) {
      mergeRuns();
    }
  }

  private void addRun(SpillFile run) {
    if (runCount == runs.length) {
      runs = Arrays.copyOf(runs, Math.max(4, runCount * 2));
    }
    runs[runCount++] = run;
  }

  private void mergeRuns() {
    SpillFile all = new SpillFile(memory);
    try {
      RunMerge merging = new RunMerge(runs, runCount);
      while (merging.next(merged)) {
        all.add(merged.array, 0, merged.length);
      }
    } catch (RuntimeException e) {
      all.close();
      throw e;
    }
    spilledBytes += all.bytes();
    closeRuns();
    addRun(all);
  }

  /** Ends adding; {@link #next} reads in order from now on. */
  public void finish() {
    if (runCount == 0) {
      sort();
    } else {
      if (count > 0) {
        spillRun();
      }
      merge = new RunMerge(runs, runCount);
    }
    position = 0;
  }

  /**
   * Reads the next record.
   *
   * @return the array that holds it, from {@link #recordOffset}; null at the end
   */
  public byte[] next() {
    if (merge != null) {
      recordOffset = 0;
      return merge.next(merged) ? merged.array : null;
    }
    if (position == count) {
      return null;
    }
    long handle = handles[position++];
    recordOffset = ByteArena.offset(handle);
    return arena.array(handle);
  }

  private int recordOffset;

  public int recordOffset() {
    return recordOffset;
  }

  private int compare(long leftPrefix, long left, long rightPrefix, long right) {
    int order = Long.compareUnsigned(leftPrefix, rightPrefix);
    if (order != 0) {
      return order;
    }
    byte[] a = arena.array(left);
    byte[] b = arena.array(right);
    int ao = ByteArena.offset(left);
    int bo = ByteArena.offset(right);
    return Arrays.compareUnsigned(
        a, ao + 4, ao + 4 + ByteSink.getIntLe(a, ao), b, bo + 4, bo + 4 + ByteSink.getIntLe(b, bo));
  }

  private void sort() {
    if (handleScratch.length < count) {
      handleScratch = new long[handles.length];
      prefixScratch = new long[handles.length];
    }
    for (int i = 0; i < count; i++) {
      byte[] array = arena.array(handles[i]);
      int offset = ByteArena.offset(handles[i]);
      prefixes[i] = prefix(array, offset + 4, ByteSink.getIntLe(array, offset));
    }
    if (isSorted()) {
      return;
    }
    insertionSortBlocks();
    for (int width = BLOCK; width < count; width *= 2) {
      for (int low = 0; low < count; low += 2 * width) {
        mergeInto(low, Math.min(low + width, count), Math.min(low + 2 * width, count));
      }
      long[] swap = handles;
      handles = handleScratch;
      handleScratch = swap;
      swap = prefixes;
      prefixes = prefixScratch;
      prefixScratch = swap;
    }
  }

  /** Rows often come in the order of a number or a time that rose while they were written. */
  private boolean isSorted() {
    for (int i = 1; i < count; i++) {
      if (compare(prefixes[i - 1], handles[i - 1], prefixes[i], handles[i]) > 0) {
        return false;
      }
    }
    return true;
  }

  private static final int BLOCK = 16;

  private void insertionSortBlocks() {
    for (int low = 0; low < count; low += BLOCK) {
      int high = Math.min(low + BLOCK, count);
      for (int i = low + 1; i < high; i++) {
        long handle = handles[i];
        long prefix = prefixes[i];
        int j = i - 1;
        while (j >= low && compare(prefixes[j], handles[j], prefix, handle) > 0) {
          handles[j + 1] = handles[j];
          prefixes[j + 1] = prefixes[j];
          j--;
        }
        handles[j + 1] = handle;
        prefixes[j + 1] = prefix;
      }
    }
  }

  private void mergeInto(int low, int middle, int high) {
    if (middle == high
        || compare(prefixes[middle - 1], handles[middle - 1], prefixes[middle], handles[middle])
            <= 0) {
      System.arraycopy(handles, low, handleScratch, low, high - low);
      System.arraycopy(prefixes, low, prefixScratch, low, high - low);
      return;
    }
    int left = low;
    int right = middle;
    for (int to = low; to < high; to++) {
      boolean takeLeft =
          left < middle
              && (right >= high
                  || compare(prefixes[left], handles[left], prefixes[right], handles[right]) <= 0);
      int from = takeLeft ? left++ : right++;
      handleScratch[to] = handles[from];
      prefixScratch[to] = prefixes[from];
    }
  }

  private void closeRuns() {
    for (int i = 0; i < runCount; i++) {
      runs[i].close();
      runs[i] = null;
    }
    runCount = 0;
  }

  public void close() {
    merge = null;
    closeRuns();
    arena.release();
    if (handles.length > HANDLES_KEPT) {
      handles = new long[HANDLES_KEPT];
      prefixes = new long[HANDLES_KEPT];
      handleScratch = new long[0];
      prefixScratch = new long[0];
    }
  }

  /** Merges sorted runs; of equal keys the one from the earlier run comes first. */
  private static final class RunMerge {
    private final SpillFile[] files;
    private final ByteSink[] heads;

    /** Run numbers as a binary heap by head key, then run number. */
    private final int[] heap;

    private int size;

    RunMerge(SpillFile[] runs, int runCount) {
      files = Arrays.copyOf(runs, runCount);
      heads = new ByteSink[runCount];
      heap = new int[runCount];
      for (int run = 0; run < runCount; run++) {
        heads[run] = new ByteSink();
        files[run].rewind();
        if (files[run].read(heads[run])) {
          heap[size++] = run;
        }
      }
      for (int i = size / 2 - 1; i >= 0; i--) {
        siftDown(i);
      }
    }

    boolean next(ByteSink out) {
      if (size == 0) {
        return false;
      }
      int run = heap[0];
      out.clear();
      out.putBytes(heads[run].array, 0, heads[run].length);
      if (!files[run].read(heads[run])) {
        heap[0] = heap[--size];
      }
      siftDown(0);
      return true;
    }

    private void siftDown(int start) {
      int i = start;
      while (true) {
        int smallest = i;
        for (int child = 2 * i + 1; child <= 2 * i + 2 && child < size; child++) {
          if (less(heap[child], heap[smallest])) {
            smallest = child;
          }
        }
        if (smallest == i) {
          return;
        }
        int swap = heap[i];
        heap[i] = heap[smallest];
        heap[smallest] = swap;
        i = smallest;
      }
    }

    private boolean less(int a, int b) {
      byte[] x = heads[a].array;
      byte[] y = heads[b].array;
      int order =
          Arrays.compareUnsigned(
              x, 4, 4 + ByteSink.getIntLe(x, 0), y, 4, 4 + ByteSink.getIntLe(y, 0));
      return order != 0 ? order < 0 : a < b;
    }
  }
}
