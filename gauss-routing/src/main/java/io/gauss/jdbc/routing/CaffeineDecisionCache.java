package io.gauss.jdbc.routing;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/** Loaded only when Caffeine is on the class path: it keeps hot keys while a scan passes by. */
final class CaffeineDecisionCache implements DecisionCache {
  private final Cache<Key, CachedScores> cache;

  CaffeineDecisionCache(int size) {
    // Maintenance on the caller's thread: no thread of the application's common pool is taken.
    this.cache = Caffeine.newBuilder().maximumSize(size).executor(Runnable::run).build();
  }

  @Override
  public CachedScores get(Key key) {
    return cache.getIfPresent(key);
  }

  @Override
  public void put(Key key, CachedScores scores) {
    cache.put(key, scores);
  }
}
