package io.gauss.router.network;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Collects rows to train on, in bounded memory: of rows that would take more, an even share is
 * kept, drawn at random. Each time that they have become too many, half of them go. Not
 * thread-safe.
 */
public final class BoundedRows {
  /** Of a row, beside its numbers, and of each number. */
  private static final int ROW_BYTES = 12;

  private static final int NUMBER_BYTES = Character.BYTES + Float.BYTES;

  private final int inputs;
  private final int outputs;
  private final long mostBytes;
  private final SplittableRandom random;
  private final List<Row> rows = new ArrayList<>();
  private long bytes;
  private int dropped;
  private int halvings;

  private record Row(double weight, SparseRow input, SparseRow output, long lot) {
    int bytes() {
      return ROW_BYTES + NUMBER_BYTES * (input.places().length + output.places().length);
    }

    /** Whether it is of the rows that are left after so many halvings. */
    boolean stays(int halvings) {
      return lot >>> (Long.SIZE - 1 - halvings) >>> 1 == 0;
    }
  }

  /**
   * @param inputs of each row, at most {@link TrainingRows#MAX_WIDTH}
   * @param outputs likewise
   * @param mostBytes of all rows; one row always fits
   * @param seed of the choice
   */
  public BoundedRows(int inputs, int outputs, long mostBytes, long seed) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.mostBytes = mostBytes;
    this.random = new SplittableRandom(seed);
  }

  /** Adds a row; the arrays may be used again. */
  public void add(double weight, float[] input, float[] output) {
    Row row =
        new Row(
            weight, SparseRow.of(input, inputs), SparseRow.of(output, outputs), random.nextLong());
    if (!row.stays(halvings) && !rows.isEmpty()) {
      dropped++;
      return;
    }
    rows.add(row);
    bytes += row.bytes();
    while (bytes > mostBytes && rows.size() > 1) {
      halve();
    }
  }

  private void halve() {
    halvings++;
    Row last = rows.getLast();
    int before = rows.size();
    rows.removeIf(row -> !row.stays(halvings));
    if (rows.isEmpty()) {
      rows.add(last);
    }
    dropped += before - rows.size();
    bytes = rows.stream().mapToLong(Row::bytes).sum();
  }

  /** Rows that were added and are not kept. */
  public int dropped() {
    return dropped;
  }

  /** What is kept. */
  public TrainingRows build() {
    TrainingRows.Builder kept = new TrainingRows.Builder(inputs, outputs);
    rows.forEach(row -> kept.add(row.weight, row.input, row.output));
    return kept.build();
  }
}
