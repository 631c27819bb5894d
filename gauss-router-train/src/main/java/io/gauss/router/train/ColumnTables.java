package io.gauss.router.train;

import io.gauss.jdbc.routing.statement.Predicate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Of which tables the values are that samples have of columns. */
final class ColumnTables {
  /**
   * A table with fewer of a column's values than this share of those of the table that has most,
   * gives none. Not a share of all values: of many schemas with the same tables each has few of
   * them, and none would be left.
   */
  private static final double LEAST = 0.05;

  private ColumnTables() {}

  /**
   * The samples without the values of tables that have few of a column's values: tables have the
   * same names in several schemas, and queries give theirs to what they join. Whoever may not read
   * such a table would not see any values of the column. Values of unknown tables are left out,
   * too.
   */
  static List<TransactionSample> withoutRare(List<TransactionSample> samples) {
    Map<String, Map<Integer, Integer>> counts = new HashMap<>();
    for (TransactionSample s : samples) {
      forEach(
          s,
          (column, tables) -> {
            for (int table : tables) {
              counts.computeIfAbsent(column, c -> new HashMap<>()).merge(table, 1, Integer::sum);
            }
          });
    }
    Map<String, Integer> most = new HashMap<>();
    counts.forEach((column, of) -> most.put(column, Collections.max(of.values())));
    List<TransactionSample> kept = new ArrayList<>(samples.size());
    for (TransactionSample s : samples) {
      Object[] values = s.values().clone();
      for (int i = 0; i < values.length; i++) {
        String column = s.template().predicates().get(i).column();
        boolean isRare =
            values[i] != null
                && (s.tables()[i].length == 0
                    || Arrays.stream(s.tables()[i])
                        .anyMatch(t -> counts.get(column).get(t) < LEAST * most.get(column)));
        values[i] = isRare ? null : values[i];
      }
      kept.add(Arrays.equals(values, s.values()) ? s : s.with(values));
    }
    return kept;
  }

  /** The tables of each column, ascending. */
  static Map<String, int[]> of(List<TransactionSample> samples) {
    Map<String, TreeSet<Integer>> found = new HashMap<>();
    for (TransactionSample s : samples) {
      forEach(
          s,
          (column, tables) -> {
            TreeSet<Integer> of = found.computeIfAbsent(column, c -> new TreeSet<>());
            for (int table : tables) {
              of.add(table);
            }
          });
    }
    Map<String, int[]> tables = new HashMap<>();
    found.forEach(
        (column, of) -> tables.put(column, of.stream().mapToInt(Integer::intValue).toArray()));
    return tables;
  }

  /** Both tables of each column. */
  static int[] union(int[] some, int[] others) {
    return IntStream.concat(
            some == null ? IntStream.empty() : Arrays.stream(some),
            others == null ? IntStream.empty() : Arrays.stream(others))
        .sorted()
        .distinct()
        .toArray();
  }

  @FunctionalInterface
  private interface Values {
    void of(String column, int[] tables);
  }

  private static void forEach(TransactionSample s, Values values) {
    List<Predicate> predicates = s.template().predicates();
    for (int i = 0; i < predicates.size(); i++) {
      if (s.values()[i] != null) {
        values.of(predicates.get(i).column(), s.tables()[i]);
      }
    }
  }
}
