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
      case TABLE -> new TableRouter(RouterSettings.of(properties));
      case MODEL -> model(RouterSettings.of(properties));
    };
  }

  private static Router model(RouterSettings settings) {
    if (!Engines.isAvailable(settings.engine())) {
      throw new IllegalArgumentException(
          "routing.engine=djl needs ai.djl:api, ai.djl.pytorch:pytorch-engine, pytorch-jni and"
              + " pytorch-native-cpu on the class path");
    }
    return new ModelRouter(settings, new Engines());
  }
}
