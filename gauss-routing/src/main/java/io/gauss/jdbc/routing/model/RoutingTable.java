package io.gauss.jdbc.routing.model;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The exact map, the baseline for models: for each statement template, ranges of one predicate's
 * values and the node of each. Immutable and thread-safe.
 */
public final class RoutingTable {
  /** Maximum size of a published table in bytes; the trainer merges ranges until it fits. */
  public static final int MAX_BYTES = 1 << 20;

  /**
   * Ranges of a template.
   *
   * @param template its id
   * @param predicates how many predicates it has
   * @param predicate which of them counts
   * @param kind of its column
   * @param prefix of its column, see {@link ColumnProfile#prefix}
   * @param bounds ascending; each is the end of a range and the beginning of the next, to which it
   *     belongs. Not to be changed
   * @param nodes number of each range's node, 0 for "not known"; one more than bounds. Not to be
   *     changed
   */
  public record Entry(
      long template,
      int predicates,
      int predicate,
      ColumnProfile.Kind kind,
      String prefix,
      double[] bounds,
      short[] nodes) {
    public Entry {
      if (predicate < 0 || predicate >= predicates || nodes.length != bounds.length + 1) {
        throw new IllegalArgumentException(
            "predicate " + predicate + " of " + predicates + ", " + nodes.length + " ranges");
      }
      for (int i = 0; i < bounds.length; i++) {
        if (!Double.isFinite(bounds[i]) || i > 0 && bounds[i] <= bounds[i - 1]) {
          throw new IllegalArgumentException("bound " + i + " is not in order");
        }
      }
    }

    /** Bytes that the entry takes in a publication. */
    public int bytes() {
      return 8 + 3 + 2 + 3 * prefix.length() + 4 + 8 * bounds.length + 2 * nodes.length;
    }
  }

  private final long version;
  private final List<Entry> entries;
  private final Map<Long, Entry> byTemplate = new HashMap<>();
  private final Set<Long> byOwner;

  /** A table that is better than the owners of keys for all templates. */
  public RoutingTable(long version, List<Entry> entries) {
    this(version, entries, Set.of());
  }

  /**
   * @param byOwner ids of templates of which the owner of the statement's key is the better answer
   */
  public RoutingTable(long version, List<Entry> entries, Set<Long> byOwner) {
    this.version = version;
    this.byOwner = Set.copyOf(byOwner);
    this.entries = List.copyOf(entries);
    for (Entry entry : entries) {
      byTemplate.put(entry.template(), entry);
    }
  }

  /** Version of the publication. */
  public long version() {
    return version;
  }

  /** Ids of templates of which the owner of the statement's key is the better answer. */
  public Set<Long> byOwner() {
    return byOwner;
  }

  /** All templates' ranges. */
  public List<Entry> entries() {
    return entries;
  }

  /**
   * The node for a statement.
   *
   * @param values of the template's predicates
   * @return its number, or 0 when the table does not know
   */
  public int node(long template, Object[] values) {
    Entry entry = entry(template, values);
    double scalar = entry == null ? Double.NaN : scalar(entry, values);
    return Double.isNaN(scalar) ? 0 : entry.nodes[place(entry, scalar)];
  }

  /**
   * A range of values, for users.
   *
   * @param predicate whose values they are, from 0
   * @param from its beginning, as the column's scalar; infinite for the first
   * @param to beginning of the next; infinite for the last
   * @param node its number; 0 when it is not known
   */
  public record Range(int predicate, double from, double to, int node) {}

  /** The range that contains a statement's value; null when there is none. */
  public Range range(long template, Object[] values) {
    Entry entry = entry(template, values);
    double scalar = entry == null ? Double.NaN : scalar(entry, values);
    if (Double.isNaN(scalar)) {
      return null;
    }
    int place = place(entry, scalar);
    return new Range(
        entry.predicate,
        place == 0 ? Double.NEGATIVE_INFINITY : entry.bounds[place - 1],
        place == entry.bounds.length ? Double.POSITIVE_INFINITY : entry.bounds[place],
        entry.nodes[place]);
  }

  private Entry entry(long template, Object[] values) {
    Entry entry = byTemplate.get(template);
    return entry == null || entry.predicates != values.length ? null : entry;
  }

  private static double scalar(Entry entry, Object[] values) {
    Object value = values[entry.predicate];
    return entry.kind == ColumnProfile.Kind.NUMBER
        ? ColumnProfile.number(value)
        : ColumnProfile.text(value, entry.prefix);
  }

  private static int place(Entry entry, double scalar) {
    int found = Arrays.binarySearch(entry.bounds, scalar);
    return found >= 0 ? found + 1 : -found - 1;
  }
}
