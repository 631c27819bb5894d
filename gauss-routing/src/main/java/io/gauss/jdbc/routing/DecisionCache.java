package io.gauss.jdbc.routing;

/** Scores by template and quantised features; bounded, thread-safe. */
interface DecisionCache {
  /**
   * @param template id
   * @param features from {@link io.gauss.jdbc.routing.model.FeatureEncoder#quantised}
   */
  record Key(long template, long features) {
    @Override
    public int hashCode() {
      return Long.hashCode(template * 31 + features);
    }
  }

  /** Caches nothing, for measurements. */
  DecisionCache NONE =
      new DecisionCache() {
        @Override
        public CachedScores get(Key key) {
          return null;
        }

        @Override
        public void put(Key key, CachedScores scores) {}
      };

  /** The entry of the key, of whatever model version; null when there is none. */
  CachedScores get(Key key);

  void put(Key key, CachedScores scores);

  /** Uses Caffeine when that is on the class path, else a built-in cache. */
  static DecisionCache create(int size) {
    if (size == 0) {
      return NONE;
    }
    try {
      return new CaffeineDecisionCache(size);
    } catch (LinkageError e) {
      // Caffeine is missing, or in an unsuitable version: an ordinary case.
      return new PlainDecisionCache(size);
    }
  }
}
