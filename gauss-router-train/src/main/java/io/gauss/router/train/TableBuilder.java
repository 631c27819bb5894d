package io.gauss.router.train;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.RoutingTable;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Builds the exact map: for each template the predicate whose values determine the node best, and
 * ranges of its values that belong to one node. When it is too large, the least frequent ranges are
 * merged with their neighbours, first of those roles that have more than their share.
 */
final class TableBuilder {
  /** A range of values. */
  private static final class Range {
    private final double from;
    private final int node;
    private int count;

    private Range(double from, int node, int count) {
      this.from = from;
      this.node = node;
      this.count = count;
    }
  }

  private record Candidate(
      int predicates, int predicate, ColumnProfile profile, List<Range> ranges, int errors) {}

  /** Templates beyond these are left out, as in {@link FeatureSpace}. */
  static final int MAX_TEMPLATES = 1024;

  private static final int ENOUGH = 20;
  private static final double EXCEPTIONS = 0.02;

  private static final int BYTES_PER_RANGE = Double.BYTES + Short.BYTES;

  private TableBuilder() {}

  /**
   * @param rows indexes of the samples to use
   * @param maxBytes of the publication
   */
  static RoutingTable build(
      long version,
      List<TransactionSample> samples,
      List<Integer> rows,
      TransactionHomes homes,
      FeatureSpace space,
      int maxBytes) {
    Map<StatementTemplate, List<Integer>> byTemplate = new HashMap<>();
    Map<StatementTemplate, FairShare.Counts> counts = new HashMap<>();
    for (int i : rows) {
      if (homes.home(i) > 0) {
        StatementTemplate template = samples.get(i).template();
        byTemplate.computeIfAbsent(template, t -> new ArrayList<>()).add(i);
        counts.computeIfAbsent(template, t -> new FairShare.Counts()).add(samples.get(i).role());
      }
    }
    ToIntFunction<StatementTemplate> role = template -> counts.get(template).role();
    Map<String, ColumnProfile> profiles = new HashMap<>();
    space.columns().forEach(c -> profiles.put(c.column(), c));
    List<StatementTemplate> byUse = new ArrayList<>(counts.keySet());
    byUse.sort(
        Comparator.comparing((StatementTemplate template) -> -counts.get(template).all())
            .thenComparing(StatementTemplate::id));
    TreeMap<Long, Candidate> found = new TreeMap<>();
    Map<Range, Integer> roles = new IdentityHashMap<>();
    for (StatementTemplate template : FairShare.best(byUse, role, MAX_TEMPLATES)) {
      Candidate best = best(template, byTemplate.get(template), samples, homes, profiles);
      if (best != null) {
        found.put(template.id(), best);
        best.ranges.forEach(range -> roles.put(range, role.applyAsInt(template)));
      }
    }
    List<RoutingTable.Entry> entries = entries(found, roles.keySet());
    if (bytes(entries) > maxBytes) {
      List<Range> frequent = new ArrayList<>();
      found.values().forEach(candidate -> frequent.addAll(candidate.ranges));
      frequent.sort(Comparator.comparing((Range range) -> -range.count));
      Set<Range> kept = Collections.newSetFromMap(new IdentityHashMap<>());
      kept.addAll(FairShare.best(frequent, roles::get, roomFor(found, maxBytes)));
      entries = entries(found, kept);
    }
    return new RoutingTable(version, entries);
  }

  /** Upper bound of the bytes of a publication with these entries. */
  static int bytes(List<RoutingTable.Entry> entries) {
    return 64 + entries.stream().mapToInt(RoutingTable.Entry::bytes).sum();
  }

  private static Candidate best(
      StatementTemplate template,
      List<Integer> rows,
      List<TransactionSample> samples,
      TransactionHomes homes,
      Map<String, ColumnProfile> profiles) {
    Candidate best = null;
    for (int p = 0; p < template.predicates().size(); p++) {
      ColumnProfile profile = profiles.get(template.predicates().get(p).column());
      if (profile == null) {
        continue;
      }
      Candidate candidate =
          candidate(template.predicates().size(), p, profile, rows, samples, homes);
      boolean better =
          best == null
              || candidate.errors < best.errors
              || candidate.errors == best.errors && candidate.ranges.size() < best.ranges.size();
      if (!candidate.ranges.isEmpty() && better) {
        best = candidate;
      }
    }
    return best;
  }

