package io.gauss.router.process;

import io.gauss.jdbc.routing.model.Layer;
import io.gauss.router.network.SparseRow;
import io.gauss.router.network.TrainedNetwork;
import io.gauss.router.network.TrainingRows;
import io.gauss.router.network.TrainingTask;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Tasks and results as frames ({@link TrainingLayout}), and back. */
final class TrainingCodec {
  private TrainingCodec() {}

  /**
   * Writes a task.
   *
   * @throws IllegalArgumentException when it is beyond the layout's bounds
   */
  static void write(OutputStream out, TrainingTask task) throws IOException {
    TrainingRows rows = task.rows();
    check(task);
    int layers = task.layers().size();
    ByteBuffer head =
        TrainingLayout.buffer(TrainingLayout.LAYERS_OFFSET + layers * TrainingLayout.LAYER_BYTES);
    head.putLong(task.seed()).putLong(task.millis());
    head.putInt(task.steps()).putInt(rows.size()).putInt(layers);
    for (Layer layer : task.layers()) {
      head.putInt(layer.inputs()).putInt(layer.outputs());
    }
    TrainingFrame.write(out, TrainingLayout.TASK, head.flip());
    writeWeights(out, task.layers());
    writeRows(out, rows);
    out.flush();
  }

  private static void writeRows(OutputStream out, TrainingRows rows) throws IOException {
    ByteBuffer body = TrainingLayout.buffer(TrainingLayout.MAX_BODY);
    for (int row = 0; row < rows.size(); row++) {
      SparseRow input = rows.input(row);
      SparseRow output = rows.output(row);
      if (body.remaining() < bytes(input, output)) {
        TrainingFrame.write(out, TrainingLayout.ROWS, body.flip());
        body.clear();
      }
      body.putDouble(rows.weight(row));
      body.putChar((char) input.places().length).putChar((char) output.places().length);
      put(body, input);
      put(body, output);
    }
    TrainingFrame.write(out, TrainingLayout.ROWS, body.flip());
  }

  private static void put(ByteBuffer body, SparseRow row) {
    for (int i = 0; i < row.places().length; i++) {
      body.putChar(row.places()[i]).putFloat(row.values()[i]);
    }
  }

  private static int bytes(SparseRow input, SparseRow output) {
    int numbers = input.places().length + output.places().length;
    return TrainingLayout.ROW_HEADER + numbers * TrainingLayout.NUMBER_BYTES;
  }

  private static long bytes(TrainingRows rows) {
    long bytes = 0;
    for (int row = 0; row < rows.size(); row++) {
      bytes += bytes(rows.input(row), rows.output(row));
    }
    return bytes;
  }

  private static long weights(List<Layer> layers) {
    return layers.stream().mapToLong(l -> (long) l.weights().length + l.outputs()).sum();
  }

