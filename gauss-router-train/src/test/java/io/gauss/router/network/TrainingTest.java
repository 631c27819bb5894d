package io.gauss.router.network;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.Layer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Training by PyTorch and in plain Java. */
class TrainingTest {
  private int looks;

  private static List<Layer> train(NetworkTraining training, int steps) {
    TrainedNetwork trained = training.train(Tasks.small(steps), () -> false);
    assertEquals(steps, trained.steps());
    return trained.layers();
  }

  @Test
  void plainJavaTrainsLikePyTorch() {
    List<Layer> before = Tasks.small(50).layers();
    List<Layer> plain = train(new PlainTraining(System::nanoTime), 50);
    List<Layer> torch = train(new TorchTraining(System::nanoTime), 50);
    for (int l = 0; l < before.size(); l++) {
      assertArrayEquals(torch.get(l).weights(), plain.get(l).weights(), 1e-3f);
      assertArrayEquals(torch.get(l).bias(), plain.get(l).bias(), 1e-3f);
    }
    float moved = 0;
    for (int i = 0; i < Tasks.INPUTS; i++) {
      moved += Math.abs(plain.get(0).weights()[i] - before.get(0).weights()[i]);
    }
    assertTrue(moved > 0.1, "trained at all");
  }

  @Test
  void trainingEndsWhenItsTimeIsOver() {
    TrainingTask task = Tasks.of(10, 1000, 7, false);
    for (NetworkTraining training :
        List.of(new PlainTraining(this::millis), new TorchTraining(this::millis))) {
      looks = 0;
      assertEquals(6, training.train(task, () -> false).steps());
    }
  }

  private long millis() {
    return looks++ * 1_000_000L;
  }

  @Test
  void trainingEndsWhenItIsEnough() {
    for (NetworkTraining training :
        List.of(new PlainTraining(() -> 0), new TorchTraining(() -> 0))) {
      looks = 0;
      assertEquals(4, training.train(Tasks.small(1000), () -> ++looks > 4).steps());
    }
  }

  @Test
  void aNetworkThatDivergesIsNone() {
    TrainingTask task = Tasks.small(3);
    Arrays.fill(task.layers().getFirst().weights(), Float.MAX_VALUE);
    for (NetworkTraining training :
        List.of(new PlainTraining(() -> 0), new TorchTraining(() -> 0))) {
      assertThrows(IllegalStateException.class, () -> training.train(task, () -> false));
    }
  }

  @Test
  void rowsAreDrawnByTheirWeights() {
    TrainingRows.Builder rows = new TrainingRows.Builder(1, 1);
    for (double weight : new double[] {0, 3, 0, 1}) {
      rows.add(weight, new float[1], new float[1]);
    }
    int[] drawn = new int[4];
    TrainingRows all = rows.build();
    Random random = new Random(1);
    for (int i = 0; i < 4000; i++) {
      drawn[all.pick(random)]++;
    }
    assertEquals(0, drawn[0] + drawn[2]);
    assertTrue(drawn[1] > 2800 && drawn[1] < 3200, Arrays.toString(drawn));
  }
}
