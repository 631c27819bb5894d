package io.gauss.router.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * What a network is trained on: for each row its inputs, the outputs that are wanted for them, and
 * how often it is drawn compared with others. Most numbers are 0, and are not kept. Immutable.
 */
public final class TrainingRows {
  /** Of a row at most. */
  public static final int MAX_WIDTH = Character.MAX_VALUE;

  private final int inputs;
  private final int outputs;
  private final double[] weights;
  private final double[] upTo; // the weights, added up
  private final List<SparseRow> given;
  private final List<SparseRow> wanted;

  private TrainingRows(Builder from) {
    inputs = from.inputs;
    outputs = from.outputs;
    weights = from.weights.stream().mapToDouble(Double::doubleValue).toArray();
    upTo = weights.clone();
    for (int i = 1; i < upTo.length; i++) {
      upTo[i] += upTo[i - 1]; // in this order everywhere, so that all draw the same
    }
    given = List.copyOf(from.given);
    wanted = List.copyOf(from.wanted);
  }

  /** Collects rows. Not thread-safe. */
  public static final class Builder {
    private final int inputs;
    private final int outputs;
    private final List<Double> weights = new ArrayList<>();
    private final List<SparseRow> given = new ArrayList<>();
    private final List<SparseRow> wanted = new ArrayList<>();

    /**
     * @param inputs of each row, at most {@link #MAX_WIDTH}
     * @param outputs likewise
     */
    public Builder(int inputs, int outputs) {
      if (inputs < 1 || inputs > MAX_WIDTH || outputs < 1 || outputs > MAX_WIDTH) {
        throw new IllegalArgumentException("rows of " + inputs + " and " + outputs);
      }
      this.inputs = inputs;
      this.outputs = outputs;
    }

    /** Adds a row; the arrays may be used again. */
    public void add(double weight, float[] input, float[] output) {
      add(weight, SparseRow.of(input, inputs), SparseRow.of(output, outputs));
    }

    /**
     * Adds a row.
     *
     * @param weight finite, at least 0
     * @throws IllegalArgumentException when it is wider than the others
     */
    public void add(double weight, SparseRow input, SparseRow output) {
      if (!(weight >= 0 && weight < Double.POSITIVE_INFINITY)
          || !input.isWithin(inputs)
          || !output.isWithin(outputs)) {
        throw new IllegalArgumentException("a row of weight " + weight);
      }
      weights.add(weight);
      given.add(input);
      wanted.add(output);
    }

    /** Number of rows so far. */
    public int size() {
      return weights.size();
    }

    /** What was added. */
    public TrainingRows build() {
      return new TrainingRows(this);
    }
  }

  /** Number of rows. */
  public int size() {
    return weights.length;
  }

  /** Numbers in a row's inputs. */
  int inputs() {
    return inputs;
  }

  /** Numbers in a row's outputs. */
  int outputs() {
    return outputs;
  }

  public double weight(int row) {
    return weights[row];
  }

  public SparseRow input(int row) {
    return given.get(row);
  }

  public SparseRow output(int row) {
    return wanted.get(row);
  }

  /** Draws a row. */
  int pick(Random random) {
    int at = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
    return Math.min(at < 0 ? -1 - at : at, upTo.length - 1);
  }

  /** Writes a row's inputs into an array. */
  void writeInput(int row, float[] into, int from) {
    Arrays.fill(into, from, from + inputs, 0);
    given.get(row).write(into, from);
  }

  /** Writes a row's outputs into an array. */
  void writeOutput(int row, float[] into, int from) {
    Arrays.fill(into, from, from + outputs, 0);
    wanted.get(row).write(into, from);
  }
}
