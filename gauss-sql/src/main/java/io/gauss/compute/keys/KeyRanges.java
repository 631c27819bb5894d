package io.gauss.compute.keys;

import java.util.ArrayList;
import java.util.List;

/**
 * Ranges of a column's values and the node of each, in ascending order: every range ends where the
 * next one begins. Immutable.
 *
 * @param isNumber whether values are numbers; otherwise they are strings
 * @param starts of the ranges; empty = nothing is known now
 */
public record KeyRanges(boolean isNumber, List<Start> starts) {
  /**
   * The beginning of a range.
   *
   * @param from Long or String; null = from the lowest value
   * @param node its number in the cluster; 0 = not known, and the last range is such a one unless
   *     it reaches to the highest value
   */
  record Start(Object from, int node) {}

  public KeyRanges {
    starts = List.copyOf(starts);
  }

  /** The node of a value; 0 = not known. */
  int node(Object value) {
    int node = 0;
    for (Start start : starts) {
      boolean begins = start.from() == null || compare(start.from(), value) <= 0;
      node = begins ? start.node() : node;
    }
    return node;
  }

  private int compare(Object a, Object b) {
    return isNumber ? Long.compare((Long) a, (Long) b) : ((String) a).compareTo((String) b);
  }

  /**
   * For drivers: a first line {@code number} or {@code text}, then a line for each range with its
   * lowest value ({@code \N} for none), a tab, and the node. Tabs, line ends and backslashes in
   * values are written as in COPY.
   */
  public String text() {
    StringBuilder out = new StringBuilder(isNumber ? "number\n" : "text\n");
    for (Start start : starts) {
      out.append(start.from() == null ? "\\N" : escaped(start.from().toString()));
      out.append('\t').append(start.node()).append('\n');
    }
    return out.toString();
  }

  private static String escaped(String value) {
    return value
        .replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r")
        .replace("\0", "\\0");
  }

  /** Collects ranges in ascending order; neighbours of the same node become one. */
  static final class Builder {
    private final List<Start> starts = new ArrayList<>();
    private final Object highest;

    /**
     * @param highest value, above which there is hardly any
     */
    Builder(Object highest) {
      this.highest = highest;
    }

    void add(Object from, int node) {
      if (starts.isEmpty() || starts.getLast().node() != node) {
        starts.add(new Start(from, node));
      }
    }

    /**
     * Beyond the last leaf. It begins a range of its own even if the range before has no node
     * either: that is an answer, and need not be asked for again at once.
     *
     * @param from null = the last range reaches to the highest value
     */
    void end(Object from) {
      boolean isKnown = starts.getLast().node() != 0;
      if (from != null || !isKnown) {
        starts.add(new Start(from == null ? highest : from, 0));
      }
    }

    KeyRanges build(boolean isNumber) {
      return new KeyRanges(isNumber, starts);
    }
  }
}
