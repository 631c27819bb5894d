package io.gauss.jdbc.routing.statement;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Caches the statements read from the most recent texts. A fixed number of places, each text in the
 * one given by its hash: no locks, no order, no memory besides the places. Applications that put
 * values into texts instead of using parameters replace one text at a time and nothing else.
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

  /** The statement of a text, read now if it is not cached. */
  public ReadStatement get(String text) {
    String sql = StatementReader.cut(text);
    int hash = sql.hashCode();
    int place = (hash ^ (hash >>> 16)) & (places.length() - 1);
    Entry entry = places.getAcquire(place);
    if (entry != null && (entry.sql == sql || entry.sql.equals(sql))) {
      return entry.read;
    }
    ReadStatement read = StatementReader.read(sql);
    places.setRelease(place, new Entry(sql, read));
    return read;
  }
}