  private static Candidate candidate(
      int predicates,
      int predicate,
      ColumnProfile profile,
      List<Integer> rows,
      List<TransactionSample> samples,
      TransactionHomes homes) {
    TreeMap<Double, Map<Integer, Integer>> counts = new TreeMap<>();
    int errors = 0;
    for (int row : rows) {
      double scalar = profile.scalar(samples.get(row).values()[predicate]);
      if (Double.isNaN(scalar)) {
        errors++;
      } else {
        counts
            .computeIfAbsent(scalar, s -> new TreeMap<>())
            .merge(homes.home(row), 1, Integer::sum);
      }
    }
    List<Range> values = new ArrayList<>();
    int repeated = 0;
    int exceptions = 0;
    for (Map.Entry<Double, Map<Integer, Integer>> value : counts.entrySet()) {
      int node = 0;
      int most = 0;
      int all = 0;
      for (Map.Entry<Integer, Integer> of : value.getValue().entrySet()) {
        all += of.getValue();
        if (of.getValue() > most) {
          most = of.getValue();
          node = of.getKey();
        }
      }
      errors += all - most;
      repeated += all > 1 ? all : 0;
      exceptions += all - most;
      values.add(new Range(value.getKey(), node, all));
    }
    boolean isFaithful = isFaithful(repeated, exceptions);
    List<Range> ranges = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      Range value = values.get(i);
      Range last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
      if (last != null && (last.node == value.node || !isFaithful && isAlone(values, i))) {
        errors += last.node == value.node ? 0 : 1;
        last.count += value.count;
      } else {
        ranges.add(new Range(value.from, value.node, value.count));
      }
    }
    return new Candidate(predicates, predicate, profile, ranges, errors);
  }

  /** Whether it was seen once, and the values on both sides belong to one other node. */
  private static boolean isAlone(List<Range> values, int i) {
    return values.get(i).count == 1
        && i + 1 < values.size()
        && values.get(i - 1).node == values.get(i + 1).node;
  }

  /**
   * Whether values that were seen repeatedly nearly always belong to the same node, so that one
   * sighting is enough.
   *
   * @param repeated sightings of values that were seen more than once
   * @param exceptions those of them that belong to another node than most of the value's
   */
  static boolean isFaithful(int repeated, int exceptions) {
    return repeated >= ENOUGH && exceptions <= repeated * EXCEPTIONS;
  }

  /** Number of ranges for which a publication has room. */
  private static int roomFor(Map<Long, Candidate> found, int maxBytes) {
    int overhead =
        64 + found.values().stream().mapToInt(c -> 32 + 3 * c.profile.prefix().length()).sum();
    return Math.max(0, (maxBytes - overhead) / BYTES_PER_RANGE);
  }

  /**
   * @param kept ranges; all others are merged with those before them
   */
  private static List<RoutingTable.Entry> entries(TreeMap<Long, Candidate> found, Set<Range> kept) {
    List<RoutingTable.Entry> entries = new ArrayList<>();
    found.forEach(
        (template, candidate) -> {
          List<Range> left = new ArrayList<>();
          for (Range range : candidate.ranges) {
            boolean same = !left.isEmpty() && left.get(left.size() - 1).node == range.node;
            if (kept.contains(range) && !same) {
              left.add(range);
            }
          }
          if (!left.isEmpty()) {
            entries.add(entry(template, candidate, left));
          }
        });
    return entries;
  }

  private static RoutingTable.Entry entry(long template, Candidate candidate, List<Range> ranges) {
    double[] bounds = new double[ranges.size() - 1];
    short[] nodes = new short[ranges.size()];
    Arrays.setAll(bounds, i -> ranges.get(i + 1).from);
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = (short) ranges.get(i).node;
    }
    return new RoutingTable.Entry(
        template,
        candidate.predicates,
        candidate.predicate,
        candidate.profile.kind(),
        candidate.profile.prefix(),
        bounds,
        nodes);
  }
}
