package io.gauss.jdbc.routing;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/** Loaded only when Caffeine is on the class path: it keeps hot keys even during a scan. */
final class CaffeineDecisionCache implements DecisionCache {
  private final Cache<Key, CachedScores> cache;

  CaffeineDecisionCache(int size) {
    // Maintenance runs on the caller's thread: it takes no thread of the application's common pool.
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
