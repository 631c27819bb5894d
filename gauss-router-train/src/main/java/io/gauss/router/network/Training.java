package io.gauss.router.network;

import io.gauss.jdbc.routing.model.Layer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** What all ways to train have in common. */
public final class Training {
  static final int BATCH = 128;
  static final float RATE = 0.003f;

  private Training() {}

  /** Layers to begin with: weights as He et al. (2015) draw them. */
  public static List<Layer> random(int[] sizes, long seed) {
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

  /** Whether no further step is to begin, given what was said and the time since now. */
  static BooleanSupplier end(TrainingTask task, BooleanSupplier isEnough, LongSupplier nanoClock) {
    long start = nanoClock.getAsLong();
    return () ->
        (nanoClock.getAsLong() - start) / 1_000_000 >= task.millis() || isEnough.getAsBoolean();
  }

  static void check(float[] weights) {
    for (float weight : weights) {
      if (!Float.isFinite(weight)) {
        throw new IllegalStateException("training has diverged");
      }
    }
  }
}
