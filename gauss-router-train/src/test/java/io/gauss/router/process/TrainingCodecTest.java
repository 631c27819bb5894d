package io.gauss.router.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.router.network.Tasks;
import io.gauss.router.network.TrainedNetwork;
import io.gauss.router.network.Training;
import io.gauss.router.network.TrainingRows;
import io.gauss.router.network.TrainingTask;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TrainingCodecTest {
  private final long seed = Long.getLong("gauss.seed", System.nanoTime());
  private final Random random = new Random(seed);

  private static byte[] bytes(TrainingTask task) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TrainingCodec.write(out, task);
    return out.toByteArray();
  }

  private static TrainingTask read(byte[] bytes) throws IOException {
    InputStream in = new ByteArrayInputStream(bytes);
    TrainingCodec.TaskReader reader = new TrainingCodec.TaskReader(frame(in));
    while (!reader.isComplete()) {
      reader.add(frame(in));
    }
    assertNull(TrainingFrame.read(in));
    return reader.task();
  }

  private static TrainingFrame frame(InputStream in) throws IOException {
    TrainingFrame frame = TrainingFrame.read(in);
    if (frame == null) {
      throw new EOFException();
    }
    return frame;
  }

  private TrainingTask task(int count, int inputs, int hidden, int outputs) {
    TrainingRows.Builder rows = new TrainingRows.Builder(inputs, outputs);
    float[] x = new float[inputs];
    float[] y = new float[outputs];
    for (int row = 0; row < count; row++) {
      for (int i = 0; i < inputs; i++) {
        x[i] = random.nextBoolean() ? 0 : random.nextFloat();
      }
      y[random.nextInt(outputs)] = random.nextFloat();
      rows.add(random.nextDouble(), x, y);
    }
    int[] sizes = {inputs, hidden, outputs};
    return new TrainingTask(
        Training.random(sizes, seed), rows.build(), 7, 1000, random.nextLong(), false);
  }

  @Test
  void aTaskComesAsItWent() throws IOException {
    // Rows and weights of several frames each.
    TrainingTask task = task(1500, 500, 700, 9);
    TrainingTask found = read(bytes(task));
    assertEquals(task.seed(), found.seed(), "-Dgauss.seed=" + seed);
    assertEquals(task.millis(), found.millis());
    assertEquals(task.steps(), found.steps());
    for (int l = 0; l < 2; l++) {
      assertArrayEquals(task.layers().get(l).weights(), found.layers().get(l).weights());
      assertArrayEquals(task.layers().get(l).bias(), found.layers().get(l).bias());
    }
    assertEquals(task.rows().size(), found.rows().size());
    for (int row = 0; row < found.rows().size(); row++) {
      assertEquals(task.rows().weight(row), found.rows().weight(row));
      assertArrayEquals(task.rows().input(row).places(), found.rows().input(row).places());
      assertArrayEquals(task.rows().input(row).values(), found.rows().input(row).values());
      assertArrayEquals(task.rows().output(row).places(), found.rows().output(row).places());
      assertArrayEquals(task.rows().output(row).values(), found.rows().output(row).values());
    }
  }

  @Test
  void aResultComesAsItWent() throws IOException {
    TrainingTask task = task(1, 500, 700, 9);
    TrainedNetwork trained =
        new TrainedNetwork(Training.random(new int[] {500, 700, 9}, seed + 1), 6);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TrainingCodec.write(out, trained);
    InputStream in = new ByteArrayInputStream(out.toByteArray());
    TrainingCodec.ResultReader reader = new TrainingCodec.ResultReader(frame(in), task);
    while (!reader.isComplete()) {
      reader.add(frame(in));
    }
    assertEquals(6, reader.result().steps());
    for (int l = 0; l < 2; l++) {
      assertArrayEquals(
          trained.layers().get(l).weights(), reader.result().layers().get(l).weights());
      assertArrayEquals(trained.layers().get(l).bias(), reader.result().layers().get(l).bias());
    }
  }

  /** Whichever byte is another one, no task comes of it. */
  @Test
  void whatIsDamagedIsRefused() throws IOException {
    byte[] good = bytes(Tasks.of(3, 2, 1000, false));
    read(good);
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= (byte) (1 << random.nextInt(8));
      assertThrows(IOException.class, () -> read(bad), "-Dgauss.seed=" + seed);
    }
    for (int length = 0; length < good.length; length++) {
      byte[] bad = Arrays.copyOf(good, length);
      assertThrows(IOException.class, () -> read(bad));
    }
  }

  /** Frames that are whole and say what cannot be. */
  @Test
  void whatMakesNoSenseIsRefused() throws IOException {
    byte[] good = bytes(Tasks.of(3, 2, 1000, false));
    for (int round = 0; round < 3000; round++) {
      InputStream in = new ByteArrayInputStream(good);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      for (TrainingFrame f = TrainingFrame.read(in); f != null; f = TrainingFrame.read(in)) {
        byte[] body = f.body().array();
        if (random.nextBoolean() && body.length > 0) {
          body[random.nextInt(body.length)] = (byte) random.nextInt();
        }
        int length = random.nextInt(4) > 0 ? body.length : random.nextInt(body.length + 1);
        int type = random.nextInt(8) > 0 ? f.type() : random.nextInt(20);
        TrainingFrame.write(out, type, ByteBuffer.wrap(body, 0, length));
      }
      try {
        TrainingTask task = read(out.toByteArray());
        assertTrue(task.rows().size() > 0, "-Dgauss.seed=" + seed);
      } catch (BadFrameException | EOFException e) {
        // As it should be.
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dgauss.seed=" + seed, e);
      }
    }
  }

  @Test
  void aTaskBeyondTheBoundsIsNotSent() {
    TrainingTask task = task(1, 5000, 1000, 1);
    assertThrows(IllegalArgumentException.class, () -> bytes(task));
  }

  @Test
  void reasonsAreBoundedAndKeepToALine() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TrainingFrame.write(out, TrainingLayout.FAILED, "one\ntwo" + "x".repeat(5000));
    TrainingFrame frame = frame(new ByteArrayInputStream(out.toByteArray()));
    String reason = frame.reason();
    assertTrue(reason.startsWith("one twox") && reason.length() == 1000, reason);
  }
}
