package io.gauss.bench.routing;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Ways to choose the node of a transaction that are compared. */
public enum RoutingMode {
  /** Any node. */
  RANDOM("routing.mode=random"),
  /** A connection's transactions all go to the node to which it was opened. */
  STICKY("routing.mode=sticky"),
  /** By the published table. */
  TABLE("routing.mode=table"),
  /** By the published table alone: keys that it does not know are not asked for. */
  TABLE_ALONE("routing.mode=table&routing.owners=off"),
  /** By the published model, computed in Java. */
  MODEL_JAVA("routing.mode=model&routing.engine=java"),
  /** By the published model alone: keys that it does not know are not asked for. */
  MODEL_ALONE("routing.mode=model&routing.engine=java&routing.owners=off"),
  /** By the model's network alone: nothing is looked up, neither values nor ranges nor owners. */
  NETWORK("routing.mode=model&routing.engine=java&routing.owners=off&routing.without=keys,ranges"),
  /** By the owners of keys alone. */
  OWNERS("routing.mode=model&routing.engine=java&routing.without=network,keys,ranges"),
  /** By all that is published but the network. */
  WITHOUT_NETWORK("routing.mode=model&routing.engine=java&routing.without=network"),
  /** By the published model, computed by DJL. */
  MODEL_DJL("routing.mode=model&routing.engine=djl"),
  /**
   * PostgreSQL's driver, of which each connection stays with one node, as behind a load balancer;
   * nodes may forward its transactions.
   */
  PGJDBC(""),
  /** By an assignment of units to nodes that is fixed and known to the client. */
  ORACLE("routing.mode=sticky"),
  /** By the published owners of the page groups that a transaction uses. */
  ORACLE_OWNERS("routing.mode=sticky");

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
    return switch (this) {
      case TABLE, TABLE_ALONE, MODEL_JAVA, MODEL_ALONE, MODEL_DJL, NETWORK -> true;
      case OWNERS, WITHOUT_NETWORK -> true;
      case RANDOM, STICKY, PGJDBC, ORACLE, ORACLE_OWNERS -> false;
    };
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
        "mode %s: there are %s"
            .formatted(
                label,
                Arrays.stream(values()).map(RoutingMode::label).collect(Collectors.joining(", "))));
  }
}
