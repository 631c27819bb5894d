package io.gauss.router.train;

import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.ModelTemplate;
import io.gauss.jdbc.routing.statement.Predicate;
import io.gauss.jdbc.routing.statement.StatementTemplate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The features that a model can distinguish: the templates and columns that most samples have, and
 * the columns' values.
 *
 * @param columns of the model
 * @param templates of the model
 * @param tables by column, the tables of which its values are. Not to be changed
 */
record FeatureSpace(
    List<ColumnProfile> columns, List<ModelTemplate> templates, Map<String, int[]> tables) {
  /**
   * Templates and columns beyond these limits are left out, the least frequent first of each role
   * that has more than its share.
   */
  static final int MAX_TEMPLATES = 64;

  static final int MAX_COLUMNS = 24;

  private static final int BOUNDS = 65;

  /** Quantiles that differ by less are the same. */
  private static final double MOST_SHIFT = 0.05;

  /** Neighbouring values that change their node this often behave as if at random. */
  private static final double RESTLESS = 0.35;

  /**
   * @param homes node of each sample
   */
  static FeatureSpace of(List<TransactionSample> samples, TransactionHomes homes) {
    Map<StatementTemplate, FairShare.Counts> counts = new HashMap<>();
    Map<String, List<Integer>> byColumn = new HashMap<>();
    for (int i = 0; i < samples.size(); i++) {
      StatementTemplate template = samples.get(i).template();
      counts.computeIfAbsent(template, t -> new FairShare.Counts()).add(samples.get(i).role());
      for (Predicate predicate : new HashSet<>(template.predicates())) {
        byColumn.computeIfAbsent(predicate.column(), c -> new ArrayList<>()).add(i);
      }
    }
    Map<String, Integer> places = new LinkedHashMap<>();
    List<ColumnProfile> columns = new ArrayList<>();
    List<Map.Entry<String, List<Integer>>> byUse =
        byColumn.entrySet().stream()
            .sorted(
                Comparator.comparing((Map.Entry<String, List<Integer>> e) -> -e.getValue().size())
                    .thenComparing(Map.Entry::getKey))
            .toList();
    FairShare.best(byUse, e -> role(e.getValue(), samples), MAX_COLUMNS).stream()
        .sorted(Map.Entry.comparingByKey()) // so that places do not change with counts
        .forEach(
            e -> {
              ColumnProfile profile = profile(e.getKey(), e.getValue(), samples, homes);
              if (profile != null) {
                places.put(e.getKey(), columns.size());
                columns.add(profile);
              }
            });
    List<Map.Entry<StatementTemplate, FairShare.Counts>> templatesByUse =
        counts.entrySet().stream()
            .sorted(
                Comparator.comparing(
                        (Map.Entry<StatementTemplate, FairShare.Counts> e) -> -e.getValue().all())
                    .thenComparing(e -> e.getKey().id()))
            .toList();
    List<ModelTemplate> templates =
        FairShare.best(templatesByUse, e -> e.getValue().role(), MAX_TEMPLATES).stream()
            .sorted(Comparator.comparingLong(e -> e.getKey().id()))
            .map(e -> new ModelTemplate(e.getKey().id(), columns(e.getKey(), places)))
            .toList();
    return new FeatureSpace(columns, templates, ColumnTables.of(samples));
  }

  private static int role(List<Integer> rows, List<TransactionSample> samples) {
    FairShare.Counts counts = new FairShare.Counts();
    rows.forEach(row -> counts.add(samples.get(row).role()));
    return counts.role();
  }

  private static int[] columns(StatementTemplate template, Map<String, Integer> places) {
    return template.predicates().stream()
        .mapToInt(p -> places.getOrDefault(p.column(), -1))
        .toArray();
  }

  private static ColumnProfile profile(
      String column, List<Integer> rows, List<TransactionSample> samples, TransactionHomes homes) {
    List<Object> values = new ArrayList<>();
    List<Integer> of = new ArrayList<>();
    for (int row : rows) {
      Object value = value(samples.get(row), column);
      if (value != null) {
        values.add(value);
        of.add(homes.home(row));
      }
    }
    if (values.isEmpty()) {
      return null;
    }
    long numbers = values.stream().filter(v -> !Double.isNaN(ColumnProfile.number(v))).count();
    boolean number = numbers * 10 >= values.size() * 9L;
    String prefix = number ? "" : prefix(values);
    double[] scalars = new double[values.size()];
    for (int i = 0; i < scalars.length; i++) {
      Object value = values.get(i);
      scalars[i] = number ? ColumnProfile.number(value) : ColumnProfile.text(value, prefix);
    }
    boolean phases = number && isRestless(scalars, of);
    return new ColumnProfile(
        column,
        number ? ColumnProfile.Kind.NUMBER : ColumnProfile.Kind.TEXT,
        prefix,
        bounds(scalars),
        Math.max(1, new HashSet<>(values).size()),
        phases,
        phases ? Periods.of(scalars, of) : 0);
  }

  private static Object value(TransactionSample sample, String column) {
    List<Predicate> predicates = sample.template().predicates();
    for (int i = 0; i < predicates.size(); i++) {
      if (predicates.get(i).column().equals(column)) {
        return sample.values()[i];
      }
    }
    return null;
  }

  private static String prefix(List<Object> values) {
    String prefix = values.get(0).toString();
    for (Object value : values) {
      String s = value.toString();
      int same = 0;
      while (same < Math.min(prefix.length(), s.length())
          && prefix.charAt(same) == s.charAt(same)) {
        same++;
      }
      prefix = prefix.substring(0, same);
    }
    return prefix;
  }

  /** Quantiles; distinct ones as far as possible, so that a few values do not coincide. */
  private static double[] bounds(double[] scalars) {
    double[] sorted = Arrays.stream(scalars).filter(Double::isFinite).sorted().toArray();
    double[] distinct = Arrays.stream(sorted).distinct().toArray();
    double[] from = distinct.length <= 4 * BOUNDS ? distinct : sorted;
    if (from.length < 2) {
      double only = from.length == 0 ? 0 : from[0];
      return new double[] {only, only + 1};
    }
    int count = Math.min(BOUNDS, from.length);
    double[] bounds = new double[count];
    for (int i = 0; i < count; i++) {
      bounds[i] = from[(int) Math.round((double) i * (from.length - 1) / (count - 1))];
    }
    return bounds;
  }

  /** Whether neighbouring values mostly belong to different nodes although equal ones do not. */
  private static boolean isRestless(double[] scalars, List<Integer> homes) {
    Integer[] order = new Integer[scalars.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparingDouble(i -> scalars[i]));
    int pairs = 0;
    int changes = 0;
    int equalPairs = 0;
    int equalChanges = 0;
    for (int i = 1; i < order.length; i++) {
      boolean changed = !homes.get(order[i]).equals(homes.get(order[i - 1]));
      if (scalars[order[i]] == scalars[order[i - 1]]) {
        equalPairs++;
        equalChanges += changed ? 1 : 0;
      } else {
        pairs++;
        changes += changed ? 1 : 0;
      }
    }
    boolean equalStay = equalPairs < 20 || equalChanges < equalPairs * RESTLESS / 2;
    return pairs > 20 && changes > pairs * RESTLESS && equalStay;
  }

  /**
   * The same with the other one's columns where they differ little, so that a network for the other
   * one has the same inputs for them.
   */
  FeatureSpace continuing(FeatureSpace other) {
    List<ColumnProfile> continued = new ArrayList<>();
    for (ColumnProfile column : columns) {
      int was = other.column(column);
      ColumnProfile before = was < 0 ? null : other.columns.get(was);
      boolean isSame =
          before != null
              && before.phases() == column.phases()
              && before.period() == column.period()
              && isOfThese(other.tables.get(column.column()), tables.get(column.column()))
              && shift(before, column) <= MOST_SHIFT;
      continued.add(isSame ? before : column);
    }
    return new FeatureSpace(continued, templates, tables);
  }

  /** Or values of other tables would stay in the quantiles. */
  private static boolean isOfThese(int[] before, int[] now) {
    return before != null
        && now != null
        && Arrays.stream(before).allMatch(table -> Arrays.binarySearch(now, table) >= 0);
  }

  /** The place of a column of the same values; -1 when there is none. */
  int column(ColumnProfile like) {
    for (int i = 0; i < columns.size(); i++) {
      ColumnProfile column = columns.get(i);
      if (column.column().equals(like.column())) {
        boolean isAlike =
            column.kind() == like.kind()
                && column.prefix().equals(like.prefix())
                && column.period() == like.period();
        return isAlike ? i : -1;
      }
    }
    return -1;
  }

  /** The place of a template; -1 when there is none. */
  int template(long id) {
    for (int i = 0; i < templates.size(); i++) {
      if (templates.get(i).id() == id) {
        return i;
      }
    }
    return -1;
  }

  /** The largest difference of quantiles at any bound. */
  private static double shift(ColumnProfile a, ColumnProfile b) {
    double most = 0;
    for (double bound : a.bounds()) {
      most = Math.max(most, Math.abs(a.quantile(bound) - b.quantile(bound)));
    }
    for (double bound : b.bounds()) {
      most = Math.max(most, Math.abs(a.quantile(bound) - b.quantile(bound)));
    }
    return most;
  }
}
