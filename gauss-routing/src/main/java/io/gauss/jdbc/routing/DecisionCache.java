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

  /** Keeps nothing, for measurements. */
  DecisionCache NONE =
      new DecisionCache() {
        @Override
        public CachedScores get(Key key) {
          return null;
        }

        @Override
        public void put(Key key, CachedScores scores) {}
      };

  /** What is kept for the key, of whatever model version; null when nothing is. */
  CachedScores get(Key key);

  void put(Key key, CachedScores scores);

  /** Caffeine's when that is on the class path, else one of our own. */
  static DecisionCache create(int size) {
    if (size == 0) {
      return NONE;
    }
    try {
      return new CaffeineDecisionCache(size);
    } catch (LinkageError e) {
      // Caffeine is not there, or in a version without what is used: an ordinary case.
      return new PlainDecisionCache(size);
    }
  }
}
