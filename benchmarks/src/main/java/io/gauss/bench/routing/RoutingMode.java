package io.gauss.bench.routing;

import java.util.Locale;

/** Ways to choose the node of a transaction that are compared. */
public enum RoutingMode {
  /** Any node. */
  RANDOM("routing.mode=random"),
  /** A connection's transactions all go to the node to which it was opened. */
  STICKY("routing.mode=sticky"),
  /** By the published table. */
  TABLE("routing.mode=table"),
  /** By the published model, computed in Java. */
  MODEL_JAVA("routing.mode=model&routing.engine=java"),
  /** By the published model, computed by DJL. */
  MODEL_DJL("routing.mode=model&routing.engine=djl"),
  /** By an assignment of units to nodes that is fixed and known to the client. */
  ORACLE("routing.mode=sticky");

  private final String properties;

  RoutingMode(String properties) {
    this.properties = properties;
  }

  /** Properties of the URL. */
  String properties() {
    return properties;
  }

  /** Whether the cluster's publications are used. */
  boolean isLearned() {
    return this == TABLE || this == MODEL_JAVA || this == MODEL_DJL;
  }

  /** The name in options and tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The mode with that label.
   *
   * @throws IllegalArgumentException when there is none; the text lists the existing ones
   */
  public static RoutingMode of(String label) {
    for (RoutingMode mode : values()) {
      if (mode.label().equals(label)) {
        return mode;
      }
    }
    throw new IllegalArgumentException(
        "mode " + label + ": random, sticky, table, model-java, model-djl and oracle are known");
  }
}
