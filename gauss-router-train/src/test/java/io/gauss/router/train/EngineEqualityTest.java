package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.jdbc.routing.model.DjlEngine;
import io.gauss.jdbc.routing.model.Engine;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.Layer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EngineEqualityTest {
  @Test
  void bothEnginesComputeTheSame() {
    long seed = Long.getLong("gauss.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      int[] sizes = new int[2 + random.nextInt(3)];
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = 1 + random.nextInt(200);
      }
      List<Layer> layers = layers(random, sizes);
      try (Engine djl = new DjlEngine(layers);
          Engine java = new JavaEngine(layers)) {
        for (int sample = 0; sample < 20; sample++) {
          float[] input = new float[sizes[0]];
          for (int i = 0; i < input.length; i++) {
            input[i] = random.nextBoolean() ? 0 : (float) random.nextGaussian();
          }
          float[] expected = new float[sizes[sizes.length - 1]];
          float[] found = new float[expected.length];
          djl.infer(input, expected);
          java.infer(input, found);
          assertArrayEquals(expected, found, 1e-5f, "-Dgauss.seed=" + seed);
        }
      }
    }
  }

  @Test
  void aClosedEngineSaysSo() {
    Engine djl = new DjlEngine(layers(new Random(1), new int[] {2, 2}));
    djl.close();
    assertThrows(IllegalStateException.class, () -> djl.infer(new float[2], new float[2]));
  }

  private static List<Layer> layers(Random random, int[] sizes) {
    List<Layer> layers = new ArrayList<>();
    for (int i = 0; i + 1 < sizes.length; i++) {
      float[] weights = new float[sizes[i] * sizes[i + 1]];
      float[] bias = new float[sizes[i + 1]];
      for (int k = 0; k < weights.length; k++) {
        weights[k] = (float) (random.nextGaussian() / Math.sqrt(sizes[i]));
      }
      for (int k = 0; k < bias.length; k++) {
        bias[k] = (float) random.nextGaussian();
      }
      layers.add(new Layer(sizes[i], sizes[i + 1], weights, bias));
    }
    return layers;
  }
}
