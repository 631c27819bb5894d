package io.gauss.jdbc.routing.statement;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What was read of the texts that were used last. A fixed number of places, each text in the one
 * that its hash names: no locks, no order, no other memory than the places. Applications that put
 * values into texts instead of using parameters push out one text at a time and nothing else.
 *
 * <p>Thread-safe; two threads may read the same text twice.
 */
public final class StatementCache {
  private record Entry(String sql, ReadStatement read) {}

  private final AtomicReferenceArray<Entry> places;

  /**
   * @param size number of places, a power of two
   */
  public StatementCache(int size) {
    if (Integer.bitCount(size) != 1) {
      throw new IllegalArgumentException("not a power of two: " + size);
    }
    this.places = new AtomicReferenceArray<>(size);
  }

  /** What the text says, read now if it is not here. */
  public ReadStatement get(String sql) {
    int hash = sql.hashCode();
    int place = (hash ^ (hash >>> 16)) & (places.length() - 1);
    Entry entry = places.getAcquire(place);
    if (entry != null && (entry.sql == sql || entry.sql.equals(sql))) {
      return entry.read;
    }
    ReadStatement read = StatementReader.read(sql);
    if (sql.length() <= StatementReader.MAX_CHARS) {
      places.setRelease(place, new Entry(sql, read));
    }
    return read;
  }
}