  /** Whether the task is within the layout's bounds. */
  static boolean fits(TrainingTask task) {
    try {
      check(task);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static void check(TrainingTask task) {
    check(task.layers().size(), task.rows().size(), weights(task.layers()), bytes(task.rows()));
  }

  private static void check(int layers, int rows, long weights, long rowBytes) {
    if (layers < 1
        || layers > TrainingLayout.MAX_LAYERS
        || rows < 1
        || rows > TrainingLayout.MAX_ROWS
        || weights > TrainingLayout.MAX_WEIGHTS
        || rowBytes > TrainingLayout.MAX_ROW_BYTES) {
      throw new IllegalArgumentException(
          "a task of %d layers with %d weights, %d rows of %d bytes"
              .formatted(layers, weights, rows, rowBytes));
    }
  }

  private static void writeWeights(OutputStream out, List<Layer> layers) throws IOException {
    ByteBuffer body = TrainingLayout.buffer(TrainingLayout.MAX_BODY);
    for (Layer layer : layers) {
      for (float[] numbers : new float[][] {layer.weights(), layer.bias()}) {
        for (float number : numbers) {
          if (!body.hasRemaining()) {
            TrainingFrame.write(out, TrainingLayout.WEIGHTS, body.flip());
            body.clear();
          }
          body.putFloat(number);
        }
      }
    }
    TrainingFrame.write(out, TrainingLayout.WEIGHTS, body.flip());
  }

  /** Writes a result. */
  static void write(OutputStream out, TrainedNetwork trained) throws IOException {
    ByteBuffer head = TrainingLayout.buffer(Integer.BYTES).putInt(trained.steps());
    TrainingFrame.write(out, TrainingLayout.TRAINED, head.flip());
    writeWeights(out, trained.layers());
    out.flush();
  }

  /** Weights that come in parts, for layers whose sizes are known. */
  private static final class Weights {
    private final List<Layer> layers = new ArrayList<>();
    private int layer;
    private int at; // in the layer's weights, then in its bias

    /**
     * @param sizes inputs and outputs of each layer
     */
    Weights(List<int[]> sizes) {
      for (int[] size : sizes) {
        layers.add(new Layer(size[0], size[1], new float[size[0] * size[1]], new float[size[1]]));
      }
    }

    boolean isComplete() {
      return layer == layers.size();
    }

    void add(ByteBuffer body) throws BadFrameException {
      if (body.remaining() % Float.BYTES != 0) {
        throw new BadFrameException("a part of a weight");
      }
      while (body.hasRemaining()) {
        if (isComplete()) {
          throw new BadFrameException("more weights than the network has");
        }
        float value = body.getFloat();
        if (!Float.isFinite(value)) {
          throw new BadFrameException("a weight of " + value);
        }
        Layer into = layers.get(layer);
        int inBias = at - into.weights().length;
        if (inBias < 0) {
          into.weights()[at] = value;
        } else {
          into.bias()[inBias] = value;
        }
        at++;
        if (inBias == into.outputs() - 1) {
          layer++;
          at = 0;
        }
      }
    }
  }

  /** Puts a task together from its frames. Not thread-safe. */
  static final class TaskReader {
    private final long seed;
    private final long millis;
    private final int steps;
    private final int count;
    private final Weights weights;
    private final TrainingRows.Builder rows;
    private long bytes;

    /**
     * @param head of type TASK
     * @throws BadFrameException when it is beyond the layout's bounds
     */
    TaskReader(TrainingFrame head) throws BadFrameException {
      try {
        ByteBuffer body = head.body();
        seed = body.getLong();
        millis = body.getLong();
        steps = body.getInt();
        count = body.getInt();
        int layers = body.getInt();
        check(layers, count, 0, 0);
        List<int[]> sizes = new ArrayList<>();
        long all = 0;
        for (int i = 0; i < layers; i++) {
          int[] size = {body.getInt(), body.getInt()};
          boolean isWide =
              Math.min(size[0], size[1]) < 1 || Math.max(size[0], size[1]) > TrainingRows.MAX_WIDTH;
          if (isWide || i > 0 && size[0] != sizes.getLast()[1]) {
            throw new BadFrameException("a layer of " + size[0] + " x " + size[1]);
          }
          sizes.add(size);
          all += (long) size[0] * size[1] + size[1];
        }
        check(layers, count, all, 0);
        if (body.hasRemaining() || millis < 0 || steps < 0) {
          throw new BadFrameException("a task of %d steps in %d ms".formatted(steps, millis));
        }
        weights = new Weights(sizes);
        rows = new TrainingRows.Builder(sizes.getFirst()[0], sizes.getLast()[1]);
      } catch (BufferUnderflowException | IllegalArgumentException e) {
        throw new BadFrameException("a task that cannot be read: " + e);
      }
    }

    /** Whether all weights and rows have come. */
    boolean isComplete() {
      return weights.isComplete() && rows.size() == count;
    }

    /** Takes the next frame. */
    void add(TrainingFrame frame) throws BadFrameException {
      if (frame.type() == TrainingLayout.WEIGHTS) {
        weights.add(frame.body());
      } else if (frame.type() == TrainingLayout.ROWS) {
        bytes += frame.body().remaining();
        addRows(frame.body());
      } else {
        throw new BadFrameException("a frame of type " + frame.type() + " within a task");
      }
    }

    private void addRows(ByteBuffer body) throws BadFrameException {
      try {
        while (body.hasRemaining()) {
          double weight = body.getDouble();
          int inputs = body.getChar();
          int outputs = body.getChar();
          rows.add(weight, row(body, inputs), row(body, outputs));
          if (rows.size() > count || bytes > TrainingLayout.MAX_ROW_BYTES) {
            throw new BadFrameException("more rows than the task has");
          }
        }
      } catch (BufferUnderflowException | IllegalArgumentException e) {
        throw new BadFrameException("a row that cannot be read: " + e);
      }
    }

    private static SparseRow row(ByteBuffer body, int count) {
      if (body.remaining() < count * TrainingLayout.NUMBER_BYTES) {
        throw new BufferUnderflowException();
      }
      char[] places = new char[count];
      float[] values = new float[count];
      for (int i = 0; i < count; i++) {
        places[i] = body.getChar();
        values[i] = body.getFloat();
      }
      return new SparseRow(places, values);
    }

    /** The task; whoever sent it would not wait for a process if it were urgent. */
    TrainingTask task() {
      return new TrainingTask(weights.layers, rows.build(), steps, millis, seed, false);
    }
  }

  /** Puts a result together from its frames. Not thread-safe. */
  static final class ResultReader {
    private final int steps;
    private final Weights weights;

    /**
     * @param head of type TRAINED
     * @param task that was to be done
     */
    ResultReader(TrainingFrame head, TrainingTask task) throws BadFrameException {
      if (head.body().remaining() != Integer.BYTES) {
        throw new BadFrameException("a result of " + head.body().remaining() + " bytes");
      }
      steps = head.body().getInt();
      if (steps < 0 || steps > task.steps()) {
        throw new BadFrameException(steps + " steps of " + task.steps());
      }
      weights =
          new Weights(
              task.layers().stream().map(l -> new int[] {l.inputs(), l.outputs()}).toList());
    }

    boolean isComplete() {
      return weights.isComplete();
    }

    /** Takes the next frame. */
    void add(TrainingFrame frame) throws BadFrameException {
      if (frame.type() != TrainingLayout.WEIGHTS) {
        throw new BadFrameException("a frame of type " + frame.type() + " within a result");
      }
      weights.add(frame.body());
    }

    TrainedNetwork result() {
      return new TrainedNetwork(List.copyOf(weights.layers), steps);
    }
  }
}
