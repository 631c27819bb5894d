package io.gauss.router.process;

import io.gauss.jdbc.routing.model.Layer;
import io.gauss.router.network.SparseRow;
import io.gauss.router.network.TrainedNetwork;
import io.gauss.router.network.TrainingRows;
import io.gauss.router.network.TrainingTask;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Frames to and from the process that trains. */
public final class TrainingExamples {
  /** Of all of them. */
  public static final int VERSION = TrainingLayout.VERSION;

  private TrainingExamples() {}

  /** Names of types. */
  public static Map<Integer, String> names() {
    return Map.of(
        TrainingLayout.TASK, "TASK",
        TrainingLayout.WEIGHTS, "WEIGHTS",
        TrainingLayout.ROWS, "ROWS",
        TrainingLayout.STOP, "STOP",
        TrainingLayout.READY, "READY",
        TrainingLayout.NO_ENGINE, "NO_ENGINE",
        TrainingLayout.TRAINED, "TRAINED",
        TrainingLayout.FAILED, "FAILED");
  }

  /** A frame by type. */
  public static Map<Integer, byte[]> frames() throws IOException {
    Layer layer = new Layer(2, 1, new float[] {0.5f, -1}, new float[] {0.25f});
    TrainingRows.Builder rows = new TrainingRows.Builder(2, 1);
    rows.add(
        3,
        new SparseRow(new char[] {1}, new float[] {0.75f}),
        new SparseRow(new char[] {0}, new float[] {1}));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TrainingCodec.write(
        out, new TrainingTask(List.of(layer), rows.build(), 1500, 2500, 0x1122334455L, false));
    TrainingFrame.write(out, TrainingLayout.STOP, TrainingFrame.EMPTY.duplicate());
    TrainingFrame.write(out, TrainingLayout.READY, TrainingFrame.EMPTY.duplicate());
    TrainingFrame.write(out, TrainingLayout.NO_ENGINE, "no DJL");
    TrainingFrame.write(out, TrainingLayout.FAILED, "diverged");
    TrainingCodec.write(out, new TrainedNetwork(List.of(layer), 1200));
    ByteArrayInputStream in = new ByteArrayInputStream(out.toByteArray());
    Map<Integer, byte[]> frames = new TreeMap<>();
    for (TrainingFrame f = TrainingFrame.read(in); f != null; f = TrainingFrame.read(in)) {
      ByteArrayOutputStream one = new ByteArrayOutputStream();
      TrainingFrame.write(one, f.type(), f.body());
      frames.put(f.type(), one.toByteArray());
    }
    return frames;
  }
}
