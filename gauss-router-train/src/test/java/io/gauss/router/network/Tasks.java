package io.gauss.router.network;

import java.util.Arrays;
import java.util.Random;

/** Tasks for tests: rows of a few classes, which a network can tell apart. */
public final class Tasks {
  public static final int INPUTS = 12;
  public static final int OUTPUTS = 5;
  private static final int ROWS = 200;

  private Tasks() {}

  /** A task that takes some milliseconds. */
  public static TrainingTask small(int steps) {
    return of(ROWS, steps, 600_000, false);
  }

  public static TrainingTask of(int count, int steps, long millis, boolean isUrgent) {
    Random random = new Random(4);
    TrainingRows.Builder rows = new TrainingRows.Builder(INPUTS, OUTPUTS);
    float[] x = new float[INPUTS];
    float[] y = new float[OUTPUTS];
    for (int s = 0; s < count; s++) {
      Arrays.fill(x, 0);
      Arrays.fill(y, 0);
      int which = random.nextInt(OUTPUTS);
      y[which] = 1;
      x[which] = 1;
      x[OUTPUTS + random.nextInt(INPUTS - OUTPUTS)] = random.nextFloat();
      rows.add(1 + random.nextInt(3), x, y);
    }
    return new TrainingTask(
        Training.random(new int[] {INPUTS, 16, OUTPUTS}, 3),
        rows.build(),
        steps,
        millis,
        5,
        isUrgent);
  }
}
