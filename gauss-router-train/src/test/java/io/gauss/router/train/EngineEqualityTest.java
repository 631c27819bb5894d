package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.ModelRouter;
import io.gauss.jdbc.routing.Routers;
import io.gauss.jdbc.routing.RoutingMode;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.DjlEngine;
import io.gauss.jdbc.routing.model.Engine;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.ModelTemplate;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.RoutingModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
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
  void aRouterComputesByTheEngineThatItsPropertiesName() throws PublicationException {
    assertEquals("djl", engine("djl"));
    assertEquals("java", engine("java"));
    assertTrue(Set.of("djl", "java").contains(engine("auto")), "the faster one");
    assertEquals("true", System.getProperty("OPT_OUT_TRACKING"));
  }

  private static String engine(String property) throws PublicationException {
    ColumnProfile column =
        new ColumnProfile("t.a", ColumnProfile.Kind.NUMBER, "", new double[] {0, 9}, 10, false);
    RoutingModel model =
        new RoutingModel(
            1,
            List.of(column),
            List.of(new ModelTemplate(1, new int[] {0})),
            layers(new Random(2), new int[] {FeatureEncoder.width(1, 1), 8, 2}),
            List.of(new GroupRange(0, 1), new GroupRange(2, 3)),
            List.of(new NodeShare(1, 0, new float[] {1, 0})));
    Properties properties = new Properties();
    properties.setProperty("routing.engine", property);
    try (ModelRouter router = (ModelRouter) Routers.create(RoutingMode.MODEL, properties)) {
      router.load(Publication.write(model));
      return router.report().engine();
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
