package io.gauss.compute.routing;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How a client says that it chooses the node of a transaction: setting {@code gauss.routing}. */
public enum RoutingMode {
  /** It does not choose, or does not say. */
  OFF,
  MODEL,
  TABLE,
  STICKY,
  RANDOM;

  /** As settings and views call it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** All labels. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(RoutingMode::label).toList();
  }

  /**
   * @param label one of {@link #labels}
   */
  public static RoutingMode of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
