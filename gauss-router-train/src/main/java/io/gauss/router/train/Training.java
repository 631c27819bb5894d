package io.gauss.router.train;

import io.gauss.jdbc.routing.model.Layer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains by PyTorch, or in plain Java where that cannot be used: no class, no native library, or
 * one that fails. Not thread-safe.
 */
final class Training {
  private static final Logger LOG = LoggerFactory.getLogger(Training.class);

  static final int BATCH = 128;
  static final float RATE = 0.003f;

  /** Writes a sample's inputs or targets into the array from the given index on. */
  @FunctionalInterface
  interface Rows {
    void write(int sample, float[] into, int from);
  }

  /**
   * The result of training.
   *
   * @param layers afterwards
   * @param steps number of steps done
   */
  record Trained(List<Layer> layers, int steps) {}

  /** PyTorch cannot be used. */
  static final class NoEngineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoEngineException(Exception cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** A way to train. */
  @FunctionalInterface
  interface Method {
    Trained train(
        List<Layer> layers,
        ToIntFunction<Random> pick,
        Rows inputs,
        Rows targets,
        int steps,
        BooleanSupplier enough,
        long seed);
  }

  private Method method;

  /**
   * @param first by which it is tried
   */
  Training(Method first) {
    method = first;
  }

  /** Layers to begin with: weights as He et al. (2015) draw them. */
  static List<Layer> random(int[] sizes, long seed) {
    Random random = new Random(seed);
    List<Layer> layers = new ArrayList<>();
    for (int i = 0; i + 1 < sizes.length; i++) {
      layers.add(random(sizes[i], sizes[i + 1], random));
    }
    return layers;
  }

  private static Layer random(int inputs, int outputs, Random random) {
    float[] weights = new float[inputs * outputs];
    // About 64 of the inputs are not 0, whatever their number.
    double deviation = Math.sqrt(2.0 / Math.min(inputs, 64));
    for (int k = 0; k < weights.length; k++) {
      weights[k] = (float) (random.nextGaussian() * deviation);
    }
    return new Layer(inputs, outputs, weights, new float[outputs]);
  }

  /**
   * Trains until {@code steps} are done or {@code enough} returns true.
   *
   * @throws IllegalStateException when the loss is NaN
   */
  Trained train(
      List<Layer> layers,
      ToIntFunction<Random> pick,
      Rows inputs,
      Rows targets,
      int steps,
      BooleanSupplier enough,
      long seed) {
    try {
      return method.train(layers, pick, inputs, targets, steps, enough, seed);
    } catch (NoEngineException | LinkageError e) {
      LOG.warn("PyTorch cannot be used, training is done in plain Java: {}", e.toString());
      method = PlainTrainer::train;
      return method.train(layers, pick, inputs, targets, steps, enough, seed);
    }
  }

  static void check(float[] weights) {
    for (float weight : weights) {
      if (!Float.isFinite(weight)) {
        throw new IllegalStateException("training has diverged");
      }
    }
  }
}
