package io.gauss.jdbc.routing.model;

import java.util.Arrays;

/**
 * Values that the network gets wrong, by their hashes: a small network cannot learn values without
 * an order, so they are looked up. 5 bytes for each, half the size of a range of a table.
 *
 * <p>Two values with the same 32-bit hash are confused: with 200,000 keys that happens to one of
 * 20,000 others, and costs a wrong route. Immutable and thread-safe.
 */
public final class KnownKeys {
  /** A model without such values. */
  public static final KnownKeys NONE = new KnownKeys(new byte[0], new int[0], new byte[0]);

  private final byte[] predicates;
  private final int[] hashes;
  private final byte[] nodes;

  /**
   * @param predicates for each of the model's templates the predicate whose value is looked up, -1
   *     for none; may be shorter. Not to be changed
   * @param hashes of templates and values by {@link #hash}, ascending, each once. Not to be changed
   * @param nodes for each hash the node's place among the model's nodes. Not to be changed
   */
  public KnownKeys(byte[] predicates, int[] hashes, byte[] nodes) {
    this.predicates = predicates;
    this.hashes = hashes;
    this.nodes = nodes;
    if (hashes.length != nodes.length) {
      throw new IllegalArgumentException(hashes.length + " keys, " + nodes.length + " nodes");
    }
    for (int i = 1; i < hashes.length; i++) {
      if (hashes[i] <= hashes[i - 1]) {
        throw new IllegalArgumentException("keys are not in order");
      }
    }
  }

  byte[] predicates() {
    return predicates;
  }

  int[] hashes() {
    return hashes;
  }

  byte[] nodes() {
    return nodes;
  }

  /** Number of values. */
  int size() {
    return hashes.length;
  }

  /** Whether it fits a model of this many templates and nodes. */
  boolean fits(int templates, int nodeCount) {
    for (byte node : nodes) {
      if (node < 0 || node >= nodeCount) {
        return false;
      }
    }
    return predicates.length <= templates;
  }

  /** Index of the value that counts for the template; below 0 for none. */
  int predicate(int place, int values) {
    int predicate = place < predicates.length ? predicates[place] : -1;
    return predicate < values ? predicate : -1;
  }

  /** The node's place for a value; -1 when the value is not known. */
  int node(int place, Object[] values) {
    int predicate = predicate(place, values.length);
    if (predicate < 0 || values[predicate] == null) {
      return -1;
    }
    int found = Arrays.binarySearch(hashes, hash(place, values[predicate]));
    return found < 0 ? -1 : nodes[found];
  }

  /**
   * The key of a value.
   *
   * @param place of the template
   * @param value Long, Double or String; numbers in strings are numbers
   */
  public static int hash(int place, Object value) {
    double number = ColumnProfile.number(value);
    long bits =
        Double.isNaN(number) ? value.toString().hashCode() : Double.doubleToLongBits(number);
    return (int) (FeatureEncoder.mix(bits + place * 0x9e3779b97f4a7c15L) >>> 32);
  }
}
