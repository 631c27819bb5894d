package io.gauss.compute.sql.exec.spill;

import io.gauss.compute.type.ByteSink;
import java.util.Arrays;

/**
 * A hash table from key bytes to records {@code [4 bytes key length][key][payload]}; several
 * records may have the same key. Entries are numbered in order of insertion. Not thread-safe.
 */
public final class KeyedTable {
  private static final int FIRST_BUCKETS = 64;
  private static final int BYTES_KEPT = 64 << 10;

  private final ByteArena arena = new ByteArena();
  private int[] buckets = new int[FIRST_BUCKETS];
  private int[] next = new int[FIRST_BUCKETS];
  private long[] hashes = new long[FIRST_BUCKETS];
  private long[] handles = new long[FIRST_BUCKETS];
  private int size;

  public KeyedTable() {
    Arrays.fill(buckets, -1);
  }

  public void clear() {
    if (buckets.length > 1 << 16) {
      buckets = new int[FIRST_BUCKETS];
      next = new int[FIRST_BUCKETS];
      hashes = new long[FIRST_BUCKETS];
      handles = new long[FIRST_BUCKETS];
    }
    Arrays.fill(buckets, -1);
    arena.clear();
    size = 0;
  }

  /** Frees what would be much to keep for a use that may never come; its records are lost. */
  public void release() {
    if (bytes() > BYTES_KEPT) {
      clear();
    }
  }

  public int size() {
    return size;
  }

  /** Memory in use, bytes. */
  public long bytes() {
    return arena.bytes() + size * 28L;
  }

  /** Adds a record that starts with its key's length and key; returns its number. */
  public int add(long hash, byte[] record, int length) {
    if (size == handles.length) {
      grow();
    }
    int entry = size++;
    int bucket = bucket(hash);
    hashes[entry] = hash;
    handles[entry] = arena.add(record, 0, length);
    next[entry] = buckets[bucket];
    buckets[bucket] = entry;
    return entry;
  }

  private int bucket(long hash) {
    return (int) hash & (buckets.length - 1);
  }

  private void grow() {
    int capacity = size * 2;
    hashes = Arrays.copyOf(hashes, capacity);
    handles = Arrays.copyOf(handles, capacity);
    next = new int[capacity];
    buckets = new int[capacity];
    Arrays.fill(buckets, -1);
    for (int entry = 0; entry < size; entry++) {
      int bucket = bucket(hashes[entry]);
      next[entry] = buckets[bucket];
      buckets[bucket] = entry;
    }
  }

  /** The entry added last with this key, -1 when there is none. */
  public int find(long hash, byte[] key, int offset, int length) {
    return match(buckets[bucket(hash)], hash, key, offset, length);
  }

  /** The entry with the same key that was added before this one, -1 when there is none. */
  public int findNext(int entry, long hash, byte[] key, int offset, int length) {
    return match(next[entry], hash, key, offset, length);
  }

  private int match(int start, long hash, byte[] key, int offset, int length) {
    for (int entry = start; entry >= 0; entry = next[entry]) {
      if (hashes[entry] == hash) {
        byte[] array = arena.array(handles[entry]);
        int at = ByteArena.offset(handles[entry]);
        int keyLength = ByteSink.getIntLe(array, at);
        if (keyLength == length
            && Arrays.equals(array, at + 4, at + 4 + length, key, offset, offset + length)) {
          return entry;
        }
      }
    }
    return -1;
  }

  public long hash(int entry) {
    return hashes[entry];
  }

  /** Array that holds an entry's record. */
  public byte[] array(int entry) {
    return arena.array(handles[entry]);
  }

  /** Where the entry's record starts in {@link #array}. */
  public int recordOffset(int entry) {
    return ByteArena.offset(handles[entry]);
  }

  public int recordLength(int entry) {
    return arena.length(handles[entry]);
  }

  /** Where the payload behind the key starts. */
  public int payloadOffset(int entry) {
    int offset = ByteArena.offset(handles[entry]);
    return offset + 4 + ByteSink.getIntLe(array(entry), offset);
  }
}
