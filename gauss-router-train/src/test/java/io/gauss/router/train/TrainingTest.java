package io.gauss.router.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.Layer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Training by PyTorch and in plain Java. */
class TrainingTest {
  private static final int INPUTS = 12;
  private static final int OUTPUTS = 5;
  private static final int SAMPLES = 200;

  private final float[][] x = new float[SAMPLES][INPUTS];
  private final float[][] y = new float[SAMPLES][OUTPUTS];
  private final List<Layer> layers = Training.random(new int[] {INPUTS, 16, OUTPUTS}, 3);

  TrainingTest() {
    Random random = new Random(4);
    for (int s = 0; s < SAMPLES; s++) {
      int which = random.nextInt(OUTPUTS);
      y[s][which] = 1;
      x[s][which] = 1;
      x[s][OUTPUTS + random.nextInt(INPUTS - OUTPUTS)] = random.nextFloat();
    }
  }

  private List<Layer> train(Training.Method method, int steps) {
    Training.Trained trained =
        method.train(
            layers,
            random -> random.nextInt(SAMPLES),
            (s, into, from) -> System.arraycopy(x[s], 0, into, from, INPUTS),
            (s, into, from) -> System.arraycopy(y[s], 0, into, from, OUTPUTS),
            steps,
            () -> false,
            5);
    assertEquals(steps, trained.steps());
    return trained.layers();
  }

  @Test
  void plainJavaTrainsLikePyTorch() {
    List<Layer> plain = train(PlainTrainer::train, 50);
    List<Layer> torch = train(NetworkTrainer::train, 50);
    for (int l = 0; l < layers.size(); l++) {
      assertArrayEquals(torch.get(l).weights(), plain.get(l).weights(), 1e-3f);
      assertArrayEquals(torch.get(l).bias(), plain.get(l).bias(), 1e-3f);
    }
    float moved = 0;
    for (int i = 0; i < INPUTS; i++) {
      moved += Math.abs(plain.get(0).weights()[i] - layers.get(0).weights()[i]);
    }
    assertTrue(moved > 0.1, "trained at all");
  }

  @Test
  void whereALibraryIsMissingPlainJavaGoesOn() {
    Training training =
        new Training(
            (a, b, c, d, e, f, g) -> {
              throw new UnsatisfiedLinkError("libtorch.so is missing");
            });
    for (int round = 0; round < 2; round++) {
      List<Layer> trained = train(training::train, 3);
      assertArrayEquals(train(PlainTrainer::train, 3).get(0).weights(), trained.get(0).weights());
    }
  }

  @Test
  void otherFailuresEndTheRound() {
    Training training =
        new Training(
            (a, b, c, d, e, f, g) -> {
              throw new IllegalStateException("training has diverged");
            });
    assertThrows(IllegalStateException.class, () -> train(training::train, 3));
  }
}
