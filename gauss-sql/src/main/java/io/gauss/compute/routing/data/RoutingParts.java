package io.gauss.compute.routing.data;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What each part of that which is published is worth, by transactions that came later. Immutable.
 *
 * @param judgedMicros when, µs since 2000-01-01 UTC
 * @param samples transactions by which it was judged
 * @param away by part, the share of what they touch that has to come from other nodes if drivers
 *     choose by this part, 0 to 1; in the order in which they are shown
 */
public record RoutingParts(long judgedMicros, int samples, Map<String, Double> away) {
  /** Nothing was judged. */
  public static final RoutingParts NONE = new RoutingParts(0, 0, Map.of());

  public RoutingParts {
    away = Collections.unmodifiableMap(new LinkedHashMap<>(away));
  }
}
