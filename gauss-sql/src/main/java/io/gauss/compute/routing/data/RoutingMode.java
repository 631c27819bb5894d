package io.gauss.compute.routing.data;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How a client chooses the node of a transaction, as it states in the setting {@code
 * gauss.routing}.
 */
public enum RoutingMode {
  /** It does not choose, or does not state how. */
  OFF,
  MODEL,
  TABLE,
  STICKY,
  RANDOM;

  /** Whether it chooses by what is published. */
  public boolean follows() {
    return this == MODEL || this == TABLE;
  }

  /** The name in settings and views. */
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
