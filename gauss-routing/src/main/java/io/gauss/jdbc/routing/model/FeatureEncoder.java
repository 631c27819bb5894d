package io.gauss.jdbc.routing.model;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes a statement's template and values as the network's inputs: the only class that does so,
 * for both drivers and the trainer.
 *
 * <pre>
 * one input for each template: 1 for the statement's own
 * a block for each column:
 *   0        1 when the statement has a value for the column
 *   1        the value's quantile q among the column's values, 0 to 1
 *   2        log2 of the number of different values, divided by 32
 *   3..6     1 for the operator
 *   7..26    sin and cos of 2^k pi q, k = 0 to 9: what is near and what is far at ten scales
 *   27..42   numbers whose neighbours differ: sin and cos of 2 pi h v / p for the column's period p
 *            and the {@link #HARMONICS} h, or of 2 pi v / p for all {@link #PERIODS} p when none is
 *            known; text: 1 for the value's bucket of 16 by its hash
 * </pre>
 *
 * If a column appears in two predicates, the first one counts. Immutable and thread-safe.
 */
public final class FeatureEncoder {
  /** Inputs of a column. */
  public static final int BLOCK = 43;

  private static final int OPERATORS = 3;
  private static final int SINES = 7;
  private static final int SCALES = 10;
  private static final int BUCKETS = SINES + 2 * SCALES;
  private static final int BUCKET_COUNT = 16;
  private static final int[] PERIODS = {2, 3, 4, 5, 7, 8, 16, 32};

  /** So that all remainders of short periods, and neighbours in long ones, are far apart. */
  private static final int[] HARMONICS = {1, 2, 3, 4, 5, 8, 13, 21};

  /** Values whose quantiles differ by less count as the same in {@link #quantised}. */
  private static final int STEPS = 1 << 12;

  private final List<ColumnProfile> columns;
  private final List<ModelTemplate> templates;
  private final Map<Long, Integer> templatePlaces = new HashMap<>();

  public FeatureEncoder(List<ColumnProfile> columns, List<ModelTemplate> templates) {
    this.columns = List.copyOf(columns);
    this.templates = List.copyOf(templates);
    for (int i = 0; i < templates.size(); i++) {
      templatePlaces.put(templates.get(i).id(), i);
    }
  }

  /** Number of inputs for this many templates and columns. */
  public static int width(int templates, int columns) {
    return Math.addExact(templates, Math.multiplyExact(columns, BLOCK));
  }

  /** Number of inputs. */
  public int width() {
    return width(templates.size(), columns.size());
  }

  /** The template's place in the model; -1 when the model does not know it. */
  public int place(long template, int predicates) {
    Integer place = templatePlaces.get(template);
    return place != null && templates.get(place).columns().length == predicates ? place : -1;
  }

  /** Whether the model has a column for any of the values. */
  public boolean tells(int place, Object[] values) {
    int[] of = templates.get(place).columns();
    for (int i = 0; i < of.length; i++) {
      if (of[i] >= 0 && !Double.isNaN(columns.get(of[i]).scalar(values[i]))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Fills {@code into}, which has {@link #width} places, anew.
   *
   * @param place of the template
   * @param operators ordinals of the predicates' operators
   * @param values of the predicates; null where unknown
   */
  public void encode(int place, int[] operators, Object[] values, float[] into) {
    Arrays.fill(into, 0);
    into[place] = 1;
    int[] of = templates.get(place).columns();
    for (int i = 0; i < of.length; i++) {
      if (of[i] >= 0) {
        int block = templates.size() + of[i] * BLOCK;
        if (into[block] == 0) {
          encode(columns.get(of[i]), operators[i], values[i], into, block);
        }
      }
    }
  }

  private static void encode(
      ColumnProfile column, int operator, Object value, float[] into, int block) {
    double scalar = column.scalar(value);
    if (Double.isNaN(scalar)) {
      return;
    }
    double quantile = column.quantile(scalar);
    into[block] = 1;
    into[block + 1] = (float) quantile;
    into[block + 2] = (float) (Math.log(column.distinct()) / Math.log(2) / 32);
    into[block + OPERATORS + operator] = 1;
    double angle = Math.PI * quantile;
    for (int k = 0; k < SCALES; k++) {
      into[block + SINES + 2 * k] = (float) Math.sin(angle);
      into[block + SINES + 2 * k + 1] = (float) Math.cos(angle);
      angle *= 2;
    }
    if (column.kind() == ColumnProfile.Kind.TEXT) {
      into[block + BUCKETS + bucket(value.toString())] = 1;
    } else if (column.phases()) {
      for (int k = 0; k < PERIODS.length; k++) {
        double phase =
            column.period() > 0
                ? 2 * Math.PI * HARMONICS[k] * (scalar % column.period()) / column.period()
                : 2 * Math.PI * (scalar % PERIODS[k]) / PERIODS[k];
        into[block + BUCKETS + 2 * k] = (float) Math.sin(phase);
        into[block + BUCKETS + 2 * k + 1] = (float) Math.cos(phase);
      }
    }
  }

  /** A string's hash is specified by the Java language: the same everywhere. */
  private static int bucket(String value) {
    return (int) (mix(value.hashCode()) >>> 60) & BUCKET_COUNT - 1;
  }

  /**
   * A number that is the same for statements that the network hardly distinguishes, and differs for
   * others (64 bits: a collision is possible and harmless).
   */
  long quantised(int place, Object[] values) {
    int[] of = templates.get(place).columns();
    long hash = 0;
    for (int i = 0; i < of.length; i++) {
      long part = -1;
      if (of[i] >= 0) {
        ColumnProfile column = columns.get(of[i]);
        double scalar = column.scalar(values[i]);
        if (Double.isNaN(scalar)) {
          part = -2;
        } else if (column.kind() == ColumnProfile.Kind.TEXT) {
          part = values[i].toString().hashCode();
        } else if (column.phases()) {
          part = Double.doubleToLongBits(scalar);
        } else {
          part = (long) (column.quantile(scalar) * STEPS);
        }
      }
      hash = mix(hash + part + 0x9e3779b97f4a7c15L);
    }
    return hash;
  }

  static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
