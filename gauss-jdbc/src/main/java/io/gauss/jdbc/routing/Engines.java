package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.model.Engine;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.RoutingModel;

/** Makes the engine that {@code routing.engine} asks for. */
class Engines {
  /**
   * @throws IllegalStateException when DJL was asked for and cannot be had
   */
  Engine open(RouterSettings.EngineChoice choice, RoutingModel model) {
    if (choice == RouterSettings.EngineChoice.DJL) {
      throw new IllegalStateException("routing.engine=djl is not supported");
    }
    return new JavaEngine(model.layers());
  }
}
