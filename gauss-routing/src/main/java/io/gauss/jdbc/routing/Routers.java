package io.gauss.jdbc.routing;

import java.util.Properties;

/** Creates the router that a connection's properties select. */
public final class Routers {
  private Routers() {}

  /**
   * @param properties those of the connection; {@code routing.mode} selects the router, others
   *     belong to the router itself
   * @throws IllegalArgumentException when a value is unknown or not available; the text is for the
   *     application's developer
   */
  public static Router create(RoutingMode mode, Properties properties) {
    return switch (mode) {
      case STICKY, OFF -> new StickyRouter();
      case RANDOM -> new RandomRouter();
      case TABLE -> table(properties);
      case MODEL -> model(properties);
    };
  }

  /** A router for {@link RoutingMode#TABLE}, which gets its tables from the caller. */
  public static TableRouter table(Properties properties) {
    RouterSettings settings = RouterSettings.of(properties);
    if (!settings.without().isEmpty()) {
      throw new IllegalArgumentException("routing.without is for routing.mode=model");
    }
    return new TableRouter(settings);
  }

  /** A router for {@link RoutingMode#MODEL}, which gets its models from the caller. */
  public static ModelRouter model(Properties properties) {
    RouterSettings settings = RouterSettings.of(properties);
    if (!Engines.isAvailable(settings.engine())) {
      throw new IllegalArgumentException(
          "routing.engine=djl needs ai.djl:api, ai.djl.pytorch:pytorch-engine, pytorch-jni and"
              + " pytorch-native-cpu on the class path");
    }
    return new ModelRouter(settings, new Engines());
  }
}
