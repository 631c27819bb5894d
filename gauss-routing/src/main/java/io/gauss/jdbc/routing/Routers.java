package io.gauss.jdbc.routing;

import java.util.Properties;

/** Makes the router that a connection's properties ask for. */
public final class Routers {
  private Routers() {}

  /**
   * @param properties those of the connection; {@code routing.mode} says which router, others
   *     belong to the router itself
   * @throws IllegalArgumentException when a value is not known or cannot be had; the text is for
   *     the application's developer
   */
  public static Router create(RoutingMode mode, Properties properties) {
    return switch (mode) {
      case STICKY, OFF -> new StickyRouter();
      case RANDOM -> new RandomRouter();
      case TABLE -> table(properties);
      case MODEL -> model(properties);
    };
  }

  /** A router for {@link RoutingMode#TABLE}, to be given tables by whoever has them. */
  public static TableRouter table(Properties properties) {
    return new TableRouter(RouterSettings.of(properties));
  }

  /** A router for {@link RoutingMode#MODEL}, to be given models by whoever has them. */
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
