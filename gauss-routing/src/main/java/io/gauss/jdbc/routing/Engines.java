package io.gauss.jdbc.routing;

import io.gauss.jdbc.routing.RouterSettings.EngineChoice;
import io.gauss.jdbc.routing.model.DjlEngine;
import io.gauss.jdbc.routing.model.Engine;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.RoutingModel;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Creates the engine that {@code routing.engine} selects. */
class Engines {
  private static final Logger LOG = Logger.getLogger(Engines.class.getName());

  /** Calls that warm an engine up, and those of each round that is measured. */
  private static final int WARM_UP = 3000;

  private static final int ROUND = 200;
  private static final int ROUNDS = 10;

  private boolean djlFailed;

  /** Whether the choice is available at all, judging by the class path. */
  static boolean isAvailable(EngineChoice choice) {
    return choice != EngineChoice.DJL || isDjlPresent();
  }

  /**
   * Whether DJL, its PyTorch engine and PyTorch's native libraries are on the class path. DJL would
   * download libraries that are not there, which a driver must not do.
   */
  private static boolean isDjlPresent() {
    ClassLoader loader = Engines.class.getClassLoader();
    return loader.getResource("ai/djl/engine/Engine.class") != null
        && loader.getResource("ai/djl/pytorch/engine/PtEngine.class") != null
        && loader.getResource("native/lib/pytorch.properties") != null
        && loader.getResource("jnilib/pytorch.properties") != null;
  }

  /**
   * Called by the monitor, since it may take a second.
   *
   * @throws IllegalStateException when DJL was selected and is not available
   */
  Engine open(EngineChoice choice, RoutingModel model) {
    return switch (choice) {
      case JAVA -> new JavaEngine(model.layers());
      case DJL -> djl(model);
      case AUTO -> faster(model);
    };
  }

  /** Returns an engine that has computed something: DJL in another version may fail only then. */
  private static Engine djl(RoutingModel model) {
    try {
      Engine engine = new DjlEngine(model.layers());
      engine.infer(new float[model.inputs()], new float[model.outputs()]);
      return engine;
    } catch (LinkageError e) {
      throw new IllegalStateException("DJL cannot be used: " + e, e);
    }
  }

  private Engine faster(RoutingModel model) {
    JavaEngine java = new JavaEngine(model.layers());
    if (djlFailed || !isDjlPresent()) {
      return java;
    }
    long javaNanos = fastestCall(java, model);
    Engine djl;
    long djlNanos;
    try {
      djl = new DjlEngine(model.layers());
      djlNanos = fastestCall(djl, model);
    } catch (IllegalStateException | LinkageError e) {
      djlFailed = true;
      LOG.log(Level.WARNING, "Routing computes its model in plain Java", e);
      return java;
    }
    LOG.log(
        Level.FINE,
        "Routing model: {0} ns by plain Java, {1} ns by DJL",
        new Object[] {javaNanos, djlNanos});
    Engine chosen = javaNanos <= djlNanos ? java : djl;
    (chosen == java ? djl : java).close();
    return chosen;
  }

  /** Time of a call in the best of some rounds, ns: other threads disturb only some of them. */
  private static long fastestCall(Engine engine, RoutingModel model) {
    float[] input = new float[model.inputs()];
    float[] output = new float[model.outputs()];
    // As sparse as real inputs: one template and a block or two.
    for (int i = 0; i < Math.min(input.length, 2 * FeatureEncoder.BLOCK); i++) {
      input[i] = 0.5f;
    }
    for (int i = 0; i < WARM_UP; i++) {
      engine.infer(input, output);
    }
    long best = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < ROUND; i++) {
        engine.infer(input, output);
      }
      best = Math.min(best, (System.nanoTime() - start) / ROUND);
    }
    return best;
  }
}
