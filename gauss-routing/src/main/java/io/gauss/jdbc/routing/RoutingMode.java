package io.gauss.jdbc.routing;

import java.util.Locale;

/** Values of the property {@code routing.mode}. */
public enum RoutingMode {
  /** By the learned model that the cluster publishes. */
  MODEL,
  /** By the exact map of statements and key ranges that the cluster publishes. */
  TABLE,
  /** A connection stays on its node as long as that node is up. */
  STICKY,
  /** Each transaction on a random node: for measuring the benefit of routing. */
  RANDOM,
  /** One physical connection to the first host that answers, replaced when it breaks. */
  OFF;

  /**
   * The mode of that name, in lower case.
   *
   * @throws IllegalArgumentException when there is none; the text lists the existing ones
   */
  public static RoutingMode of(String name) {
    for (RoutingMode mode : values()) {
      if (mode.text().equals(name)) {
        return mode;
      }
    }
    throw new IllegalArgumentException(
        "routing.mode=" + name + " is not known; there are model, table, sticky, random and off");
  }

  /** The name as written in the property. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
