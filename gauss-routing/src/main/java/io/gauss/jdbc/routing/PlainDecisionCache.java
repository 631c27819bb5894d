package io.gauss.jdbc.routing;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** A fixed number of places, each key in the one given by its hash: no locks, no order. */
final class PlainDecisionCache implements DecisionCache {
  private record Entry(Key key, CachedScores scores) {}

  private final AtomicReferenceArray<Entry> places;

  PlainDecisionCache(int size) {
    this.places = new AtomicReferenceArray<>(Math.max(1, Integer.highestOneBit(size)));
  }

  private int place(Key key) {
    int hash = key.hashCode();
    return (hash ^ (hash >>> 16)) & (places.length() - 1);
  }

  @Override
  public CachedScores get(Key key) {
    Entry entry = places.getAcquire(place(key));
    return entry != null && entry.key.equals(key) ? entry.scores : null;
  }

  @Override
  public void put(Key key, CachedScores scores) {
    places.setRelease(place(key), new Entry(key, scores));
  }
}
